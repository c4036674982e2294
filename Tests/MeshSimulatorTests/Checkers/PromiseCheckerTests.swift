import Mesh
import MeshSimulator
import Primitives
import Testing
import Trust

/// Each checker of strangers, clocks and retries gets a breach and a correct course.
@Suite("Checkers of single promises can fail")
struct PromiseCheckerTests {
    private static let one = Instance(exactly: 1)!
    private static let two = Instance(exactly: 2)!

    /// - Returns: the first violation among `steps`, each of which follows the one before after its interval.
    private func timedVerdict(_ checker: some SafetyChecker, _ steps: [(Interval, Observation)]) -> String? {
        var checker = checker
        var now = Instant.zero
        for step in steps {
            now += step.0
            if let text = checker.observe(step.1, at: now) { return text }
        }
        return nil
    }

    private func verdict(
        _ checker: some SafetyChecker, _ observations: [Observation], every gap: Interval = .milliseconds(300)
    ) -> String? {
        timedVerdict(checker, observations.map { (gap, $0) })
    }

    @Test("HeartbeatsDisperse finds equal gaps, and accepts jitter and a train of probes")
    func heartbeats() {
        func judge(_ gaps: [Int64]) -> String? {
            timedVerdict(
                HeartbeatsDisperse(nodeCount: 2),
                gaps.map { (Interval.microseconds($0), Observation.sent(node: 0, to: 1)) })
        }
        #expect(judge(Array(repeating: 500_000, count: 9)) != nil)
        #expect(judge((0..<9).map { 400_000 + $0 * 7 }) == nil)
        #expect(judge(Array(repeating: 100_000, count: 20)) == nil)
    }

    @Test("RetriesDisperse finds repeated waits of exactly a power of two")
    func retries() {
        let endpoint = Endpoint(address: IPAddress(v4: 10, 0, 0, 2), port: 1)
        func judge(_ wait: Interval) -> String? {
            let round: [(Interval, Observation)] = [
                (.milliseconds(731), .dialEnded(node: 0, peer: 1, hasFailed: true)),
                (wait, .dialled(observer: 0, peer: 1, to: endpoint)),
            ]
            return timedVerdict(RetriesDisperse(nodeCount: 2), round + round + round)
        }
        #expect(judge(.seconds(1)) != nil)
        #expect(judge(.milliseconds(937)) == nil)
        // A dial that is given up after a refusal by its peer is no failure; after a refusal by another peer it is.
        func judge(refusedBy peer: Int) -> String? {
            let round: [(Interval, Observation)] = [
                (.milliseconds(731), .refused(observer: 0, peer: peer)),
                (.zero, .dialEnded(node: 0, peer: 1, hasFailed: true)),
                (.seconds(1), .dialled(observer: 0, peer: 1, to: endpoint)),
            ]
            return timedVerdict(RetriesDisperse(nodeCount: 3), round + round + round)
        }
        #expect(judge(refusedBy: 1) == nil)
        #expect(judge(refusedBy: 2) != nil)
        // Two events of a slow node, about two peers, are no wait.
        let coincidence: [(Interval, Observation)] = [
            (.milliseconds(731), .dialEnded(node: 0, peer: 2, hasFailed: true)),
            (.seconds(1), .dialled(observer: 0, peer: 1, to: endpoint)),
        ]
        #expect(timedVerdict(RetriesDisperse(nodeCount: 3), coincidence + coincidence + coincidence) == nil)
    }

    @Test("a further address of the same attempt is no retry")
    func staggeredDials() {
        let dial = Observation.dialled(
            observer: 0, peer: 1, to: Endpoint(address: IPAddress(v4: 10, 0, 0, 2), port: 1))
        let stagger = (MeshLimits.dialStagger, dial)
        let attempt: [(Interval, Observation)] = [
            (.milliseconds(731), .dialEnded(node: 0, peer: 1, hasFailed: true)), (.zero, dial), stagger, stagger,
            stagger,
        ]
        #expect(timedVerdict(RetriesDisperse(nodeCount: 2), attempt + attempt + attempt) == nil)
    }

