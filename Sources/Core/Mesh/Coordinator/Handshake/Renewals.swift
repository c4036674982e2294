import Primitives

/// Renewal: a new carrier for a living link that has no carrier, or only a tunnelled one.
///
/// The leader dials at once. The follower dials one to two seconds later, because in some pairs only the follower can
/// dial. With the new carrier the two nodes agree on new keys, while the old session still carries the voice. A link
/// may come and go: after failures, its renewals keep `MeshLimits.renewalInterval` apart. A middlebox, or somebody
/// hostile, may reset the carriers of a link again and again. Such a link may dial `MeshLimits.renewalsBurst` times at
/// once, and then once in each interval. Meanwhile its voice and its heartbeats go on by datagrams.
///
/// If this node was absent for long and then finds a carrier closed, it dials at once, as leader or as follower. The
/// peer has probably given this node up, and does not know yet that this node is back.
extension MeshNode {
    mutating func scheduleRenewal(_ index: Int, now: Instant) {
        guard links[index].renewal == .none, links.lacksDirectCarrier(index) else { return }
        if links.isTunnelled(index) {
            searchDirectLater(index, now: now)
            return
        }
        let isFailing = reachability[index].hasFailed
        links.scheduleRenewal(
            index, wasJustLongAbsent: detector.ownHealth.wasJustLongAbsent(now: now), isFailing: isFailing, &effects,
            now: now)
    }

    mutating func runRenewal(_ index: Int, now: Instant) {
        let wasJustLongAbsent = detector.ownHealth.wasJustLongAbsent(now: now)
        switch links.takeRenewalStep(index, wasJustLongAbsent: wasJustLongAbsent, now: now) {
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

    /// Returns the endpoints of the direct paths on which the peer answers; the path that carries the voice comes
    /// first. If both nodes have changed their addresses, perhaps only these paths show where the peer is.
    func answeringEndpoints(of index: Int, now: Instant) -> [Endpoint] {
        paths[index].current?.answeringEndpoints(now: now) ?? []
    }

    mutating func failRenewal(_ index: Int, _ failure: LinkFailure, now: Instant) {
        clearAttempt(index)
        if links.isTunnelled(index) {
            // The link has a tunnel and lacks only a direct carrier. That is no failure of the peer.
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

    /// Schedules the next dials for a direct carrier in place of a tunnelled one. Both nodes dial, because perhaps only
    /// one of them can. If either succeeds, both stop.
    mutating func searchDirectLater(_ index: Int, now: Instant) {
        let at = reachability[index].nextDirectSearch(&effects, now: now)
        links.renew(index, at: at, &effects)
    }

    /// Makes the scheduled search for a direct carrier due now, because this node's addresses have changed and a dial
    /// may succeed now.
    mutating func searchDirectNow(_ index: Int, now: Instant) {
        guard links.isTunnelled(index), links[index].hastenRenewal(now: now) else { return }
        effects.invalidateDeadlines()
    }
}
