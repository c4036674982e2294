package import Primitives

/// What sounds in a peer's slot is that peer's, each frame once and in the order in which it was spoken, whatever the
/// network has lost, duplicated, delayed or brought over another path.
package struct FramesSoundInOrder: SafetyChecker {
    private let nodeCount: Int
    /// By listener and talker: what sounded last.
    private var last: [VoiceStamp?]

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        last = Array(repeating: nil, count: nodeCount * nodeCount)
    }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .started(let node, _):
            for peer in 0..<nodeCount { last[node * nodeCount + peer] = nil }
            return nil
        case .peerUp(let observer, let peer, _, _):
            // After a change of slot, nothing of the earlier sound is remembered. A frame that has sounded may arrive
            // again over the new link.
            last[observer * nodeCount + peer] = nil
            return nil
        case .sounded(let observer, let holder, let stamp):
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

/// No node hears a frame that was spoken on a channel to which it does not listen, nor one that was spoken before it
/// joined the channel.
package struct VoiceStaysInItsChannel: SafetyChecker {
    /// A channel that a life of a node has joined besides its own.
    private struct Joined {
        var since: Instant
        /// When the node parted it; nil while it listens.
        var partedAt: Instant?
        /// Whether the node had joined and parted it before: frames that are labelled by the earlier list may then
        /// still be under way.
        var isAgain: Bool
    }

    /// By node: the channel of each of its lives.
    private var channels: [[UInt32: ChannelID]]
    private var lives: [UInt32]
    /// By node, for its present life.
    private var joined: [[ChannelID: Joined]]
    /// Time after a part in which a block may sound that was rendered before.
    private static let allowed = Interval.milliseconds(10)

    package init(nodeCount: Int) {
        channels = Array(repeating: [:], count: nodeCount)
        lives = Array(repeating: 0, count: nodeCount)
        joined = Array(repeating: [:], count: nodeCount)
    }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .tuned(let node, let life, let channel):
            channels[node][life] = channel
            lives[node] = life
            joined[node] = [:]
            return nil
        case .listens(let node, let channel, let isOn):
            let former = joined[node][channel]
            joined[node][channel] =
                isOn
                ? Joined(since: instant, partedAt: nil, isAgain: former != nil)
                : former.map { Joined(since: $0.since, partedAt: instant, isAgain: $0.isAgain) }
            return nil
        case .sounded(let observer, _, let stamp?):
            return trouble(with: stamp, at: observer, now: instant)
        default:
            return nil
        }
    }

    private func trouble(with stamp: VoiceStamp, at observer: Int, now: Instant) -> String? {
        let spokenOn = channels[stamp.talker][stamp.life]
        let heardOn = channels[observer][lives[observer]]
        guard spokenOn != heardOn else { return nil }
        guard let spokenOn, let listening = joined[observer][spokenOn] else {
            return "node \(observer) hears \(stamp.talker), which talks on another channel"
        }
        if let partedAt = listening.partedAt, partedAt + Self.allowed < now {
            return "node \(observer) hears \(stamp.talker) on a channel that it has parted"
        }
        guard listening.isAgain || listening.since <= stamp.spokenAt else {
            return "node \(observer) hears what \(stamp.talker) said before it joined"
        }
        return nil
    }
}