    @Test("RetriesDisperse accepts a round wait only if the dial budget or the dial places were empty until then")
    func earnedDials() {
        let endpoint = Endpoint(address: IPAddress(v4: 10, 0, 0, 2), port: 1)
        let failed = (Interval.milliseconds(731), Observation.dialEnded(node: 0, peer: 1, hasFailed: true))
        let dial = Observation.dialled(observer: 0, peer: 1, to: endpoint)
        let earned = [failed, (.milliseconds(500), .dialEarned(node: 0)), (.zero, dial)]
        #expect(timedVerdict(RetriesDisperse(nodeCount: 2), earned + earned + earned) == nil)
        // All eight places were taken, and a dial that ends after just that time leaves its place to another.
        func given(by node: Int, left inProgress: Int) -> [(Interval, Observation)] {
            [failed, (.seconds(2), .dialPlaceLeft(node: node, inProgress: inProgress)), (.zero, dial)]
        }
        func judge(_ round: [(Interval, Observation)]) -> String? {
            timedVerdict(RetriesDisperse(nodeCount: 2), round + round + round)
        }
        #expect(judge(given(by: 0, left: 7)) == nil)
        #expect(judge(given(by: 1, left: 7)) != nil)
        // A place was free before.
        #expect(judge(given(by: 0, left: 6)) != nil)
        // The dial was earned by another node, or for an earlier dial.
        let others = [failed, (.milliseconds(500), .dialEarned(node: 1)), (.zero, dial)]
        #expect(timedVerdict(RetriesDisperse(nodeCount: 2), others + others + others) != nil)
        let second = [failed, (.milliseconds(500), .dialEarned(node: 0)), (.zero, dial), (.zero, dial)]
        #expect(timedVerdict(RetriesDisperse(nodeCount: 2), second + second + second) != nil)
    }

    @Test("the dial budget shows when it was empty: after a burst, for half a second each time")
    func dialBudget() {
        var budget = DialBudget(now: .zero)
        let burst = (0..<64).map { _ in budget.spend(now: .zero + .seconds(1)) }
        #expect(burst.allSatisfy { $0 == .spare })
        // The last but one is a little late: it was there already, and no dial waited for it.
        let later = [1_499, 1_500, 2_000, 2_501, 2_999].map { budget.spend(now: .zero + .milliseconds($0)) }
        #expect(later == [.overspent, .earnedNow, .earnedNow, .spare, .overspent])
    }

    @Test("OldBytesGetNoAnswer finds an answer to a replayed frame")
    func answers() {
        #expect(verdict(OldBytesGetNoAnswer(), [.replayAnswered(observer: 0, peer: 1, frames: 0)]) == nil)
        #expect(verdict(OldBytesGetNoAnswer(), [.replayAnswered(observer: 0, peer: 1, frames: 1)]) != nil)
    }

    @Test("TunnelsDoNotNest finds a tunnel frame in a tunnelled carrier")
    func nests() {
        #expect(verdict(TunnelsDoNotNest(), [.tunnelNested(node: 0, inCarrierTo: 1)]) != nil)
    }

    @Test("TurnsAreFew finds a link with too many reported changes, and accepts damped ones and orders")
    func turns() {
        func down(_ reason: DownReason) -> Observation {
            .peerDown(observer: 0, peer: 1, slot: 0, Self.one, reason)
        }
        func judge(_ observations: [Observation], every gap: Interval) -> String? {
            verdict(TurnsAreFew(nodeCount: 2), observations, every: gap)
        }
        let reported = Array(repeating: down(.silent), count: 9)
        #expect(judge(reported, every: .seconds(4)) != nil && judge(reported, every: .seconds(20)) == nil)
        #expect(judge([.flapping(observer: 0, peer: 1, true)] + reported, every: .seconds(4)) == nil)
        let unsaid = [Observation.flapping(observer: 0, peer: 1, true), .flapping(observer: 0, peer: 1, false)]
        #expect(judge(unsaid + reported, every: .seconds(4)) != nil)
        let (left, blocked) = (Array(repeating: down(.left), count: 9), Array(repeating: down(.blocked), count: 9))
        #expect(judge(left, every: .seconds(4)) != nil && judge(blocked, every: .seconds(4)) == nil)
    }

