package import Primitives

/// What a listener plays in a peer's slot is that peer's voice. While the peer keeps the slot, each of its frames
/// sounds at most once, and in the order in which it was spoken, whatever the network has lost, duplicated, delayed or
/// brought over another path.
package struct FramesSoundInOrder: SafetyChecker {
    private let nodeCount: Int
    /// By listener and talker: what sounded last.
    private var last: [VoiceStamp?]

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        last = Array(repeating: nil, count: nodeCount * nodeCount)
    }

    package var kinds: ObservationKinds { [.sounded, .others] }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .started(let node, _):
            for peer in 0..<nodeCount { last[node * nodeCount + peer] = nil }
            return nil
        case .peerUp(let observer, let peer, _, _):
            // The peer has a new slot, in which the listener remembers nothing of the earlier sound. A frame that has
            // sounded may arrive again over the new link.
            last[observer * nodeCount + peer] = nil
            return nil
        case .sounded(let observer, let holder, let stamp, _):
            guard let stamp else { return "node \(observer): damaged sound of \(holder ?? -1)" }
            guard holder == stamp.talker else {
                return "node \(observer): \(stamp.talker) sounds in the slot of \(holder ?? -1)"
            }
            let index = observer * nodeCount + stamp.talker
            defer { last[index] = stamp }
            guard let before = last[index] else { return nil }
            guard (before.life, before.sequence) < (stamp.life, stamp.sequence) else {
                return "node \(observer): frame \(stamp.life).\(stamp.sequence) of \(stamp.talker) sounds after "
                    + "\(before.life).\(before.sequence)"
            }
            return nil
        default:
            return nil
        }
    }
}
