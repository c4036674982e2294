import Primitives

/// Bounds the comparisons of codes: each gives a stranger one guess, and costs this node two slow multiplications.
struct JoinBudget {
    private var allowance: TokenBucket
    private var ownCount = 0

    init(now: Instant) {
        allowance = TokenBucket(burst: MeshLimits.joinsBurst, interval: MeshLimits.joinInterval, now: now)
    }

    /// Whether this member may answer one more newcomer.
    mutating func takeAsMember(now: Instant) -> Bool { allowance.take(now: now) }

    /// Whether this newcomer may show its code once more. Each node that it meets may be hostile.
    /// - Parameter count: the comparisons that are under way, with the new one.
    mutating func takeAsNewcomer(atOnce count: Int) -> Bool {
        guard ownCount < MeshLimits.ownJoinsMax, count <= MeshLimits.ownJoinsAtOnceMax else { return false }
        ownCount += 1
        return true
    }
}
