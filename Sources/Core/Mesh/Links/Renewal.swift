import Primitives

/// Renewal: a new carrier for a living link that has no carrier, or only a tunnelled one.
///
/// The leader dials at once. The follower dials one to two seconds later, for pairs where only the follower can dial.
/// The new carrier brings a new attempt with new keys, make-before-break. A link that comes and goes does not dial at
/// each return: after failures, its renewals keep `MeshLimits.renewalInterval` apart. A middlebox, or somebody
/// hostile, may reset the carriers of a link again and again. Such a link may dial `MeshLimits.renewalsBurst` times
/// at once, and then once in each interval. Meanwhile its voice and its heartbeats go on by datagrams.
///
/// A node that has just stood still and finds a carrier closed dials at once, leader or not. The peer has given this
/// node up, and this node is the first to know.
extension MeshNode {
    mutating func scheduleRenewal(_ index: Int, now: Instant) {
        guard links[index].renewal == .none, wantsCarrier(index) else { return }
        if isTunnelled(index) {
            searchDirectLater(index, now: now)
            return
        }
        let isFirst = links[index].isLeader || hasJustStoodStill(now: now)
        let wait = isFirst ? Interval.zero : effects.random.interval(in: MeshLimits.followerRedialWait)
        var at = now + wait
        if 0 < reachability[index].backoff.failures, let renewedAt = links[index].renewedAt {
            at = max(at, renewedAt + MeshLimits.renewalInterval)
        }
        links[index].renewal = .due(at: at)
        effects.invalidateDeadlines()
    }

    mutating func runRenewal(_ index: Int, now: Instant) {
        guard links[index].renewal.deadline <= now else { return }
        switch links[index].renewal {
        case .none:
            break
        case .due:
            // While the link is verified, nothing is dialled: it is soon up or down.
            guard links[index].state.isUp || hasJustStoodStill(now: now), wantsCarrier(index) else {
                links[index].renewal = links[index].state.isLinked ? .due(at: now + MeshLimits.probeInterval) : .none
                return
            }
            guard isTunnelled(index) || links[index].renewals.take(now: now) else {
                links[index].renewal = .due(at: links[index].renewals.nextToken(now: now))
                return
            }
            links[index].renewal = .connecting(since: now)
            links[index].renewedAt = now
            planDials(index, now: now)
            if isTunnelled(index) { challengeAddresses(index, now: now) }
            if reachability[index].dials.isOver, !askNeighbour(index, now: now) {
                failRenewal(index, .noAddress, now: now)
            }
        case .connecting:
            failRenewal(index, .noHello, now: now)
        case .negotiating:
            failRenewal(index, .noAnswer, now: now)
        }
    }

    /// Returns the endpoints of living direct paths to the peer, the one that carries the voice first. If the carrier
    /// was lost because both sides moved, no other source may know these endpoints yet.
    func answeringEndpoints(of index: Int, now: Instant) -> [Endpoint] {
        guard let table = paths[index].session?.table else { return [] }
        let chosen = table.chosenPath.route
        let living = table.paths.filter { $0.isAlive(now: now) }
        return (living.filter { $0.route == chosen } + living.filter { $0.route != chosen }).compactMap(\.endpoint)
    }

    mutating func failRenewal(_ index: Int, _ failure: LinkFailure, now: Instant) {
        clearAttempt(index)
        if isTunnelled(index) {
            // The link lacks only a direct carrier. That is no failure of the peer.
            searchDirectLater(index, now: now)
            return
        }
        effects.count(.attemptsFailed)
        links[index].lastFailure = failure
        guard links[index].session?.carrier == nil else {
            links[index].renewal = .none
            return
        }
        switch countFailure(index, now: now) {
        case .backoff(let until), .quarantine(let until): links[index].renewal = .due(at: until)
        }
        effects.invalidateDeadlines()
    }
}
