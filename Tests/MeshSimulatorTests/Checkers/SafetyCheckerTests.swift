import Mesh
import MeshSimulator
import Primitives
import Testing

/// Each checker gets a breach that it must report, and a correct course that it must not.
@Suite("Safety checkers can fail")
struct SafetyCheckerTests {
    private static let one = Instance(exactly: 1)!
    private static let two = Instance(exactly: 2)!

    private func verdict(
        _ checker: some SafetyChecker, _ observations: [Observation], every gap: Interval = .milliseconds(300)
    ) -> String? {
        var checker = checker
        var now = Instant.zero
        for observation in observations {
            now += gap
            if let text = checker.observe(observation, at: now) { return text }
        }
        return nil
    }

    private func up(_ observer: Int, _ peer: Int, _ instance: Instance = one, slot: Int = 0) -> Observation {
        .peerUp(observer: observer, peer: peer, slot: slot, instance)
    }

    private func down(_ observer: Int, _ peer: Int) -> Observation {
        .peerDown(observer: observer, peer: peer, slot: 0, Self.one, .silent)
    }

    private func voice(_ talker: Int, in holder: Int?, _ life: UInt32, _ sequence: UInt32) -> Observation {
        .voice(observer: 0, slotHolder: holder, VoiceStamp(talker: talker, life: life, sequence: sequence))
    }

    @Test("RosterAlternates finds a second up, a down without an up, and a slot given twice")
    func roster() {
        #expect(verdict(RosterAlternates(nodeCount: 3), [up(0, 1), down(0, 1), up(0, 1), up(1, 0)]) == nil)
        #expect(verdict(RosterAlternates(nodeCount: 3), [up(0, 1), .stopped(node: 0), up(0, 1)]) == nil)
        #expect(verdict(RosterAlternates(nodeCount: 3), [up(0, 1), up(0, 1, slot: 1)]) != nil)
        #expect(verdict(RosterAlternates(nodeCount: 3), [down(0, 1)]) != nil)
        #expect(verdict(RosterAlternates(nodeCount: 3), [up(0, 1), up(0, 2)]) != nil)
    }

    @Test("PeersAreOthers finds a node that is its own peer, and a stranger")
    func others() {
        #expect(verdict(PeersAreOthers(), [up(0, 1)]) == nil)
        #expect(verdict(PeersAreOthers(), [up(0, 0)]) != nil)
        #expect(verdict(PeersAreOthers(), [.strangerUp(observer: 0, NodeID(words: (1, 2, 3, 4)))]) != nil)
    }

    @Test("InstancesRise finds an instance that falls")
    func instances() {
        #expect(verdict(InstancesRise(nodeCount: 2), [up(0, 1, Self.one), up(0, 1, Self.two)]) == nil)
        #expect(verdict(InstancesRise(nodeCount: 2), [up(0, 1, Self.two), up(0, 1, Self.one)]) != nil)
    }

