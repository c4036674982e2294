import Primitives
import Trust

/// Bounds the comparisons of codes: each gives a stranger one guess, and costs this node two slow multiplications.
///
/// Comparisons above the pace wait, and the sources of their carriers take turns. So a newcomer is served soon, however
/// many others guess.
struct JoinBudget {
    /// A comparison that waits for its turn.
    struct Waiting {
        let carrier: CarrierID
        let task: CodeTask
    }

    private var waiting: SourceQueue<Waiting>
    private var allowance: TokenBucket
    private var ownCount = 0

    init(_ capacity: MeshCapacity, now: Instant) {
        waiting = SourceQueue(countMax: capacity.joinsWaitingMax)
        allowance = TokenBucket(burst: capacity.joinsBurst, interval: MeshLimits.joinInterval, now: now)
    }

    /// Adds a comparison that this node wants to begin.
    /// - Returns: the one that has no room, which may be this one.
    mutating func add(_ join: Waiting, from source: IPAddress, isNewcomer: Bool) -> Waiting? {
        // Each node that a newcomer meets may be hostile.
        if isNewcomer, MeshLimits.ownJoinsMax <= ownCount + waiting.count { return join }
        return waiting.add(join, from: source)
    }

    /// Returns the next comparison that a member may begin now.
    mutating func takeAsMember(now: Instant) -> Waiting? {
        guard waiting.count != 0, allowance.take(now: now) else { return nil }
        return waiting.takeNext()?.element
    }

    /// Returns the next comparison that a newcomer may begin now.
    /// - Parameter count: the comparisons that are under way.
    mutating func takeAsNewcomer(underWay count: Int) -> Waiting? {
        guard count < MeshLimits.ownJoinsAtOnceMax, let next = waiting.takeNext() else { return nil }
        ownCount += 1
        return next.element
    }

    /// Removes the comparisons on carriers that have closed.
    mutating func keep(where isOpen: (CarrierID) -> Bool) { waiting.removeAll { !isOpen($0.carrier) } }

    var waitingCount: Int { waiting.count }

    /// When a member may begin the next comparison; `.distantFuture` if none waits.
    mutating func nextAt(now: Instant) -> Instant {
        waiting.count == 0 ? .distantFuture : allowance.nextToken(now: now)
    }
}
