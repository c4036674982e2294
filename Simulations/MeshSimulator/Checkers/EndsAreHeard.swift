package import Primitives

/// Promise V5: a listener to which a talker no longer speaks hears the end of the spurt, whether the talker falls
/// silent or goes on talking to others. Nothing counts as lost after the last word, and the listener does not wait for
/// more.
package struct EndsAreHeard: SafetyChecker {
    private struct Line {
        /// When the last word was said to the listener.
        var saidAt = Instant.zero
        /// The samples that the listener had counted as lost when all that was said to it had arrived; nil before.
        var lostSamples: UInt64?
    }

    private let nodeCount: Int
    /// By listener and talker.
    private var lines: [Line]
    /// By node: the channels to which it listens.
    private var channels: [[ChannelID]]
    /// The end leaves with the first frame that is not for the listener, 20 ms after the last word at most. It waits
    /// for a block of each card.
    private static let endMax = Interval.milliseconds(30)
    /// Longest time for which sound waits at the listener: the highest target of a jitter buffer, the delay above it
    /// that is not cut, and a frame.
    private static let waitMax = Interval.milliseconds(300)

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        lines = Array(repeating: Line(), count: nodeCount * nodeCount)
        channels = Array(repeating: [], count: nodeCount)
    }

    package var kinds: ObservationKinds { [.said, .received, .others] }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .tuned(let node, _, let channel): channels[node] = [channel]
        case .listens(let node, let channel, let isOn):
            channels[node].removeAll { $0 == channel }
            if isOn { channels[node].append(channel) }
        case .said(let stamp, let to):
            for listener in 0..<nodeCount where isAddressed(listener, by: to) {
                lines[listener * nodeCount + stamp.talker] = Line(saidAt: instant)
            }
        case .received(let observer, let talker, let lostSamples, let isTalking, let arrivalMax):
            let index = observer * nodeCount + talker
            guard let arrivalMax else {
                lines[index] = Line(saidAt: instant)
                return nil
            }
            let arrivedFor = instant - lines[index].saidAt - arrivalMax - Self.endMax
            guard .zero <= arrivedFor else { return nil }
            let before = lines[index].lostSamples ?? lostSamples
            lines[index].lostSamples = before
            if before < lostSamples {
                return "node \(observer) misses \(lostSamples - before) samples after the last word of \(talker)"
            }
            if isTalking, Self.waitMax < arrivedFor { return "node \(observer) waits for more of \(talker)" }
        default: break
        }
        return nil
    }

    private func isAddressed(_ listener: Int, by to: SpokenTo) -> Bool {
        to.isToAll || to.listeners.contains(listener) || channels[listener].contains { to.channels.contains($0) }
    }
}