    @Test("UpNeedsRoundTrip finds a link that is up before a datagram came back")
    func roundTrip() {
        let up = Observation.peerUp(observer: 0, peer: 1, slot: 0, Self.one)
        let there = Observation.arrived(from: 0, to: 1)
        let back = Observation.arrived(from: 1, to: 0)
        #expect(verdict(UpNeedsRoundTrip(nodeCount: 2), [there, back, up]) == nil)
        // The verdict comes with a later observation, because a neighbour may explain the link at the same instant.
        let later = Observation.stopped(node: 1)
        #expect(verdict(UpNeedsRoundTrip(nodeCount: 2), [up, later]) != nil)
        #expect(verdict(UpNeedsRoundTrip(nodeCount: 2), [there, up, later]) != nil)
        let begin = Observation.started(node: 1, Self.one)
        #expect(verdict(UpNeedsRoundTrip(nodeCount: 2), [begin, back, there, up, later]) != nil)
        let restart = Observation.started(node: 0, Self.two)
        #expect(verdict(UpNeedsRoundTrip(nodeCount: 2), [there, back, restart, up, later]) != nil)
        let lost = Observation.peerDown(observer: 0, peer: 1, slot: 0, Self.one, .silent)
        #expect(verdict(UpNeedsRoundTrip(nodeCount: 2), [there, back, up, lost, up, later]) != nil)
        #expect(verdict(UpNeedsRoundTrip(nodeCount: 2), [there, back, up, lost, back, up, later]) == nil)
        // A datagram to the previous boot proves nothing about the next one. The previous boot may still come up once.
        let next = Observation.started(node: 1, Self.two)
        let upNext = Observation.peerUp(observer: 0, peer: 1, slot: 0, Self.two)
        #expect(verdict(UpNeedsRoundTrip(nodeCount: 2), [there, next, back, upNext, later]) != nil)
        #expect(verdict(UpNeedsRoundTrip(nodeCount: 2), [there, next, back, up, later]) == nil)
        #expect(verdict(UpNeedsRoundTrip(nodeCount: 2), [next, there, back, upNext, later]) == nil)
        let relayed = Observation.relayed(observer: 0, peer: 1)
        #expect(verdict(UpNeedsRoundTrip(nodeCount: 2), [up, relayed, later], every: .zero) == nil)
        // The explanation of one link explains no other link of the same instant.
        var several = UpNeedsRoundTrip(nodeCount: 3)
        let other = Observation.peerUp(observer: 0, peer: 2, slot: 1, Self.one)
        for observation in [up, other, Observation.relayed(observer: 0, peer: 2)] {
            #expect(several.observe(observation, at: .zero) == nil)
        }
        #expect(several.observe(later, at: .zero + .milliseconds(1)) != nil)
    }

    @Test("TheLivingAreNotDead finds a peer declared dead without a reason, and no other")
    func living() {
        func dead(_ steadyFor: Interval?) -> [Observation] {
            [.takenForDead(observer: 0, peer: 1, steadyFor: steadyFor)]
        }
        #expect(verdict(TheLivingAreNotDead(), dead(.seconds(34))) != nil)
        #expect(verdict(TheLivingAreNotDead(), dead(.seconds(33))) == nil)
        #expect(verdict(TheLivingAreNotDead(), dead(nil)) == nil)
    }

    @Test("HealthyLinksStand finds a link lost without a reason, and no other")
    func healthy() {
        func lost(_ steadyFor: Interval?, isShared: Bool, _ reason: DownReason = .silent) -> Observation {
            .linkLost(observer: 0, peer: 1, reason, steadyFor: steadyFor, isShared: isShared)
        }
        #expect(verdict(HealthyLinksStand(), [lost(.seconds(20), isShared: false)]) != nil)
        #expect(verdict(HealthyLinksStand(), [lost(.seconds(3), isShared: true)]) != nil)
        #expect(verdict(HealthyLinksStand(), [lost(.seconds(3), isShared: true, .blocked)]) == nil)
        #expect(verdict(HealthyLinksStand(), [lost(.seconds(3), isShared: false)]) == nil)
        #expect(verdict(HealthyLinksStand(), [lost(.seconds(1), isShared: true), lost(nil, isShared: true)]) == nil)
    }

    @Test("OldBytesChangeNothing finds a replay that changes or ends a link")
    func replays() {
        let link = LinkID(leaderInstance: Self.one, followerInstance: Self.one, attempt: 1)
        let next = LinkID(leaderInstance: Self.one, followerInstance: Self.one, attempt: 2)
        func replayed(_ after: LinkID?) -> Observation {
            .replayed(observer: 0, peer: 1, before: link, after: after)
        }
        #expect(verdict(OldBytesChangeNothing(), [replayed(link)]) == nil)
        #expect(verdict(OldBytesChangeNothing(), [replayed(next)]) != nil)
        #expect(verdict(OldBytesChangeNothing(), [replayed(nil)]) != nil)
    }

    @Test("LeadersInvite finds a follower that invites")
    func followers() {
        #expect(verdict(LeadersInvite(), [.invited(observer: 0, peer: 1)]) == nil)
        #expect(verdict(LeadersInvite(), [.followerInvited(observer: 0, peer: 1)]) != nil)
    }

