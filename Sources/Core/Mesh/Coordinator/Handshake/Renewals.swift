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
        guard links[index].renewal == .none, links.lacksDirectCarrier(index) else { return }
        if links.isTunnelled(index) {
            searchDirectLater(index, now: now)
            return
        }
        let isFailing = reachability[index].hasFailed
        links.scheduleRenewal(
            index, hasJustStoodStill: detector.ownFaults.hasJustStoodStill(now: now), isFailing: isFailing, &effects,
            now: now)
    }

    mutating func runRenewal(_ index: Int, now: Instant) {
        switch links.takeRenewalStep(index, hasJustStoodStill: detector.ownFaults.hasJustStoodStill(now: now), now: now)
        {
        case .waits: break
        case .dials:
            planDials(index, now: now)
            if links.isTunnelled(index) { challengeAddresses(index, now: now) }
            if reachability[index].dials.isOver, !askNeighbour(index, now: now) {
                failRenewal(index, .noAddress, now: now)
            }
        case .fails(let failure): failRenewal(index, failure, now: now)
        }
    }

    /// Returns the endpoints of living direct paths to the peer, the one that carries the voice first. If the carrier
    /// was lost because both sides moved, no other source may know these endpoints yet.
    func answeringEndpoints(of index: Int, now: Instant) -> [Endpoint] {
        paths[index].current?.answeringEndpoints(now: now) ?? []
    }

    mutating func failRenewal(_ index: Int, _ failure: LinkFailure, now: Instant) {
        clearAttempt(index)
        if links.isTunnelled(index) {
            // The link lacks only a direct carrier. That is no failure of the peer.
            searchDirectLater(index, now: now)
            return
        }
        effects.count(.attemptsFailed)
        links[index].recordFailure(failure)
        guard links[index].session?.carrier == nil else {
            links[index].endRenewal()
            return
        }
        links.renew(index, at: countFailure(index, now: now), &effects)
    }

    // MARK: A direct carrier in place of a tunnel

    /// Schedules the next search. Both sides search, because perhaps only one of them can dial. A success of either
    /// side ends the search of both.
    mutating func searchDirectLater(_ index: Int, now: Instant) {
        let at = reachability[index].nextDirectSearch(&effects, now: now)
        links.renew(index, at: at, &effects)
    }

    /// Makes the scheduled search due now: from a new address of this node, a direct dial may succeed.
    mutating func searchDirectNow(_ index: Int, now: Instant) {
        guard links.isTunnelled(index), links[index].hastenRenewal(now: now) else { return }
        effects.invalidateDeadlines()
    }
}
