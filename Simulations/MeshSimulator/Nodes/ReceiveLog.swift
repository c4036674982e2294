import Mesh
import Primitives

/// When a process was given datagrams that it can open: tells whether it heard nobody for a while.
struct ReceiveLog {
    private var heardAt = Instant.zero
    /// When the last spell of hearing nobody ended.
    private var receiveOutageUntil = Instant.zero
    /// When one ended that was long enough for the process to begin every silence anew.
    private(set) var beganAnewAt = Instant.zero

    mutating func hear(at instant: Instant) {
        if heardAt + MeshLimits.receiveOutageMin <= instant { beganAnewAt = instant }
        if heardAt + MeshLimits.receiveOutageSilenceMin <= instant { receiveOutageUntil = instant }
        heardAt = instant
    }

    /// When the last spell of hearing nobody ended; `now` while one lasts.
    func receiveOutageUntil(_ now: Instant) -> Instant {
        heardAt + MeshLimits.receiveOutageSilenceMin <= now ? now : receiveOutageUntil
    }
}
