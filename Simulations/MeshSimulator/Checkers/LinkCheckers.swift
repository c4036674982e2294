import Mesh
package import Primitives

/// Promise I7: a link comes up at the observer only after a round trip: a datagram of the observer has reached the
/// peer, and after that a datagram of the peer has reached the observer. The datagram of the observer must have reached
/// the boot of the peer to which the link comes up; at the earliest, it did so `underWayMax` before the observer last
/// lost the link. The time counts by the observer's clock: it stands still during a sleep of which the observer is not
/// told. The datagram of the peer must have arrived after that loss. If that boot of the peer has ended, only the
/// datagram of the peer is judged. The exception is a link that comes up through a neighbour, which `.relayed` reports
/// at the same instant.
package struct UpNeedsRoundTrip: SafetyChecker {
    private struct RoundTrip {
        /// When a datagram of this life of the observer last reached this life of the peer.
        var there: Instant?
        /// `back`: when a datagram of the peer last reached the observer since the link was lost; nil if none did.
        /// `answered`: the value of `there` at that instant, so when the observer's own datagram had reached the peer.
        var back: Instant?
        var answered: Instant?
        /// When the link was last lost.
        var lostAt: Instant?

        /// Leaves a sleep of the observer, which ends now, out of the times since these instants.
        mutating func leaveOut(_ slept: Interval, now: Instant) {
            there = there.map { min($0 + slept, now) }
            answered = answered.map { min($0 + slept, now) }
            lostAt = lostAt.map { min($0 + slept, now) }
        }
    }

    /// An echo may still be under way when the observer loses its link, and may then bring the link up again. The
    /// observer's datagram that is echoed has reached the peer at most this long before that loss.
    private static let underWayMax = Interval.seconds(2)

    private let nodeCount: Int
    /// By observer and peer.
    private var roundTrips: [RoundTrip]
    /// By node: the instances of its latest boot, and the instances of all its boots.
    private var names: [[Instance]]
    private var given: [[Instance]]
    /// Links that came up without a round trip between the two nodes. Each is excused if its path turns out to lead
    /// through a neighbour. All entries are of one instant, at which several links may come up.
    private var unexplained: [(observer: Int, peer: Int, at: Instant)] = []

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        roundTrips = Array(repeating: RoundTrip(), count: nodeCount * nodeCount)
        names = Array(repeating: [], count: nodeCount)
        given = names
    }

    package var kinds: ObservationKinds { .all }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        if let (observer, peer, at) = unexplained.first, at < instant {
            unexplained = []
            return "node \(observer): \(peer) up at \(at), and no datagram went there and came back"
        }
        switch observation {
        case .relayed(let observer, let peer):
            unexplained.removeAll { ($0.observer, $0.peer) == (observer, peer) }
        case .started(let node, let instance):
            for peer in 0..<nodeCount {
                roundTrips[node * nodeCount + peer] = RoundTrip()
                roundTrips[peer * nodeCount + node].there = nil
                roundTrips[peer * nodeCount + node].answered = nil
            }
            names[node] = [instance]
            given[node].append(instance)
        case .advanced(let node, let instance):
            names[node].append(instance)
            given[node].append(instance)
        case .arrived(let from, let to):
            roundTrips[from * nodeCount + to].there = instant
            roundTrips[to * nodeCount + from].back = instant
            roundTrips[to * nodeCount + from].answered = roundTrips[to * nodeCount + from].there
        case .peerDown(let observer, let peer, _, _, _):
            roundTrips[observer * nodeCount + peer].back = nil
            roundTrips[observer * nodeCount + peer].answered = nil
            roundTrips[observer * nodeCount + peer].lostAt = instant
        case .overslept(let node, let slept):
            for peer in 0..<nodeCount { roundTrips[node * nodeCount + peer].leaveOut(slept, now: instant) }
        case .peerUp(let observer, let peer, _, let instance):
            if !isProved(peer, as: instance, by: observer) { unexplained.append((observer, peer, instant)) }
        default:
            break
        }
        return nil
    }

    private func isProved(_ peer: Int, as instance: Instance, by observer: Int) -> Bool {
        let roundTrip = roundTrips[observer * nodeCount + peer]
        guard roundTrip.back != nil else { return false }
        // An echo that was under way may still bring up a link to a boot that has ended. The datagram that it echoes
        // did reach that boot.
        let isOver = !names[peer].contains(instance) || 1 < given[peer].count { $0 == instance }
        if isOver { return true }
        guard let answered = roundTrip.answered else { return false }
        return roundTrip.lostAt.map { $0 - Self.underWayMax <= answered } ?? true
    }
}

