import Mesh
import Primitives

/// What one way has really lost of late. A node listens longer where much is lost; the world has to know how much,
/// lest it take a node's word for it.
struct LossHistory {
    private var sent: Int64 = 0
    private var lost: Int64 = 0
    private var lostInRow: Int64 = 0
    private var halvesAt = Instant.zero
    /// Share lost, in millionths, as a node reckons it: over so many of what comes, however long ago that was. Between
    /// outages little comes.
    private var lossPpm: Int64 = 0

    @inline(__always)
    mutating func note(isLost: Bool, now: Instant) {
        if halvesAt <= now { halve(now: now) }
        sent += 1
        guard isLost else {
            lostInRow = 0
            lossPpm -= lossPpm / MeshLimits.controlLossMemory
            return
        }
        // What an outage takes beyond that says nothing about the time after it.
        if lostInRow < MeshLimits.controlLossRunMax {
            lost += 1
            lossPpm += (1_000_000 - lossPpm) / MeshLimits.controlLossMemory
        }
        lostInRow += 1
    }

    /// By how much longer than usual a node may listen before a silence on this way means something to it: what twice
    /// the loss would be answered with, as it counts control blocks only, and not all that the way carries.
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
