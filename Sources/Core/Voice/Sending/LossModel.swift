/// A model of packet loss on the path to one listener: the share that is lost, and the chance that another loss
/// follows.
///
/// A chain of two states, of which the bad one loses everything (Gilbert, "Capacity of a burst-noise channel", 1960).
/// Of all packets `share` is lost. Of the packets that come `d` packets after a lost one, this share is lost:
/// `share + (1 - share) · persistence^d`. Single losses have persistence 0.
package struct LossModel: Equatable, Sendable {
    /// 0 … 1.
    package let share: Float
    /// 0 … 1.
    let persistence: Float

    /// - Parameter meanRun: mean number of packets lost in a row; 1 / (1 - share) or less stands for single losses.
    package init(share: Float, meanRun: Float) {
        self.share = min(max(0, share), Self.shareMax)
        let leaving = 1 / max(1, meanRun)
        let entering = leaving * self.share / (1 - self.share)
        persistence = max(0, 1 - leaving - entering)
    }

    /// Returns, for each number n from 0 to `distance`, the probability that the n-th packet after a lost one is lost
    /// too. For 0 this is the lost packet itself.
    package func repeats(upTo distance: Int) -> [Float] {
        var memory: Float = 1
        return (0...distance).map { _ in
            defer { memory *= persistence }
            return share + (1 - share) * memory
        }
    }

    /// A greater share of lost packets counts as this one: no conversation is possible with it.
    private static let shareMax: Float = 0.9
}