/// Promise I12: a link stays up while nothing is wrong between its two nodes, whatever happens elsewhere. A fault
/// between the two may still end the link for `SimLimits.sharedUnrestMax` afterwards. The time is
/// `SimLimits.faultsApartMax` if the link is not direct, if the peer has not had it up for long, or if one side ended
/// it on purpose.
package struct HealthyLinksStand: SafetyChecker {
    package init() {}

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        guard case .linkLost(let observer, let peer, let reason, let steadyFor?, let isShared) = observation,
            (isShared && !isOnPurpose(reason) ? SimLimits.sharedUnrestMax : SimLimits.faultsApartMax) < steadyFor
        else { return nil }
        return "node \(observer): \(peer) down as \(reason), with nothing wrong between them for \(steadyFor)"
    }

    private func isOnPurpose(_ reason: DownReason) -> Bool {
        switch reason {
        case .left, .blocked, .declined, .localLeave, .noProof: true
        case .silent, .newerInstance, .replaced, .keysExpired: false
        }
    }
}

/// Promise I6: no node takes a living peer for dead after nothing has been wrong between the two nodes for
/// `SimLimits.falseDeathMin`.
package struct TheLivingAreNotDead: SafetyChecker {
    package init() {}

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        guard case .takenForDead(let observer, let peer, let steadyFor?) = observation,
            SimLimits.falseDeathMin < steadyFor
        else { return nil }
        return "node \(observer): \(peer) declared dead, with nothing wrong between them for \(steadyFor)"
    }
}

/// Promise I8: bytes that are sent again change no link that is up.
package struct OldBytesChangeNothing: SafetyChecker {
    package init() {}

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        guard case .replayed(let observer, let peer, let before, let after) = observation, before != after
        else { return nil }
        let now = after.map { "is \($0)" } ?? "is not up"
        return
            "node \(observer): a replay of \(peer)'s bytes changed link \(before.map { "\($0)" } ?? "none"): it \(now)"
    }
}

/// Promise I8: a node sends no frame in answer to the message INVITE or ACCEPT (by which two nodes agree on a session)
/// when it receives that message a second time. So the two nodes agree on no new keys by it.
package struct OldBytesGetNoAnswer: SafetyChecker {
    package init() {}

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        guard case .replayAnswered(let observer, let peer, let frames) = observation, 0 < frames else { return nil }
        return "node \(observer): a replay of \(peer)'s bytes was answered with \(frames) frames"
    }
}

/// Promise I9: a tunnel has one hop: none of its frames travels in a carrier that is tunnelled itself.
package struct TunnelsDoNotNest: SafetyChecker {
    package init() {}

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        guard case .tunnelNested(let node, let peer) = observation else { return nil }
        return "node \(node): a tunnel's frame for \(peer) in a carrier that is tunnelled itself"
    }
}

/// Promise I1: only the greater NodeID of a pair invites.
package struct LeadersInvite: SafetyChecker {
    package init() {}

    package var judgesConduct: Bool { true }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        guard case .followerInvited(let observer, let peer) = observation else { return nil }
        return "node \(observer) invites \(peer), which leads"
    }
}

/// Promise I6: a peer that has left under an instance does not come up again under that instance, whatever gossip says.
///
/// After a rollback of its counter, a node uses an instance a second time. The report that the first boot left may then
/// arrive while the second boot runs. The report does not say which boot has left, so it does not count.
package struct LeftStaysLeft: SafetyChecker {
    private let nodeCount: Int
    private var left: [Instance?]
    /// By node: the instances of every boot and of every advance.
    private var given: [[Instance]]

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        left = Array(repeating: nil, count: nodeCount * nodeCount)
        given = Array(repeating: [], count: nodeCount)
    }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .started(let node, let instance):
            given[node].append(instance)
            for other in 0..<nodeCount {
                left[node * nodeCount + other] = nil
                left[other * nodeCount + node] = nil
            }
            return nil
        case .advanced(let node, let instance):
            given[node].append(instance)
            return nil
        case .peerDown(let observer, let peer, _, let instance, .left):
            guard given[peer].count(where: { $0 == instance }) < 2 else { return nil }
            left[observer * nodeCount + peer] = instance
            return nil
        case .peerUp(let observer, let peer, _, let instance):
            guard left[observer * nodeCount + peer] == instance else { return nil }
            return "node \(observer): \(peer) up as \(instance), with which it has left"
        default:
            return nil
        }
    }
}
