package import Primitives

/// The share of a peer's control blocks that are lost on the way to this node, and the silence that is allowed before
/// the link is verified.
package struct ControlLoss: Hashable, Sendable {
    private var newest: HeardBlock?
    private var path: Int?
    /// Share of lost blocks in millionths, averaged over about `MeshLimits.controlLossMemory` blocks.
    private var lossPpm: Int64 = 0

    package init() {}

    /// Counts a block that came, and the blocks that its number skips as lost. After a change of path nothing counts
    /// as lost.
    ///
    /// At most as many blocks count as lost as there was time for. A peer that stood still answers over several paths
    /// at once, so the numbers on one path have gaps, and blocks overtake each other.
    package mutating func note(_ sequence: UInt32, path: Int, now: Instant) {
        if self.path != path { newest = nil }
        self.path = path
        let block = HeardBlock(sequence: sequence, at: now)
        guard let newest else { return self.newest = block }
        let step = Int64(Int32(bitPattern: sequence &- newest.sequence))
        guard 0 < step else { return }
        self.newest = block
        let halves = (now - newest.at).nanoseconds / (ControlLoss.intervalMin / 2).nanoseconds
        let intervals = (halves + 1) / 2
        // A longer run is an outage, which says nothing about the time after it.
        for _ in 0..<max(0, min(step - 1, intervals - 1, MeshLimits.controlLossRunMax)) {
            lossPpm += (1_000_000 - lossPpm) / MeshLimits.controlLossMemory
        }
        lossPpm -= lossPpm / MeshLimits.controlLossMemory
    }

    private static let intervalMin =
        MeshLimits.controlInterval * Int64(1_000 - MeshLimits.controlJitterPermilleMax) / 1_000

    package var permille: Int { Int(lossPpm / 1_000) }

    /// The silence after which the link is verified. The more blocks are lost, the more must be missing in a row: 1 s
    /// up to a tenth, 4 s above three tenths (least n with p^n · (2p)^3 below 10^−4: n blocks and three round trips
    /// of probes lost).
    package var silenceMax: Interval {
        let over = max(0, permille - MeshLimits.controlLossPermilleEasy)
        let steps = (over + MeshLimits.controlLossPermilleStep - 1) / MeshLimits.controlLossPermilleStep
        return min(MeshLimits.silenceMax + MeshLimits.controlInterval * Int64(steps), MeshLimits.silenceLongest)
    }

    /// Begins a new sequence with the next block; the averaged loss stays.
    package mutating func restart() { newest = nil }
}
