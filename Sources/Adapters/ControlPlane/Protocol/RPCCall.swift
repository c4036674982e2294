/// One line from a client, after parsing: the request and its id.
///
/// Batches (JSON-RPC 2.0 section 6) are refused as an invalid request. A client may send one line for each request.
package struct RPCCall: Sendable {
    package enum Order: Hashable, Sendable {
        case ask(ControlRequest)
        /// The client gets a notification for every event from then on.
        case subscribe
    }

    /// Nil for a notification, which gets no reply.
    package var id: RPCIdentifier?
    package var order: Order

    /// The reason why a line is no call, and the id for the error reply.
    package struct Refusal: Error, Hashable, Sendable {
        package var id: RPCIdentifier
        package var failure: ControlFailure
    }

    /// Parses a line without its line feed.
    ///
    /// - Throws: a `Refusal` with `parseError`, `invalidRequest`, `methodNotFound` or `invalidParameters`.
    package init(line: [UInt8]) throws(Refusal) {
        let envelope: Envelope
        do {
            envelope = try DocumentJSON.document(Envelope.self, in: line)
        } catch {
            let failure =
                RPCCall.isJSON(line)
                ? ControlFailure(.invalidRequest, "not a JSON-RPC 2.0 request object")
                : ControlFailure(.parseError, "not JSON")
            throw Refusal(id: .null, failure: failure)
        }
        guard envelope.jsonrpc == "2.0" else {
            let failure = ControlFailure(.invalidRequest, "\"jsonrpc\" must be \"2.0\"")
            throw Refusal(id: envelope.id ?? .null, failure: failure)
        }
        id = envelope.id
        do {
            order = try envelope.order()
        } catch {
            throw Refusal(id: envelope.id ?? .null, failure: error)
        }
    }

    /// Returns the line of a request, with its line feed.
    package static func line(_ order: Order, id: Int64) -> [UInt8] {
        let envelope = Envelope(order, id: .number(id))
        return ControlCodec.line(envelope)
    }

    private static func isJSON(_ line: [UInt8]) -> Bool {
        (try? DocumentJSON.document(Anything.self, in: line)) != nil
    }

    private struct Anything: Decodable {
        init(from decoder: any Decoder) throws {}
    }
}

/// The request object of a line.
private struct Envelope: Codable {
    var jsonrpc: String
    var id: RPCIdentifier?
    var method: String
    var params: Parameters?

    /// The parameters of all methods. Their keys follow from their names (`DocumentJSON`).
    struct Parameters: Codable {
        var peer: String?
        var action: String?
        var forS: Double?
        var muted: Bool?
        var gainDb: Double?
        var blocked: Bool?
        var pan: Int?
        var priority: Bool?
        var dimDb: Double?
        var directory: String?
        var tracks: Bool?
        var seconds: Int?
    }

