package import Primitives

/// How many of a peer's control blocks are lost on the way here, and how long a silence may last
/// before it means something.
package struct ControlLoss: Hashable, Sendable {
    private var newest: UInt32?
    private var path: Int?
    /// Share of blocks lost, in millionths, over about `MeshLimits.controlLossMemory` blocks.
    private var lossPpm: Int64 = 0

    package init() {}

    /// Takes in one block; what its number skips was lost, unless the way changed between the two.
    package mutating func note(_ sequence: UInt32, path: Int) {
        if self.path != path { newest = nil }
        self.path = path
        defer { newest = newest.map { 0 < Int32(bitPattern: sequence &- $0) ? sequence : $0 } ?? sequence }
        guard let newest else { return }
        let step = Int32(bitPattern: sequence &- newest)
        // Overtaken blocks were counted as lost; they are few.
        guard 0 < step else { return }
        // More in a row is an outage, which says nothing about the time after it.
        for _ in 0..<min(Int64(step) - 1, MeshLimits.controlLossRunMax) {
            lossPpm += (1_000_000 - lossPpm) / MeshLimits.controlLossMemory
        }
        lossPpm -= lossPpm / MeshLimits.controlLossMemory
    }

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
