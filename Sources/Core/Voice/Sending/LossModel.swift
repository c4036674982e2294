/// How packets get lost on the way to one listener: how many, and how much one loss brings the next.
///
/// A chain of two states, of which the bad one loses everything (Gilbert, "Capacity of a burst-noise
/// channel", 1960). Of all packets `share` is lost; of those that lie `d` behind a lost one,
/// `share + (1 - share) · persistence^d`. Single losses have no persistence.
package struct LossModel: Equatable, Sendable {
    /// 0 … 1.
    package let share: Float
    /// 0 … 1.
    let persistence: Float

    /// - Parameter meanRun: packets lost in a row; what single losses would have anyway counts as 1.
    package init(share: Float, meanRun: Float) {
        self.share = min(max(0, share), Self.shareMax)
        let leaving = 1 / max(1, meanRun)
        let entering = leaving * self.share / (1 - self.share)
        persistence = max(0, 1 - leaving - entering)
    }

    /// The chance that a packet is lost too which follows a lost one so many packets later; by
    /// distance, from 0, which is the lost one itself.
    package func repeats(upTo distance: Int) -> [Float] {
        var memory: Float = 1
        return (0...distance).map { _ in
            defer { memory *= persistence }
            return share + (1 - share) * memory
        }
    }

    /// Beyond it there is no conversation to improve.
    private static let shareMax: Float = 0.9
}