    @Test("LeftStaysLeft finds a peer that is up again under the instance that has left")
    func left() {
        let gone = Observation.peerDown(observer: 0, peer: 1, slot: 0, Self.one, .left)
        func up(_ instance: Instance) -> Observation { .peerUp(observer: 0, peer: 1, slot: 0, instance) }
        #expect(verdict(LeftStaysLeft(nodeCount: 2), [gone, up(Self.two)]) == nil)
        #expect(verdict(LeftStaysLeft(nodeCount: 2), [gone, up(Self.one)]) != nil)
        let silent = Observation.peerDown(observer: 0, peer: 1, slot: 0, Self.one, .silent)
        #expect(verdict(LeftStaysLeft(nodeCount: 2), [silent, up(Self.one)]) == nil)
        // A second boot under the same instance is not the one that has left, however late the LEAVE is heard.
        let boot = Observation.started(node: 1, Self.one)
        #expect(verdict(LeftStaysLeft(nodeCount: 2), [boot, boot, gone, up(Self.one)]) == nil)
        #expect(verdict(LeftStaysLeft(nodeCount: 2), [boot, gone, up(Self.one)]) != nil)
    }

    @Test("StrangersAreNotServed finds amplification and a stream of datagrams")
    func strangers() {
        func heard(of peer: Int = 1) -> Observation { .strangerHeard(node: 0, of: peer, byteCount: 100) }
        func served(_ byteCount: Int) -> Observation { .strangerServed(node: 0, byteCount: byteCount) }
        #expect(verdict(StrangersAreNotServed(nodeCount: 3), [heard(), served(100)]) == nil)
        #expect(verdict(StrangersAreNotServed(nodeCount: 3), [heard(), served(101)]) != nil)
        let stream = Array(repeating: [heard(), served(50)], count: 9).flatMap { $0 }
        #expect(verdict(StrangersAreNotServed(nodeCount: 3), stream, every: .milliseconds(50)) != nil)
        #expect(verdict(StrangersAreNotServed(nodeCount: 3), stream, every: .milliseconds(400)) == nil)
        // Two peers allow twice as many datagrams. A peer that was heard more than a minute ago does not count.
        #expect(verdict(StrangersAreNotServed(nodeCount: 3), [heard(of: 2)] + stream, every: .milliseconds(120)) == nil)
        let late = [(Interval.zero, heard(of: 2)), (.seconds(61), heard())] + stream.map { (.milliseconds(120), $0) }
        #expect(timedVerdict(StrangersAreNotServed(nodeCount: 3), late) != nil)
    }

    @Test("NobodyLinksWithoutTheSecret finds links between nodes of different secrets, and of newcomers")
    func secrets() {
        let (crew, others) = (MeshID(high: 1, low: 0), MeshID(high: 2, low: 0))
        func judge(_ a: TrueStanding, _ b: TrueStanding) -> String? {
            let up = Observation.peerUp(observer: 0, peer: 1, slot: 0, Self.one)
            let stands = [Observation.stands(node: 0, a), .stands(node: 1, b)]
            return verdict(NobodyLinksWithoutTheSecret(nodeCount: 2), stands + [up])
        }
        #expect(judge(.open, .open) == nil)
        #expect(judge(.member(crew, secret: [1]), .member(crew, secret: [1])) == nil)
        #expect(judge(.member(crew, secret: [1]), .member(crew, secret: [2])) != nil)
        #expect(judge(.member(crew, secret: [1]), .member(others, secret: [1])) != nil)
        #expect(judge(.member(crew, secret: [1]), .member(crew, secret: [2], stay: [0])) == nil)
        #expect(judge(.member(crew, secret: [1], stay: [1]), .member(crew, secret: [2], stay: [1])) == nil)
        #expect(judge(.member(crew, secret: [1]), .member(crew, secret: [2], stay: [1])) != nil)
        #expect(judge(.member(crew, secret: [1]), .member(others, secret: [2], stay: [0])) != nil)
        #expect(judge(.member(crew, secret: [1], epoch: 1), .member(crew, secret: [2], epoch: 2)) == nil)
        #expect(judge(.member(crew, secret: [2], epoch: 2), .member(crew, secret: [1], epoch: 1)) != nil)
        #expect(judge(.member(crew, secret: [1], epoch: 1), .member(others, secret: [2], epoch: 2)) != nil)
        #expect(judge(.member(crew, secret: [1]), .open) != nil)
        #expect(judge(.newcomer, .newcomer) != nil && judge(.open, .newcomer) != nil)
    }

