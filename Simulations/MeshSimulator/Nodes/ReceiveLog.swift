import Mesh
import Primitives

/// The instants at which a process read datagrams that it can open. They show its receive outages.
struct ReceiveLog {
    private var heardAt = Instant.zero
    /// When the last receive outage ended.
    private var receiveOutageUntil = Instant.zero
    /// When the last receive outage ended that was so long that the process measured every silence from zero.
    private(set) var beganAnewAt = Instant.zero

    mutating func hear(at instant: Instant) {
        if heardAt + MeshLimits.receiveOutageMin <= instant { beganAnewAt = instant }
        if heardAt + MeshLimits.receiveOutageSilenceMin <= instant { receiveOutageUntil = instant }
        heardAt = instant
    }

    /// Returns when the last receive outage ended; `now` while one lasts.
    func receiveOutageUntil(_ now: Instant) -> Instant {
        heardAt + MeshLimits.receiveOutageSilenceMin <= now ? now : receiveOutageUntil
    }
}
