package import Primitives

/// An address that has not proved itself gets one challenge for a datagram, at most two a second for each peer whose
/// datagrams come from there, and never more bytes than it sent. So no attacker can redirect or amplify traffic.
package struct StrangersAreNotServed: SafetyChecker {
    private static let window = Interval.seconds(1)
    /// A burst of two, and two more within the second.
    private static let datagramsOfPeerMax = 4
    /// Greatest age of a datagram that waits in the socket while the process is paused.
    private static let heldMax = Interval.seconds(60)

    private struct Node {
        var sentAt: [Instant] = []
        /// Bytes received from the stranger minus bytes sent to it.
        var balance = 0
        /// By peer: when the stranger last brought a datagram of that peer.
        var broughtAt: [Instant?]
    }

    private var nodes: [Node]

    package init(nodeCount: Int) {
        nodes = Array(repeating: Node(broughtAt: Array(repeating: nil, count: nodeCount)), count: nodeCount)
    }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .strangerHeard(let node, let peer, let byteCount):
            nodes[node].balance += byteCount
            nodes[node].broughtAt[peer] = instant
            return nil
        case .strangerServed(let node, let byteCount):
            nodes[node].balance -= byteCount
            nodes[node].sentAt.removeAll { $0 < instant - Self.window }
            nodes[node].sentAt.append(instant)
            if nodes[node].balance < 0 { return "node \(node): more bytes to a stranger than came from it" }
            let peers = nodes[node].broughtAt.count { $0.map { instant - $0 <= Self.heldMax } ?? false }
            let count = nodes[node].sentAt.count
            guard Self.datagramsOfPeerMax * peers < count else { return nil }
            return "node \(node): \(count) datagrams to a stranger within \(Self.window), forwarder of \(peers) peers"
        default:
            return nil
        }
    }
}

/// No node hears voice that was sealed long ago: a generation of keys is used for three minutes at most, whatever
/// happens to its link.
package struct VoiceIsFresh: SafetyChecker {
    package init() {}

    package var kinds: ObservationKinds { .voice }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        guard case .voice(let observer, _, let stamp?) = observation,
            SimLimits.voiceAgeInAllMax < instant - stamp.spokenAt
        else { return nil }
        return "node \(observer): voice of \(stamp.talker) heard \(instant - stamp.spokenAt) after it was spoken"
    }
}