    @Test("InstancesRise and InstancesAreReal follow a boot that advances")
    func advanced() {
        let advance = Observation.peerAdvanced(observer: 0, peer: 1, Self.two)
        #expect(
            verdict(InstancesRise(nodeCount: 2), [up(0, 1, Self.one), advance, down(0, 1), up(0, 1, Self.one)]) != nil)
        let start = Observation.started(node: 1, Self.one)
        #expect(verdict(InstancesAreReal(nodeCount: 2), [start, .advanced(node: 1, Self.two), advance]) == nil)
        #expect(verdict(InstancesAreReal(nodeCount: 2), [start, advance]) != nil)
    }

    @Test("a ghost is found by its life if a rollback repeats its instance")
    func rolledBackGhost() {
        let lives = [Observation.started(node: 1, Self.two), .started(node: 1, Self.two)]
        let heard = lives + [up(0, 1, Self.two), voice(1, in: 1, 2, 1)]
        #expect(verdict(GhostsStaySilent(nodeCount: 2), heard) == nil)
        #expect(verdict(GhostsStaySilent(nodeCount: 2), heard + [voice(1, in: 1, 1, 9)]) != nil)
    }

    @Test("InstancesAreReal finds an instance that no node ever had")
    func invented() {
        let start = Observation.started(node: 1, Self.one)
        #expect(verdict(InstancesAreReal(nodeCount: 2), [start, up(0, 1, Self.one)]) == nil)
        #expect(verdict(InstancesAreReal(nodeCount: 2), [start, up(0, 1, Self.two)]) != nil)
        #expect(verdict(InstancesAreReal(nodeCount: 2), [up(0, 1, Self.one)]) != nil)
    }

    @Test("GhostsStaySilent finds a ghost's voice, a ghost's link, a wrong slot and a damaged packet")
    func ghosts() {
        let started = [Observation.started(node: 1, Self.one), .started(node: 1, Self.two)]
        let taken = started + [up(0, 1, Self.two)]
        #expect(verdict(GhostsStaySilent(nodeCount: 2), taken + [voice(1, in: 1, 2, 1)]) == nil)
        #expect(verdict(GhostsStaySilent(nodeCount: 2), taken + [voice(1, in: 1, 1, 1)]) != nil)
        #expect(verdict(GhostsStaySilent(nodeCount: 2), taken + [up(0, 1, Self.one)]) != nil)
        #expect(verdict(GhostsStaySilent(nodeCount: 3), taken + [voice(1, in: 2, 2, 1)]) != nil)
        #expect(verdict(GhostsStaySilent(nodeCount: 3), taken + [voice(1, in: nil, 2, 1)]) != nil)
        let damaged = Observation.voice(observer: 0, slotHolder: 1, nil)
        #expect(verdict(GhostsStaySilent(nodeCount: 2), taken + [damaged]) != nil)
    }

    @Test("VoiceIsHeardOnce finds a repeated packet, also out of order, and accepts all others")
    func once() {
        let reordered = [3, 1, 2, 5, 4].map { voice(1, in: 1, 1, $0) }
        #expect(verdict(VoiceIsHeardOnce(nodeCount: 2), reordered) == nil)
        #expect(verdict(VoiceIsHeardOnce(nodeCount: 2), reordered + [voice(1, in: 1, 1, 2)]) != nil)
        #expect(verdict(VoiceIsHeardOnce(nodeCount: 2), reordered + [voice(1, in: 1, 2, 2)]) == nil)
    }

    @Test("AttemptsAreBounded finds a storm of dials and a storm of invitations, and accepts patient retries")
    func attempts() {
        func dial(_ port: UInt16) -> Observation {
            .dialled(observer: 0, peer: 1, to: Endpoint(address: IPAddress(v4: 10, 0, 0, 2), port: port))
        }
        let invitation = Observation.invited(observer: 0, peer: 1)
        func judge(_ attempt: Observation, count: Int, every gap: Interval) -> String? {
            verdict(AttemptsAreBounded(nodeCount: 2), Array(repeating: attempt, count: count), every: gap)
        }
        #expect(judge(dial(1), count: 10, every: .milliseconds(300)) != nil)
        #expect(judge(invitation, count: 10, every: .milliseconds(300)) != nil)
        #expect(judge(dial(1), count: 30, every: .seconds(10)) == nil)
        #expect(judge(dial(1), count: 60, every: .seconds(3)) != nil)
        // A node that moves every three seconds dials its peers from each address. Another node may not do so.
        func judge(moved node: Int) -> String? {
            let move = [Observation.readdressed(node: node), dial(1)]
            return verdict(
                AttemptsAreBounded(nodeCount: 2), (0..<30).flatMap { _ in move }, every: .milliseconds(1_500))
        }
        #expect(judge(moved: 0) == nil)
        #expect(judge(moved: 1) != nil)
        // A node that restarts again and again and connects each time is invited each time, but not dialled.
        func judge(started node: Int, _ attempt: Observation) -> String? {
            let boot = [Observation.started(node: node, Self.one), attempt]
            return verdict(
                AttemptsAreBounded(nodeCount: 3), (0..<30).flatMap { _ in boot }, every: .milliseconds(150))
        }
        #expect(judge(started: 1, invitation) == nil)
        #expect(judge(started: 1, dial(1)) != nil)
        #expect(judge(started: 2, invitation) != nil)
        // Three attempts over six addresses each, with a quarter of a second between addresses.
        func judge(addresses: UInt16, every gap: Interval) -> String? {
            verdict(AttemptsAreBounded(nodeCount: 2), (0..<18).map { dial($0 % addresses) }, every: gap)
        }
        #expect(judge(addresses: 6, every: .milliseconds(250)) == nil)
        #expect(judge(addresses: 2, every: .milliseconds(100)) != nil)
    }

    @Test("TimersMoveOn finds a timer that spins")
    func timers() {
        #expect(verdict(TimersMoveOn(), [.stuckTimer(node: 0, reason: "control")]) != nil)
    }

    @Test("DatagramsFit finds a datagram that is too long")
    func datagrams() {
        #expect(verdict(DatagramsFit(), [.datagramSent(node: 0, byteCount: 1_200)]) == nil)
        #expect(verdict(DatagramsFit(), [.datagramSent(node: 0, byteCount: 1_201)]) != nil)
    }

    @Test("the set of all checkers gives voice and single datagrams to each checker that looks at them")
    func kinds() {
        func found(_ observations: Observation..., add: [any SafetyChecker] = [], every gap: Interval = .seconds(1))
            -> String?
        {
            var checkers = SafetyCheckers(nodeCount: 3)
            for checker in add { checkers.add(checker) }
            checkers.follow([HeartbeatsDisperse(nodeCount: 3), UpNeedsRoundTrip(nodeCount: 3)])
            for (step, observation) in observations.enumerated() {
                checkers.observe(observation, at: .zero + gap * Int64(step))
            }
            return checkers.violation?.checker
        }
        let start = Observation.started(node: 1, Self.one)
        #expect(found(voice(1, in: 2, 1, 1)) == "GhostsStaySilent")
        #expect(found(voice(1, in: 1, 1, 1), voice(1, in: 1, 1, 1)) == "VoiceIsHeardOnce")
        #expect(found(start, voice(1, in: 1, 1, 1), every: .seconds(10_000)) == "VoiceIsFresh")
        #expect(found(start, up(0, 1), .stopped(node: 1)) == "UpNeedsRoundTrip")
        #expect(found(.arrived(from: 0, to: 1), .arrived(from: 1, to: 0), start) == nil)
        func sounded(in holder: Int) -> Observation {
            .sounded(observer: 0, slotHolder: holder, VoiceStamp(talker: 1, life: 1, sequence: 1))
        }
        #expect(found(sounded(in: 2), add: [FramesSoundInOrder(nodeCount: 3)]) == "FramesSoundInOrder")
        let said = Observation.said(VoiceStamp(talker: 1, life: 1, sequence: 1), to: SpokenTo(listeners: [2]))
        let stays = VoiceStaysInItsChannel(nodeCount: 3)
        #expect(found(said, sounded(in: 1), start, add: [stays]) == "VoiceStaysInItsChannel")
        let train = (0..<9).map { _ in Observation.sent(node: 0, to: 1) }
        var follower = SafetyCheckers(nodeCount: 3)
        follower.follow([HeartbeatsDisperse(nodeCount: 3)])
        for (step, observation) in train.enumerated() {
            follower.observe(observation, at: .zero + .milliseconds(500) * Int64(step))
        }
        #expect(follower.violation?.checker == "HeartbeatsDisperse")
    }

    @Test("the set of all checkers keeps the first violation and the name of its checker")
    func all() {
        var checkers = SafetyCheckers(nodeCount: 2)
        checkers.observe(up(0, 0), at: .zero + .seconds(3))
        checkers.observe(down(1, 0), at: .zero + .seconds(4))
        #expect(checkers.violation?.checker == "PeersAreOthers")
        #expect(checkers.violation?.at == .zero + .seconds(3))
        #expect(checkers.violation?.kind == .safety)
    }
}
