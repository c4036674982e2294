package import Primitives

/// The people of a run who take part in channels with a code: they join by the right code or a wrong one, and part.
/// Their acts are drawn from a stream of their own.
package final class CodedChannelPeople: ActingPeople {
    struct Act {
        var node: Int
        var channel: ChannelID
        /// The code by which the node joins; nil if it parts.
        var code: UInt8?
        var digest: UInt64
    }

    package static let channels = [SpeechRule.codedChannel(101), SpeechRule.codedChannel(102)]
    private static let every = Interval.seconds(2)
    private var random: SeededRandom
    /// After this instant nobody acts.
    var end = Instant.zero

    init(random: SeededRandom) { self.random = random }

    func drawWait() -> Interval { Exponential.interval(mean: Self.every, using: &random) }

    /// - Parameter nodes: the nodes that run.
    func drawAct(nodes: [Int]) -> Act? {
        let (kind, digest) = (random.below(10), random.next())
        let channel = Self.channels[Int(random.below(UInt64(Self.channels.count)))]
        guard !nodes.isEmpty else { return nil }
        let code: UInt8? =
            switch kind {
            case 0..<6: 1
            case 6..<8: 2
            default: nil
            }
        return Act(node: nodes[Int(digest % UInt64(nodes.count))], channel: channel, code: code, digest: digest)
    }
}