    @Test("NobodyLinksWithoutTheSecret finds secrets that were given for wrong codes, late, twice or after the end")
    func codes() {
        func judge(_ steps: [(Interval, Observation)]) -> String? {
            timedVerdict(NobodyLinksWithoutTheSecret(nodeCount: 2), steps)
        }
        func enters(by kind: CodeKind, _ code: UInt8) -> Observation {
            .entered(node: 1, by: kind, codeKey: [code], meshCodeKey: [1])
        }
        let opened = (Interval.seconds(1), Observation.pairingOpened(node: 0, codeKey: [7]))
        #expect(judge([(.seconds(1), enters(by: .mesh, 1))]) == nil)
        #expect(judge([(.seconds(1), enters(by: .mesh, 2))]) != nil)
        #expect(judge([(.seconds(1), enters(by: .pairing, 1))]) != nil)
        #expect(judge([opened, (.seconds(299), enters(by: .pairing, 7))]) == nil)
        #expect(judge([opened, (.seconds(1), enters(by: .pairing, 8))]) != nil)
        #expect(judge([opened, (.seconds(1), enters(by: .mesh, 7))]) != nil)
        #expect(judge([opened, (.seconds(304), enters(by: .pairing, 7))]) != nil)
        let inAgain = [(Interval.seconds(1), enters(by: .pairing, 7)), (.seconds(1), enters(by: .pairing, 7))]
        #expect(judge([opened] + inAgain) != nil)
        let closed = (Interval.seconds(1), Observation.pairingClosed(node: 0))
        #expect(judge([opened, closed, (.seconds(1), enters(by: .pairing, 7))]) != nil)
        #expect(judge([opened, closed, opened, (.seconds(1), enters(by: .pairing, 7))]) == nil)
    }

    @Test("VoiceIsFresh finds voice that is more than three minutes old")
    func freshVoice() {
        let stamp = VoiceStamp(talker: 1, life: 1, sequence: 1, spokenAt: .zero)
        let voice = Observation.voice(observer: 0, slotHolder: 1, stamp)
        #expect(timedVerdict(VoiceIsFresh(), [(.seconds(100), voice)]) == nil)
        #expect(timedVerdict(VoiceIsFresh(), [(.seconds(190), voice)]) != nil)
        #expect(VoiceStamp(stamp.bytes) == stamp)
    }

    @Test("SteadyPairsCountNoErrors finds an error")
    func errors() {
        let counted = Observation.errorCounted(observer: 0, peer: 1, "datagramsUnknownKey")
        #expect(verdict(SteadyPairsCountNoErrors(), [counted]) != nil)
    }

    @Test("a packet counts as lost by the nodes unless the network lost each of its copies")
    func said() {
        func stamp(_ sequence: UInt32, at seconds: Int64 = 1) -> VoiceStamp {
            VoiceStamp(talker: 0, listener: 1, life: 1, sequence: sequence, spokenAt: .zero + .seconds(seconds))
        }
        var ledger = SaidLedger(nodeCount: 2, from: .zero + .seconds(1))
        for sequence in 1...3 as ClosedRange<UInt32> { ledger.addSaid(stamp(sequence)) }
        ledger.addSaid(stamp(4, at: 0))
        ledger.close(at: .zero + .seconds(2))
        ledger.addSaid(stamp(5, at: 3))
        ledger.addLostByNetwork(stamp(1))
        ledger.addHeard(stamp(1), at: 1)
        ledger.addLostByNetwork(stamp(2))
        #expect(ledger.said(of: 0, to: 1) == 3)
        #expect(ledger.lostByNodes(of: 0, at: 1) == 1)
        ledger.addHeard(stamp(3), at: 1)
        #expect(ledger.firstLoss(among: [0, 1]) == nil)
    }

    @Test("DialsAreLimited finds nine dials at once, and a dial beyond the budget")
    func dials() {
        let eight: [Observation] = (1...8).map { .dialPlaceTaken(node: 0, inProgress: $0) }
        #expect(verdict(DialsAreLimited(), eight) == nil)
        #expect(verdict(DialsAreLimited(), eight + [.dialPlaceTaken(node: 0, inProgress: 9)]) != nil)
        #expect(verdict(DialsAreLimited(), eight + [.dialOverspent(node: 0)]) != nil)
    }

