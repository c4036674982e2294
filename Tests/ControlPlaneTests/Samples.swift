import ControlPlane

/// Documents and requests for the socket, which does not look into them.
enum Samples {
    struct Status: Codable, Hashable, Sendable {
        var schema = "partyline.status/1"
        var shortId = "4f2a-91c0"
        var uptimeS = 8_040.5
        var counters: [String: UInt64] = ["ghosts_dropped": 2, "notSnake": 1]
        var levels = [-.infinity, 0.25]
        var missing: String?
    }

    struct Event: Codable, Hashable, Sendable {
        var sequence: UInt64
        var text: String
    }

    static let status = Status()

    static func event(_ sequence: UInt64, text: String = "LX-DESK is up") -> Event {
        Event(sequence: sequence, text: text)
    }
}

/// A request without parameters.
struct StatusSample: ControlRequest {
    static let method = ControlMethod("status", since: "1", does: "Tells the status.")
    typealias Answer = Samples.Status
}

/// A request with a parameter of every sort.
struct KeySample: ControlRequest {
    static let method = ControlMethod("key", since: "1", does: "Works a key.")
    typealias Answer = DoneDocument
    enum Action: String, ControlWord { case press, release }
    struct Place: Codable, Hashable, Sendable {
        var row: Int?
        var seatNumber: Int?
    }

    var action: Action
    var key: Int = 1
    var forS: Double?
    var isLoud: Bool?
    var targets: [String]?
    var place: Place?

    func check() throws(ControlFailure) {
        guard (1...8).contains(key) else { throw ControlFailure(.invalidParameters, "\"key\" must be from 1 to 8") }
    }
}

/// The request that subscribes to events.
struct EventsSample: ControlRequest {
    static let method = ControlMethod("events.subscribe", since: "1", does: "Subscribes.")
    typealias Answer = DoneDocument

    var kinds: [String]?
}

extension ControlCall {
    /// The answer of a node that knows the method `status` and subscriptions.
    var sampleReply: ControlReply {
        do throws(ControlFailure) {
            switch method {
            case StatusSample.method.name: return .document(Samples.status)
            case EventsSample.method.name:
                let kinds = try request(EventsSample.self).kinds
                return .subscribed(DoneDocument(), EventSubscription(kinds: kinds.map { Set($0) }))
            default: throw ControlFailure(.methodNotFound, "no such method")
            }
        } catch {
            return .failed(error)
        }
    }
}
