import Mesh
import Primitives
import Testing
import Wire

@Suite("Verification of a silent link, and local health")
struct VerificationTests {
    private let tick = Interval(nanoseconds: 1)

    /// A node of this local health, linked with `count` peers that fall silent now.
    private func silent(_ count: Int, health: Int = 0) -> (PuppetStage, [Puppet]) {
        let stage = PuppetStage()
        for _ in 0..<health {
            stage.now += .seconds(1)
            stage.input(.resumed(gap: .seconds(1)))
        }
        return (stage, (0..<count).map { _ in stage.link() })
    }

    @Test(
        "after 1 s of silence a link is verified for 0.5 s, and for up to 2 s with poor local health",
        arguments: [(0, 500), (1, 1_000), (2, 1_500), (3, 2_000), (4, 2_000), (8, 2_000)] as [(Int, Int64)])
    func verification(health: Int, milliseconds: Int64) {
        let (stage, puppets) = silent(1, health: health)
        #expect(stage.node.status(now: stage.now).localHealth == health)
        stage.pass(.seconds(1) - tick)
        #expect(puppets[0].status?.state == .up)
        stage.pass(tick)
        #expect(puppets[0].status?.state == .verifying)
        let doubted = stage.now
        stage.pass(.milliseconds(milliseconds) - tick)
        #expect(puppets[0].status?.state == .verifying)
        stage.pass(tick)
        #expect(puppets[0].status?.state == .down)
        #expect(stage.events.contains(.peerVerifying(puppets[0].slot, puppets[0].id)))
        // Over each path: three probes 100 ms apart, then one every 300 to 360 ms.
        for isCarrier in [false, true] {
            let probes = puppets[0].blocks.filter { $0.route.isCarrier == isCarrier && $0.block.flags == .probe }
            let times = probes.map { ($0.at - doubted).milliseconds }.filter { 0 <= $0 }
            #expect(times.prefix(3) == [0, 100, 200])
            let slow = zip(times.dropFirst(3), times.dropFirst(2)).map { $0 - $1 }
            #expect(slow.allSatisfy { (300...360).contains($0) })
            #expect((milliseconds - 200) / 361 <= Int64(slow.count) && Int64(slow.count) <= (milliseconds - 200) / 300)
        }
    }

    @Test("if three or more links are all silent, verification lasts 2 s longer; with two links it does not")
    func patience() {
        for (count, milliseconds) in [(2, 1_500), (3, 3_500), (4, 3_500)] as [(Int, Int64)] {
            let (stage, puppets) = silent(count)
            stage.pass(.milliseconds(milliseconds) - tick)
            #expect(puppets.allSatisfy { $0.status?.state == .verifying })
            stage.pass(tick)
            #expect(puppets.contains { $0.status?.state == .down })
        }
    }

    @Test(
        "traffic from any peer less than 0.75 s before the verdict shows that the node receives: silent links go down")
    func hears() {
        for (late, isDown) in [(Interval.zero, false), (tick, true)] {
            let (stage, puppets) = silent(3)
            stage.pass(.milliseconds(750) + late)
            puppets[2].send(.voice([1]))
            stage.pass(.milliseconds(750) - late - tick)
            #expect(puppets.dropLast().allSatisfy { $0.status?.state == .verifying })
            stage.pass(tick)
            #expect(puppets.dropLast().allSatisfy { ($0.status?.state == .down) == isDown })
            #expect(stage.counter(.receiveOutages) == 0)
        }
    }

    @Test("traffic after 1.25 s of silence of three or more peers shows a receive outage, and is no silence of a peer")
    func receiveOutage() {
        for (count, wait, hasReceiveOutage) in [
            (3, Interval.milliseconds(1_250), true), (3, .milliseconds(1_250) - tick, false),
            (2, .milliseconds(1_250), false),
        ] {
            let (stage, puppets) = silent(count)
            stage.pass(wait)
            puppets[0].send(.voice([1]))
            #expect(stage.counter(.receiveOutages) == (hasReceiveOutage ? 1 : 0))
            #expect(stage.node.status(now: stage.now).localHealth == (hasReceiveOutage ? 1 : 0))
            let heard = puppets.map { $0.status?.lastHeard == stage.now }
            #expect(heard == (0..<count).map { $0 == 0 || hasReceiveOutage })
            guard hasReceiveOutage else { continue }
            // The verification begins again, with a probe at once. The next datagram counts no second outage.
            #expect(puppets[1].blocks.last?.at == stage.now && puppets[1].status?.state == .verifying)
            puppets[1].send(.voice([1]))
            #expect(stage.counter(.receiveOutages) == 1)
        }
    }

    @Test("peers that link at one moment, after the node was alone, show no receive outage")
    func alone() {
        let stage = PuppetStage()
        stage.pass(.seconds(10))
        let puppets = (0..<3).map { _ in stage.link() }
        stage.pass(.milliseconds(100))
        puppets[0].send(.voice([1]))
        #expect(stage.counter(.receiveOutages) == 0 && stage.node.status(now: stage.now).localHealth == 0)
    }