    @Test("AdvancesAreFew finds a fifth advance within a minute, and accepts a later one and that of another boot")
    func advances() {
        func advances(_ count: Int, every seconds: Int64) -> [Observation] {
            (0..<count).map { .advanceAsked(node: 0, ownTime: .zero + .seconds(7 + Int64($0) * seconds)) }
        }
        let checker = AdvancesAreFew(nodeCount: 1)
        #expect(verdict(checker, advances(4, every: 5)) == nil)
        #expect(verdict(checker, advances(5, every: 5)) != nil)
        #expect(verdict(checker, advances(4, every: 5) + [.started(node: 0, Self.two)] + advances(4, every: 5)) == nil)
        #expect(verdict(checker, advances(8, every: 20)) != nil)
        // Minutes of the node's own clock count, because that clock may have been stepped.
        #expect(verdict(checker, advances(8, every: 60), every: .seconds(1)) == nil)
        #expect(verdict(checker, advances(8, every: 59), every: .seconds(60)) == nil)
        #expect(verdict(checker, advances(300, every: 59), every: .seconds(60)) != nil)
    }

    @Test("InvitationsAreFew finds a storm of one node's invitations")
    func invitations() {
        let storm = (0..<20).map { Observation.invited(observer: 0, peer: $0 % 4) }
        #expect(verdict(InvitationsAreFew(nodeCount: 5), storm, every: .milliseconds(10)) != nil)
        #expect(verdict(InvitationsAreFew(nodeCount: 5), storm, every: .milliseconds(200)) == nil)
        // Three changes of address within a second.
        let moves = [Observation.readdressed(node: 0)] + storm.prefix(4)
        #expect(verdict(InvitationsAreFew(nodeCount: 5), moves + moves + moves, every: .milliseconds(50)) == nil)
        #expect(verdict(InvitationsAreFew(nodeCount: 5), moves + storm, every: .milliseconds(40)) != nil)
        // A peer that restarts again and again.
        let boots = (0..<12).flatMap { _ in [Observation.started(node: 1, Self.one), storm[1]] }
        #expect(verdict(InvitationsAreFew(nodeCount: 5), boots, every: .milliseconds(40)) == nil)
    }

    @Test("CooldownsAreHonoured finds a dial within a wait, unless an event allows the wait to end")
    func cooldowns() {
        var view = MeshSnapshot.View(
            peer: 1, state: .down, isLeader: true, link: nil, upFor: nil, failures: 2, retryAt: .zero + .seconds(9))
        let dial = Observation.dialled(observer: 0, peer: 1, to: Endpoint(address: IPAddress(v4: 10, 0, 0, 2), port: 1))
        func judge(_ observations: [Observation], at instant: Instant) -> String? {
            let checker = CooldownsAreHonoured(nodeCount: 2)
            let shown = MeshSnapshot(
                at: .zero, nodes: [MeshSnapshot.Node(index: 0, instance: Self.one, views: [view])], peersMax: 1)
            #expect(checker.look(at: shown) == nil)
            return observations.compactMap { checker.observe($0, at: instant) }.first
        }
        #expect(judge([dial], at: .zero + .seconds(3)) != nil)
        #expect(judge([dial], at: .zero + .seconds(9)) == nil)
        #expect(judge([.requestSent(observer: 0, peer: 1), dial], at: .zero + .seconds(3)) == nil)
        // A hint of the peer ends no wait, and news of its next boot does.
        #expect(judge([.prompted(observer: 0, peer: 1), dial], at: .zero + .seconds(3)) != nil)
        let endpoint = Endpoint(address: IPAddress(v4: 10, 0, 0, 2), port: 1)
        for wanted in [WantedPeer(instance: Self.two), WantedPeer(hasLeft: true)] {
            let other = Observation.dialled(observer: 0, peer: 1, to: endpoint, for: wanted)
            #expect(judge([other], at: .zero + .seconds(3)) == nil)
        }
        #expect(judge([.unsettled(node: 0), dial], at: .zero + .seconds(3)) == nil)
        #expect(judge([.advanced(node: 0, Self.two), dial], at: .zero + .seconds(3)) == nil)
        #expect(judge([.advanced(node: 1, Self.two), dial], at: .zero + .seconds(3)) != nil)
        // A node that enters its mesh waits no more for a peer that refused the newcomer, and still for others.
        let entered = Observation.entered(node: 0, by: .mesh, codeKey: [], meshCodeKey: nil)
        #expect(judge([entered, dial], at: .zero + .seconds(3)) != nil)
        view.isRefused = true
        #expect(judge([entered, dial], at: .zero + .seconds(3)) == nil)
    }
}
