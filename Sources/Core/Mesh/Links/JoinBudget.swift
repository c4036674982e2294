import Primitives
import Trust

/// Bounds the runs of JOIN: each gives a stranger one guess, and costs this node two slow multiplications.
///
/// Runs above the pace wait, and the sources of their carriers take turns. So a member serves a newcomer soon, however
/// many others guess. A newcomer begins only a few runs with each source. Any node that it meets may be hostile and may
/// listen on many ports, but all these ports share the allowance of one source.
struct JoinBudget {
    /// A run that waits for its turn.
    struct Waiting {
        let carrier: CarrierID
        let task: CodeTask
    }

    private var waiting: SourceQueue<Waiting>
    private var allowance: TokenBucket
    private var ownAllowance: TokenBucket
    private var ownBySource = SourceAllowances(
        burst: MeshLimits.ownJoinsPerSourceBurst, interval: MeshLimits.ownJoinPerSourceInterval)

    init(_ capacity: MeshCapacity, now: Instant) {
        waiting = SourceQueue(countMax: capacity.joinsWaitingMax)
        allowance = TokenBucket(burst: capacity.joinsBurst, interval: MeshLimits.joinInterval, now: now)
        ownAllowance = TokenBucket(burst: MeshLimits.ownJoinsBurst, interval: MeshLimits.ownJoinInterval, now: now)
    }

    /// Adds a run that this node wants to begin to the runs that wait.
    /// - Returns: the run that may not wait; nil if all may. It is this run if this node is a newcomer and has used up
    ///   its allowance for the source; otherwise it is any run for which there is no room.
    mutating func add(
        _ join: Waiting, from source: IPAddress, isNewcomer: Bool, random: inout SeededRandom, now: Instant
    ) -> Waiting? {
        if isNewcomer, !ownBySource.take(source, now: now) { return join }
        return waiting.add(join, from: source, random: &random)
    }

    /// Returns the next run that a member may begin now.
    mutating func takeAsMember(now: Instant) -> Waiting? {
        guard waiting.count != 0, allowance.take(now: now) else { return nil }
        return waiting.takeNext()?.element
    }

    /// Returns the next run that this node may begin now, as a newcomer to its mesh.
    /// - Parameter count: the runs of this node that are under way.
    mutating func takeAsNewcomer(underWay count: Int, now: Instant) -> Waiting? {
        guard waiting.count != 0, count < MeshLimits.ownJoinsAtOnceMax, ownAllowance.take(now: now) else { return nil }
        return waiting.takeNext()?.element
    }

    /// Removes the runs on carriers that have closed.
    mutating func keep(where isOpen: (CarrierID) -> Bool) { waiting.removeAll { !isOpen($0.carrier) } }

    var waitingCount: Int { waiting.count }

    /// When a member may begin the next run; `.distantFuture` if none waits.
    mutating func nextAt(now: Instant) -> Instant {
        waiting.count == 0 ? .distantFuture : allowance.nextToken(now: now)
    }

    /// When this node, as a newcomer to its mesh, may begin its next run; `.distantFuture` if none waits, or if too
    /// many are under way.
    mutating func nextAt(underWay count: Int, now: Instant) -> Instant {
        guard waiting.count != 0, count < MeshLimits.ownJoinsAtOnceMax else { return .distantFuture }
        return ownAllowance.nextToken(now: now)
    }
}