    @Test(
        "a deadline handled 0.2 s late or later is one sign of an absence, which is no silence of a peer",
        arguments: [
            (Interval.milliseconds(200) - Interval(nanoseconds: 1), 0), (.milliseconds(200), 1), (.seconds(1), 1),
            (.seconds(20), 1),
        ] as [(Interval, UInt64)])
    func late(lag: Interval, count: UInt64) throws {
        let (stage, puppets) = silent(1)
        let heard = stage.now
        stage.now = try #require(stage.nextDeadline).at + lag
        stage.input(.deadline)
        #expect(stage.counter(.ownPauses) == count)
        #expect(stage.node.status(now: stage.now).localHealth == Int(count))
        let forgiven = 0 < count ? min(heard + lag, stage.now) : heard
        #expect(puppets[0].status?.lastHeard == (.seconds(1) < lag ? stage.now : forgiven))
        #expect(puppets[0].chosenPath?.echoedAt == forgiven)
    }

    @Test("under plain SWIM neither a lag nor the silence of all peers affects the verdicts")
    func plain() throws {
        let stage = PuppetStage { $0.suspicion = .plain(.seconds(5)) }
        let puppets = (0..<3).map { _ in stage.link() }
        stage.now = try #require(stage.nextDeadline).at + .milliseconds(300)
        stage.input(.deadline)
        #expect(stage.counter(.ownPauses) == 0 && stage.node.status(now: stage.now).localHealth == 0)
        stage.pass(.milliseconds(1_500) - (stage.now - (puppets[0].status?.lastHeard ?? .zero)))
        #expect(puppets.allSatisfy { $0.status?.state == .down })
        puppets[0].send(.voice([1]))
        #expect(stage.counter(.receiveOutages) == 0)
    }

    @Test("a lag delays the end of a verification by its own length")
    func lagInDoubt() throws {
        let (stage, puppets) = silent(1)
        stage.pass(.seconds(1))
        let due = try #require(stage.nextDeadline).at
        stage.now = due + .milliseconds(250)
        stage.input(.deadline)
        // The verification began 250 ms later. The health is worse by one, so probing lasts 1 s instead of 0.5 s.
        let end = Instant.zero + .seconds(100) + .milliseconds(1_000 + 250 + 1_000)
        stage.pass(end - stage.now - tick)
        #expect(puppets[0].status?.state == .verifying)
        stage.pass(tick)
        #expect(puppets[0].status?.state == .down)
    }

    @Test("the node counts a reported pause at most once a second, and ignores a pause of length zero")
    func resumed() {
        let stage = PuppetStage()
        stage.input(.resumed(gap: .zero))
        #expect(stage.counter(.ownPauses) == 0)
        for (wait, count) in [(Interval.zero, 1), (.seconds(1) - tick, 1), (.seconds(1), 2)] as [(Interval, UInt64)] {
            stage.now += wait
            stage.input(.resumed(gap: .seconds(2)))
            #expect(stage.counter(.ownPauses) == count && stage.node.status(now: stage.now).localHealth == Int(count))
        }
    }

    @Test(
        "a pause lengthens verifications and suspicions by its own length, and the verification by poor health too")
    func afterPause() throws {
        let (stage, puppets) = silent(2)
        puppets[0].answers = { _ in true }
        stage.pass(.milliseconds(3_600))
        let (awake, sleeper) = (puppets[0], puppets[1])
        #expect(awake.status?.state == .up && sleeper.status?.state == .down)
        awake.answers = { _ in false }
        stage.pass(.milliseconds(1_300))
        #expect(awake.status?.state == .verifying)
        let heard = try #require(awake.status?.lastHeard)
        let suspected = try #require(sleeper.status?.presence.suspicion?.since)
        stage.input(.resumed(gap: .milliseconds(100)))
        #expect(awake.status?.lastHeard == heard + .milliseconds(100))
        #expect(sleeper.status?.presence.suspicion?.since == suspected + .milliseconds(100))
        // The verification began after 1 s of silence. It lasts 1 s, because the health is worse by one, and the 100 ms
        // of the pause.
        stage.pass(heard + .milliseconds(2_100) - stage.now - tick)
        #expect(awake.status?.state == .verifying)
        stage.pass(tick)
        #expect(awake.status?.state == .down)
    }

    @Test("after a long pause a node probes every peer with keys over every path, and after a short one it does not")
    func probes() {
        let (stage, puppets) = silent(2)
        puppets[0].answers = { _ in true }
        stage.pass(.milliseconds(3_600))
        #expect(puppets[0].status?.state == .up && puppets[1].status?.state == .down)
        for (gap, routes) in [(Interval.seconds(1), [Bool]()), (.seconds(1) + tick, [false, true])] {
            for puppet in puppets { puppet.inbox.removeAll() }
            stage.input(.resumed(gap: gap))
            for puppet in puppets { #expect(puppet.blocks.map(\.route.isCarrier) == routes) }
        }
    }

    @Test("a pause gives agreed keys that lack only their echo one more second")
    func candidateAfterPause() {
        let stage = PuppetStage()
        let puppet = stage.agree()
        stage.pass(.milliseconds(2_500))
        stage.input(.resumed(gap: .milliseconds(100)))
        stage.pass(.seconds(1) - tick)
        #expect(puppet.status?.state == .inviting)
        stage.pass(tick)
        #expect(puppet.status?.state == .down)
    }
}
