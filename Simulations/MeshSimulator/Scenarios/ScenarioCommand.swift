package import Primitives

/// One command of a scenario. Nodes are given by name.
package enum ScenarioCommand: Hashable, Sendable {
    /// The nodes of the scenario. This command comes before all commands that need a world.
    case nodes([String])
    /// `beacon`, `directory`, both, or neither.
    case discovery(hasBeacon: Bool, hasDirectory: Bool)
    /// Puts hosts on a link of their own. Nothing is routed between sites.
    case site(Int, [String])
    case staticPeer(of: String, String)
    case network(lossPermille: UInt64, delay: Interval)
    case start([String])
    case kill([String])
    case vanish([String])
    case leave([String])
    case restart([String])
    case pause(String, for: Interval)
    case suspend(String, for: Interval)
    case offline([String])
    case online([String])
    case move(String)
    case cut(from: String, to: String)
    case cutBoth(String, String)
    case mend(from: String, to: String)
    case partition([String])
    case heal
    case blockDatagrams(String, String)
    case deafen(String, for: String)
    case hear(String, for: String)
    case replay(of: String, to: String)
    case talk(String)
    case advance(Interval)
    case expectClique([String], within: Interval)
    case expectUp(String, String, within: Interval)
    case expectDown(String, String, within: Interval)
    case expectAlone(String)
    case expectPath(String, String, String)
    /// The carrier of the first node to the second goes through the third.
    case expectTunnel(String, String, via: String)
    case expectQuiet(Interval)
    /// The longest gap in a talker's voice at a listener, since the last such command or the first packet, is at most
    /// `within`.
    case expectGap(listener: String, talker: String, within: Interval)
    case expectGhosts(atLeast: UInt64)
    case expectConsistent
    case status(String)
}

extension ScenarioCommand {
    /// Every command as `meshsim scenarios --help` shows it.
    package static let grammar = [
        "nodes NAME…", "discovery [beacon] [directory] | none", "site N NAME…", "static-peer NODE PEER",
        "network loss PERMILLE delay MS", "start|kill|vanish|leave|restart|offline|online NAME…",
        "pause|suspend NAME TIME", "move NAME", "cut A -> B", "cut A B", "mend A -> B", "partition NAME…", "heal",
        "block-datagrams A B", "deafen LISTENER SUBJECT", "hear LISTENER SUBJECT", "replay OF TO", "talk NAME",
        "advance TIME", "expect clique NAME… within TIME",
        "expect up|down A B within TIME", "expect alone NAME", "expect path A B direct|relay|carrier",
        "expect tunnel A B via NAME", "expect quiet TIME", "expect gap LISTENER TALKER within TIME",
        "expect ghosts N", "expect consistent", "status NAME",
    ]

    /// The longest time that the command lets pass, or the time until it makes something happen; zero for a command
    /// that does neither.
    package var length: Interval {
        switch self {
        case .advance(let length), .pause(_, let length), .suspend(_, let length), .network(_, let length),
            .expectQuiet(let length), .expectClique(_, let length), .expectUp(_, _, let length),
            .expectDown(_, _, let length):
            length
        default: .zero
        }
    }

    /// Parses a command; nil if the text is none.
    package init?(_ text: String) {
        let words = text.split(separator: " ").map(String.init)
        guard let verb = words.first else { return nil }
        let rest = Array(words.dropFirst())
        guard let command = Self.plain(verb, rest) ?? Self.pair(verb, rest) ?? Self.expectation(verb, rest)
        else { return nil }
        self = command
    }

    private static func plain(_ verb: String, _ rest: [String]) -> ScenarioCommand? {
        switch (verb, rest.count) {
        case ("heal", 0): return .heal
        case ("move", 1): return .move(rest[0])
        case ("talk", 1): return .talk(rest[0])
        case ("status", 1): return .status(rest[0])
        case ("advance", 1): return TimeText.interval(rest[0]).map { .advance($0) }
        case ("pause", 2): return TimeText.interval(rest[1]).map { .pause(rest[0], for: $0) }
        case ("suspend", 2): return TimeText.interval(rest[1]).map { .suspend(rest[0], for: $0) }
        case ("discovery", 1...2):
            return .discovery(hasBeacon: rest.contains("beacon"), hasDirectory: rest.contains("directory"))
        case ("network", 4) where rest[0] == "loss" && rest[2] == "delay":
            guard let loss = UInt64(rest[1]), let delay = TimeText.interval(rest[3] + "ms") else { return nil }
            return .network(lossPermille: loss, delay: delay)
        case ("site", 2...): return Int(rest[0]).map { .site($0, Array(rest.dropFirst())) }
        case ("nodes", 1...): return .nodes(rest)
        case ("start", 1...): return .start(rest)
        case ("kill", 1...): return .kill(rest)
        case ("vanish", 1...): return .vanish(rest)
        case ("leave", 1...): return .leave(rest)
        case ("restart", 1...): return .restart(rest)
        case ("offline", 1...): return .offline(rest)
        case ("online", 1...): return .online(rest)
        case ("partition", 1...): return .partition(rest)
        default: return nil
        }
    }

    private static func pair(_ verb: String, _ rest: [String]) -> ScenarioCommand? {
        switch (verb, rest.count) {
        case ("cut", 3) where rest[1] == "->": return .cut(from: rest[0], to: rest[2])
        case ("mend", 3) where rest[1] == "->": return .mend(from: rest[0], to: rest[2])
        case ("cut", 2): return .cutBoth(rest[0], rest[1])
        case ("static-peer", 2): return .staticPeer(of: rest[0], rest[1])
        case ("block-datagrams", 2): return .blockDatagrams(rest[0], rest[1])
        case ("deafen", 2): return .deafen(rest[0], for: rest[1])
        case ("hear", 2): return .hear(rest[0], for: rest[1])
        case ("replay", 2): return .replay(of: rest[0], to: rest[1])
        default: return nil
        }
    }

    private static func expectation(_ verb: String, _ words: [String]) -> ScenarioCommand? {
        guard verb == "expect", let what = words.first else { return nil }
        var rest = Array(words.dropFirst())
        var within = Interval.zero
        if 2 <= rest.count, rest[rest.count - 2] == "within" {
            guard let limit = TimeText.interval(rest[rest.count - 1]) else { return nil }
            within = limit
            rest.removeLast(2)
        }
        switch (what, rest.count) {
        case ("clique", 2...): return .expectClique(rest, within: within)
        case ("up", 2): return .expectUp(rest[0], rest[1], within: within)
        case ("down", 2): return .expectDown(rest[0], rest[1], within: within)
        case ("gap", 2): return .expectGap(listener: rest[0], talker: rest[1], within: within)
        case ("alone", 1): return .expectAlone(rest[0])
        case ("path", 3): return .expectPath(rest[0], rest[1], rest[2])
        case ("tunnel", 4) where rest[2] == "via": return .expectTunnel(rest[0], rest[1], via: rest[3])
        case ("quiet", 1): return TimeText.interval(rest[0]).map { .expectQuiet($0) }
        case ("ghosts", 1): return UInt64(rest[0]).map { .expectGhosts(atLeast: $0) }
        case ("consistent", 0): return .expectConsistent
        default: return nil
        }
    }
}
