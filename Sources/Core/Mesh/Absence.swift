package import Primitives

/// A time in which this node could receive nothing, and which ends now. It does not count as a silence of the peers.
package struct Absence: Hashable, Sendable {
    package let length: Interval
    /// The part in which the machine was asleep, and the clock of this node stood still.
    package let slept: Interval

    package init(_ length: Interval, slept: Interval = .zero) { (self.length, self.slept) = (length, slept) }

    /// Whether peers may have given this node up meanwhile.
    package var isLong: Bool { MeshLimits.longAbsenceMin < length }

    /// Whether others may have taken a peer for dead meanwhile.
    package var outlastsSuspicion: Bool { MeshLimits.suspicionMin <= length }

    /// Returns the instant from which a silence or a wait counts now, if it began at `start`. The absence is left out.
    /// After a long absence all time before `now` is left out: datagrams that came meanwhile still wait in the socket.
    package func forgive(_ start: Instant, now: Instant) -> Instant { isLong ? now : min(now, start + length) }
}
