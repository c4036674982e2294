import Mesh
import Primitives

/// When a process was given datagrams, whoever sent them: tells whether it heard nobody for a while.
struct SimEars {
    private var heardAt = Instant.zero
    /// When the last spell of hearing nobody ended.
    private var deafUntil = Instant.zero

    mutating func hear(at instant: Instant) {
        if heardAt + MeshLimits.deafMin <= instant { deafUntil = instant }
        heardAt = instant
    }

    /// Whether a spell of hearing nobody reaches into the time between.
    func wereDeaf(since start: Instant, until end: Instant) -> Bool {
        start <= deafUntil || heardAt + MeshLimits.deafMin <= end
    }
}
