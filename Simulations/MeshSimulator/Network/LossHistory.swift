import Mesh
import Primitives

/// The real recent loss in one direction between two hosts. A node accepts a longer silence on a route that loses much.
/// The check of promise L5 computes from this loss how much longer, and need not rely on the loss that the node
/// reports.
struct LossHistory {
    private var sent: Int64 = 0
    private var lost: Int64 = 0
    private var lostInRow: Int64 = 0
    private var halvesAt = Instant.zero
    /// Share lost, in parts per million, as a node computes it: a mean over about `MeshLimits.controlLossMemory`
    /// datagrams, however old they are. A node sends few datagrams, so old losses may still count.
    private var lossPpm: Int64 = 0
    /// When the last datagram was lost, or damaged so that nobody can open it; nil if none was.
    private(set) var lastLostAt: Instant?

    @inline(__always)
    mutating func note(isLost: Bool, isDamaged: Bool, now: Instant) {
        if halvesAt <= now { halve(now: now) }
        if isLost || isDamaged { lastLostAt = now }
        sent += 1
        guard isLost else {
            lostInRow = 0
            lossPpm -= lossPpm / MeshLimits.controlLossMemory
            return
        }
        // Further losses in a row belong to an outage, which says nothing about the time after it.
        if lostInRow < MeshLimits.controlLossRunMax {
            lost += 1
            lossPpm += (1_000_000 - lossPpm) / MeshLimits.controlLossMemory
        }
        lostInRow += 1
    }

    /// Extra time for which a silence on this route may last before the node verifies the link: what a node adds for
    /// twice this loss. The factor is a margin, because a node counts the loss of control blocks only, and not of all
    /// datagrams.
    var patience: Interval {
        let lossPermille = 2 * max(lost * 1_000 / max(sent, SimLimits.lossSampleMin), lossPpm / 1_000)
        let over = lossPermille - Int64(MeshLimits.controlLossPermilleEasy)
        guard 0 < over else { return .zero }
        let step = Int64(MeshLimits.controlLossPermilleStep)
        let longer = MeshLimits.controlInterval * ((over + step - 1) / step)
        return min(longer, MeshLimits.silenceLongest - MeshLimits.silenceMax)
    }

    private mutating func halve(now: Instant) {
        halvesAt = now + SimLimits.lossMemory
        sent /= 2
        lost /= 2
    }
}
