/// A token bucket: limits a rate, and allows a burst. It holds at most `burst` tokens, and gains one every `interval`.
public struct TokenBucket: Sendable {
    public let burst: Int
    public let interval: Interval
    private var tokens: Int
    private var refilledAt: Instant

    public init(burst: Int, interval: Interval, now: Instant) {
        precondition(0 < burst && .zero < interval, "a bucket has room and a rate")
        self.burst = burst
        self.interval = interval
        tokens = burst
        refilledAt = now
    }

    /// Takes a token; returns false if there is none.
    public mutating func take(now: Instant) -> Bool {
        refill(now: now)
        guard 0 < tokens else { return false }
        tokens -= 1
        return true
    }

    /// Takes `count` tokens even if there are fewer. The number of tokens may become negative; `take` fails until it is
    /// positive again.
    public mutating func charge(_ count: Int, now: Instant) {
        refill(now: now)
        tokens -= count
    }

    /// Returns the instant at which `take` will succeed: `now` or later.
    public mutating func nextToken(now: Instant) -> Instant {
        refill(now: now)
        return 0 < tokens ? now : refilledAt + interval * Int64(1 - tokens)
    }

    /// Returns whether the bucket has `burst` tokens.
    public mutating func isFull(now: Instant) -> Bool {
        refill(now: now)
        return tokens == burst
    }

    private mutating func refill(now: Instant) {
        let elapsed = (now - refilledAt).nanoseconds
        guard 0 < elapsed else { return }
        let gained = elapsed / interval.nanoseconds
        guard gained < Int64(burst - tokens) else {
            // A full bucket gains nothing, so the interval starts anew when a token is taken.
            (tokens, refilledAt) = (burst, now)
            return
        }
        tokens += Int(gained)
        refilledAt += interval * gained
    }
}