    private enum CodingKeys: String, CodingKey { case jsonrpc, id, method, params }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        jsonrpc = try container.decode(String.self, forKey: .jsonrpc)
        // `"id": null` is a request with the id null. A line without `id` is a notification.
        id = container.contains(.id) ? try container.decode(RPCIdentifier.self, forKey: .id) : nil
        method = try container.decode(String.self, forKey: .method)
        params = try container.decodeIfPresent(Parameters.self, forKey: .params)
    }

    init(_ order: RPCCall.Order, id: RPCIdentifier) {
        jsonrpc = "2.0"
        self.id = id
        switch order {
        case .subscribe: (method, params) = ("events.subscribe", Parameters())
        case .ask(let request): (method, params) = Envelope.words(for: request)
        }
    }

    /// The method of a request, and its parameters.
    private static func words(for request: ControlRequest) -> (String, Parameters) {
        switch request {
        case .status: ("status", Parameters())
        case .identity: ("id", Parameters())
        case .devices: ("devices", Parameters())
        case .stop: ("stop", Parameters())
        case .talk(let talk): ("talk", Parameters(action: talk.word, forS: talk.seconds))
        case .mute(let peer, let isMuted): ("mute", Parameters(peer: peer, muted: isMuted))
        case .volume(let peer, let decibels): ("volume", Parameters(peer: peer, gainDb: decibels))
        case .pan(let peer, let pan): ("pan", Parameters(peer: peer, pan: pan))
        case .priority(let peer, let hasPriority): ("priority", Parameters(peer: peer, priority: hasPriority))
        case .dim(let decibels): ("dim", Parameters(dimDb: decibels))
        case .block(let peer): ("peers.block", Parameters(peer: peer))
        case .unblock(let peer): ("peers.unblock", Parameters(peer: peer))
        case .ping(let peer): ("ping", Parameters(peer: peer))
        case .latency(let peer): ("latency", Parameters(peer: peer))
        case .record(.start(let directory, let hasTracks)):
            ("record", Parameters(action: "start", directory: directory, tracks: hasTracks))
        case .record(let order): ("record", Parameters(action: order.word))
        case .replay(let seconds, let directory):
            ("replay", Parameters(directory: directory, seconds: seconds))
        case .cut(let peer, let isCut): ("debug.block", Parameters(peer: peer, blocked: isCut))
        }
    }

    /// - Throws: `methodNotFound`, or `invalidParameters` with a sentence that names the parameter.
    func order() throws(ControlFailure) -> RPCCall.Order {
        switch method {
        case "events.subscribe": .subscribe
        case "status": .ask(.status)
        case "id": .ask(.identity)
        case "devices": .ask(.devices)
        case "stop": .ask(.stop)
        case "leave": throw ControlFailure(.methodNotFound, "no method \"leave\"; it is \"stop\"")
        case "talk": .ask(.talk(try talkOrder()))
        case "mute": .ask(.mute(peer: try peer(), isMuted: params?.muted ?? true))
        case "volume": .ask(.volume(peer: try peer(), decibels: try gain()))
        case "pan": .ask(.pan(peer: try peer(), pan: try pan()))
        case "priority": .ask(.priority(peer: try peer(), hasPriority: params?.priority ?? true))
        case "dim": .ask(.dim(decibels: try dim()))
        case "peers.block": .ask(.block(peer: try peer()))
        case "peers.unblock": .ask(.unblock(peer: try peer()))
        case "ping": .ask(.ping(peer: try peer()))
        case "latency": .ask(.latency(peer: try peer()))
        case "record": .ask(.record(try recordOrder()))
        case "replay": .ask(.replay(seconds: try replaySeconds(), directory: try directory()))
        case "debug.block": .ask(.cut(peer: try peer(), isCut: params?.blocked ?? true))
        default: throw ControlFailure(.methodNotFound, "no such method")
        }
    }

    // Each function below checks one parameter, and throws `invalidParameters` with a sentence for the person.

    private func peer() throws(ControlFailure) -> String {
        guard let peer = params?.peer, !peer.isEmpty else {
            throw ControlFailure(.invalidParameters, "\"peer\" must be a name or an id")
        }
        return peer
    }

    private func gain() throws(ControlFailure) -> Double {
        let range = ControlLimits.gainDecibelsRange
        guard let gain = params?.gainDb, range.contains(gain) else {
            let bounds = "\(Int(range.lowerBound)) to \(Int(range.upperBound))"
            throw ControlFailure(.invalidParameters, "\"gain_db\" must be a number from \(bounds)")
        }
        return gain
    }

    /// Nil, for the automatic pan, if none is given.
    private func pan() throws(ControlFailure) -> Int? {
        guard let pan = params?.pan else { return nil }
        guard ControlLimits.panRange.contains(pan) else {
            throw ControlFailure(.invalidParameters, "\"pan\" must be a whole number from -100 to 100")
        }
        return pan
    }

    private func dim() throws(ControlFailure) -> Double {
        let range = ControlLimits.dimDecibelsRange
        guard let dim = params?.dimDb, range.contains(dim) else {
            throw ControlFailure(
                .invalidParameters, "\"dim_db\" must be a number from 0 to \(Int(range.upperBound))")
        }
        return dim
    }

    private func directory() throws(ControlFailure) -> String {
        guard let directory = params?.directory, directory.hasPrefix("/"), !directory.utf8.contains(0) else {
            throw ControlFailure(.invalidParameters, "\"directory\" must be an absolute path")
        }
        return directory
    }

    private func replaySeconds() throws(ControlFailure) -> Int {
        guard let seconds = params?.seconds, (1...ControlLimits.replaySecondsMax).contains(seconds) else {
            throw ControlFailure(
                .invalidParameters, "\"seconds\" must be a whole number from 1 to \(ControlLimits.replaySecondsMax)")
        }
        return seconds
    }

    private func recordOrder() throws(ControlFailure) -> RecordOrder {
        switch params?.action {
        case "start": return .start(directory: try directory(), hasTracks: params?.tracks ?? false)
        case "stop": return .stop
        case "status": return .status
        default: throw ControlFailure(.invalidParameters, "\"action\" must be start, stop or status")
        }
    }

    private func talkOrder() throws(ControlFailure) -> TalkOrder {
        switch params?.action {
        case "on": return .on
        case "off": return .off
        case "toggle": return .toggle
        case "hold": return .hold(seconds: try seconds(params?.forS))
        case "press": return .press
        case "release": return .release
        case "tap": return .tap
        case "cough":
            guard let length = params?.forS else { return .cough(seconds: nil) }
            return .cough(seconds: try seconds(length))
        case "uncough": return .uncough
        default:
            let words = "on, off, toggle, hold, press, release, tap, cough or uncough"
            throw ControlFailure(.invalidParameters, "\"action\" must be \(words)")
        }
    }

    private func seconds(_ length: Double?) throws(ControlFailure) -> Double {
        guard let length, 0 < length, length <= ControlLimits.holdSecondsMax else {
            let bound = Int(ControlLimits.holdSecondsMax)
            throw ControlFailure(.invalidParameters, "\"for_s\" must be above 0 and at most \(bound)")
        }
        return length
    }
}

extension RecordOrder {
    fileprivate var word: String {
        switch self {
        case .start: "start"
        case .stop: "stop"
        case .status: "status"
        }
    }
}

extension TalkOrder {
    fileprivate var word: String {
        switch self {
        case .on: "on"
        case .off: "off"
        case .toggle: "toggle"
        case .hold: "hold"
        case .press: "press"
        case .release: "release"
        case .tap: "tap"
        case .cough: "cough"
        case .uncough: "uncough"
        }
    }

    /// The time for which the order holds; nil if it has none.
    fileprivate var seconds: Double? {
        switch self {
        case .hold(let seconds): seconds
        case .cough(let seconds): seconds
        case .on, .off, .toggle, .press, .release, .tap, .uncough: nil
        }
    }
}
