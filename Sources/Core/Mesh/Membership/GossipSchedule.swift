import Primitives

/// When changed records are sent, and the digest that neighbours compare with theirs.
struct GossipSchedule {
    private(set) var digest: UInt32 = 0
    /// When the next record stops counting; then `digest` is computed again.
    private(set) var digestExpiresAt: Instant = .distantFuture
    private(set) var newsDueAt: Instant = .distantFuture
    private var hasOwnNews = false

    mutating func setDigest(_ digest: UInt32, expiresAt: Instant) {
        (self.digest, digestExpiresAt) = (digest, expiresAt)
    }

    mutating func expireDigest(by instant: Instant) { digestExpiresAt = min(digestExpiresAt, instant) }

    mutating func scheduleNews(at instant: Instant) { newsDueAt = min(newsDueAt, instant) }

    mutating func scheduleOwnNews(now: Instant) {
        hasOwnNews = true
        scheduleNews(at: now)
    }

    /// Begins to send all changed records; returns whether this node's own record is among them.
    mutating func beginPush() -> Bool {
        defer { hasOwnNews = false }
        newsDueAt = .distantFuture
        return hasOwnNews
    }
}
