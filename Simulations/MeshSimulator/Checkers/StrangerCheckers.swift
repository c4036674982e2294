package import Primitives

/// For each datagram from an address that has not proved itself, a node sends at most one challenge there, with no more
/// bytes than that datagram had. For each peer whose datagrams come from there, it sends at most two challenges at
/// once, and then two a second. So no attacker can redirect or amplify traffic.
package struct StrangersAreNotServed: SafetyChecker {
    private static let window = Interval.seconds(1)
    /// A burst of two, and two more within the second.
    private static let datagramsOfPeerMax = 4
    /// Greatest age of a datagram that waits in the socket while the process is paused.
    private static let heldMax = Interval.seconds(60)

    private struct Node {
        var sentAt: [Instant] = []
        /// Datagrams from the stranger that no answer has spent yet.
        var unspent: [(at: Instant, byteCount: Int)] = []
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
            nodes[node].unspent.removeAll { $0.at < instant - Self.heldMax }
            nodes[node].unspent.append((instant, byteCount))
            nodes[node].broughtAt[peer] = instant
            return nil
        case .strangerServed(let node, let byteCount):
            guard spend(byteCount, of: node, at: instant) else {
                return "node \(node): \(byteCount) bytes to a stranger, for no datagram of as many bytes"
            }
            nodes[node].sentAt.removeAll { $0 < instant - Self.window }
            nodes[node].sentAt.append(instant)
            let peers = nodes[node].broughtAt.count { $0.map { instant - $0 <= Self.heldMax } ?? false }
            let count = nodes[node].sentAt.count
            guard Self.datagramsOfPeerMax * peers < count else { return nil }
            return "node \(node): \(count) datagrams to a stranger within \(Self.window), forwarder of \(peers) peers"
        default:
            return nil
        }
    }

    /// Removes the smallest datagram from `unspent` that has at least `byteCount` bytes, the size of an answer to the
    /// stranger, and is at most `heldMax` old. Returns false if there is none, so that the answer was not allowed.
    private mutating func spend(_ byteCount: Int, of node: Int, at instant: Instant) -> Bool {
        let paying = nodes[node].unspent.indices.filter {
            let datagram = nodes[node].unspent[$0]
            return byteCount <= datagram.byteCount && instant - datagram.at <= Self.heldMax
        }
        guard let index = paying.min(by: { nodes[node].unspent[$0].byteCount < nodes[node].unspent[$1].byteCount })
        else { return false }
        nodes[node].unspent.remove(at: index)
        return true
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
