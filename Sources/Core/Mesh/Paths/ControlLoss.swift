package import Primitives

/// How many of a peer's control blocks are lost on the way here, and how long a silence may last
/// before it means something.
package struct ControlLoss: Hashable, Sendable {
    private var newest: HeardBlock?
    private var path: Int?
    /// Share of blocks lost, in millionths, over about `MeshLimits.controlLossMemory` blocks.
    private var lossPpm: Int64 = 0

    package init() {}

    /// Takes in one block; what its number skips was lost, unless the way changed between the two.
    ///
    /// Only as many as there was time for: who has stood still answers by several ways at once, and such answers skip
    /// numbers of one another's and overtake each other.
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
        // More in a row is an outage, which says nothing about the time after it.
        for _ in 0..<max(0, min(step - 1, intervals - 1, MeshLimits.controlLossRunMax)) {
            lossPpm += (1_000_000 - lossPpm) / MeshLimits.controlLossMemory
        }
        lossPpm -= lossPpm / MeshLimits.controlLossMemory
    }

    private static let intervalMin =
        MeshLimits.controlInterval * Int64(1_000 - MeshLimits.controlJitterPermilleMax) / 1_000

    package var permille: Int { Int(lossPpm / 1_000) }

    /// The more is lost, the more blocks in a row must be missing: 1 s up to a tenth, 4 s above three
    /// tenths (least n with p^n · (2p)^3 below 10^−4: n blocks and three round trips of probes lost).
    package var silenceMax: Interval {
        let over = max(0, permille - MeshLimits.controlLossPermilleEasy)
        let steps = (over + MeshLimits.controlLossPermilleStep - 1) / MeshLimits.controlLossPermilleStep
        return min(MeshLimits.silenceMax + MeshLimits.controlInterval * Int64(steps), MeshLimits.silenceLongest)
    }

    /// The next block begins a new run; what is known of the way stays.
    package mutating func restart() { newest = nil }
}
