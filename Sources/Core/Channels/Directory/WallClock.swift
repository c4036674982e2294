import Primitives

/// The time of day as the shell told it: seconds since 1970 at an instant. Core reads no clock.
struct WallClock {
    private var seconds: UInt64?
    private var setAt = Instant.zero

    mutating func set(_ seconds: UInt64, now: Instant) { (self.seconds, setAt) = (seconds, now) }

    /// Seconds since 1970; nil before the shell has told the time.
    func seconds(now: Instant) -> UInt64? {
        guard let seconds, setAt <= now else { return seconds }
        return seconds &+ UInt64((now - setAt).milliseconds / 1_000)
    }

    /// Returns the instant at which the wall clock will show `seconds`.
    func instant(of seconds: UInt64, now: Instant) -> Instant {
        guard let wall = self.seconds(now: now) else { return .distantFuture }
        guard wall < seconds else { return now }
        return now + .seconds(Int64(clamping: min(seconds - wall, DirectoryLimits.tombstoneSeconds)) + 1)
    }
}
