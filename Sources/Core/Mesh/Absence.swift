package import Primitives

/// A time in which this node could receive nothing, and which ends now. It is no silence of a peer.
package struct Absence: Hashable, Sendable {
    package let length: Interval
    /// The part in which the machine was asleep, and the clock of this node stood still.
    package let slept: Interval

    package init(_ length: Interval, slept: Interval = .zero) { (self.length, self.slept) = (length, slept) }

    /// Whether peers may have given this node up meanwhile.
    package var isLong: Bool { MeshLimits.longAbsenceMin < length }

    /// Whether others may have taken a peer for dead meanwhile.
    package var outlastsSuspicion: Bool { MeshLimits.suspicionMin <= length }

    /// Returns the instant from which a silence or a wait now counts that began at `start`. After a long absence it
    /// begins again: the datagrams of that time still wait in the socket.
    package func forgive(_ start: Instant, now: Instant) -> Instant { isLong ? now : min(now, start + length) }
}
