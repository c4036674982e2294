/// Documents for the socket, which does not look into them.
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
