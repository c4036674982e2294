package import Primitives

/// An address that has not proved itself gets one challenge for a datagram, at most two a second and
/// never more bytes than came from there: nobody is redirected and nothing is amplified.
package struct StrangersAreNotServed: SafetyChecker {
    private static let window = Interval.seconds(1)
    /// A burst of two and two a second.
    private static let datagramsMax = 4

    private var sentAt: [[Instant]]
    /// Bytes that came less bytes that went.
    private var balance: [Int]

    package init(nodeCount: Int) {
        sentAt = Array(repeating: [], count: nodeCount)
        balance = Array(repeating: 0, count: nodeCount)
    }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .strangerHeard(let node, let byteCount):
            balance[node] += byteCount
            return nil
        case .strangerServed(let node, let byteCount):
            balance[node] -= byteCount
            sentAt[node].removeAll { $0 < instant - Self.window }
            sentAt[node].append(instant)
            if balance[node] < 0 { return "node \(node): more bytes to a stranger than came from it" }
            guard Self.datagramsMax < sentAt[node].count else { return nil }
            return "node \(node): \(sentAt[node].count) datagrams to a stranger within \(Self.window)"
        default:
            return nil
        }
    }
}

/// What was sealed long ago is heard no more: a generation of keys ends after three minutes, whatever
/// happens to its link.
package struct VoiceIsFresh: SafetyChecker {
    package init() {}

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        guard case .voice(let observer, _, let stamp?) = observation,
            SimLimits.voiceAgeInAllMax < instant - stamp.spokenAt
        else { return nil }
        return "node \(observer): voice of \(stamp.talker) heard \(instant - stamp.spokenAt) after it was spoken"
    }
}
