import Mesh
import Primitives
import Testing
import Wire

@Suite("The presence of a peer, from silence to death and back")
struct PresenceTests {
    private let stage = PuppetStage()
    private let tick = Interval(nanoseconds: 1)

    private func count(_ isCounted: (MeshEvent) -> Bool) -> Int { stage.events.count(where: isCounted) }

    @Test("a lost link is suspected, reported once, and dead 4.5 s later; the report names the instance that died")
    func death() throws {
        let puppet = stage.link()
        #expect(puppet.status?.presence == .present && stage.counter(.suspicions) == 0)
        stage.pass(.milliseconds(1_500))
        #expect(puppet.status?.presence.suspicion?.cause == .silence && stage.counter(.suspicions) == 1)
        #expect(count { $0 == .peerSuspected(puppet.id) } == 1 && stage.node.status(now: stage.now).peersKnown == 1)
        #expect(stage.now + .seconds(100) < (puppet.link?.wantedUntil ?? .zero))
        stage.pass(.milliseconds(4_500) - tick)
        #expect(puppet.status?.presence.isDead == false && stage.counter(.deaths) == 0)
        #expect(stage.summaryIsWhole == false)
        stage.pass(tick)
        #expect(puppet.status?.presence == .dead(since: stage.now) && stage.counter(.deaths) == 1)
        let one = try #require(Instance(exactly: 1))
        #expect(count { $0 == .peerDead(puppet.id, one) } == 1 && stage.counter(.suspicions) == 1)
        #expect(stage.node.status(now: stage.now).peersKnown == 0)
        #expect(puppet.link?.wantedUntil == .zero && puppet.link?.nextConnectRequestAt == nil)
        #expect(puppet.status?.hasCarrier == false && puppet.status?.retryAt == nil)
        // The node has deleted the peer's keys.
        puppet.send(.voice([1]))
        #expect(stage.counter(.datagramsUnknownKey) == 1)
    }

    @Test("a dead peer that links again is present, known, and counted as returned")
    func back() {
        let puppet = stage.link()
        stage.pass(.milliseconds(6_000))
        #expect(stage.counter(.deaths) == 1 && stage.counter(.deadReturned) == 0)
        stage.open(puppet)
        puppet.send(.control())
        #expect(puppet.status?.presence == .present && stage.counter(.deadReturned) == 1)
        #expect(stage.counter(.suspicionsRefuted) == 0 && stage.node.status(now: stage.now).peersKnown == 1)
    }

    @Test(
        "an echo refutes a suspicion; if all neighbours still heard the peer, the local health gets worse",
        arguments: [([], 0), ([true], 1), ([true, true], 1), ([true, false], 0), ([false], 0)])
    func refuted(rows: [Bool], health: Int) {
        let puppet = stage.link()
        let others = rows.map { _ in stage.link() }
        for other in others { other.answers = { _ in true } }
        stage.pass(.milliseconds(1_200))
        for (other, hears) in zip(others, rows) { other.advertiseLinks(hears ? [puppet] : []) }
        // The other peers answer, so only the suspect is silent when the verdict falls.
        stage.pass(.milliseconds(400))
        let suspicion = puppet.status?.presence.suspicion
        #expect(suspicion?.neighbours == rows.count && suspicion?.confirmations == rows.filter { !$0 }.count)
        #expect(stage.counter(.suspicionsRefuted) == 0)
        puppet.send(.control())
        #expect(puppet.status?.state == .up && puppet.status?.presence == .present)
        #expect(stage.counter(.suspicionsRefuted) == 1 && stage.node.status(now: stage.now).localHealth == health)
    }

    @Test("new link states of a neighbour update the neighbours and confirmations of a suspicion")
    func reviewed() {
        let (puppet, second, third) = (stage.link(), stage.link(), stage.link())
        for other in [second, third] { other.answers = { _ in true } }
        stage.pass(.milliseconds(1_600))
        func said() -> [Int?] {
            let suspicion = puppet.status?.presence.suspicion
            return [suspicion?.neighbours, suspicion?.confirmations]
        }
        #expect(said() == [0, 0])
        second.advertiseLinks([third])
        #expect(said() == [1, 1])
        third.advertiseLinks([puppet, second])
        #expect(said() == [2, 1] && puppet.status?.suspicionEndsAt.map { stage.now + .seconds(20) < $0 } == true)
    }

    @Test("an authentic datagram of a suspect restarts its suspicion, and so does a new carrier")
    func heard() throws {
        let puppet = stage.link()
        stage.pass(.milliseconds(1_500))
        let suspected = stage.now
        let block = try #require(puppet.blocks.last?.block)
        #expect(puppet.status?.suspicionEndsAt == suspected + .milliseconds(4_500))
        stage.pass(.seconds(2))
        puppet.send(.voice([1]))
        #expect(puppet.status?.presence.suspicion?.since == stage.now)
        #expect(puppet.status?.suspicionEndsAt == stage.now + .milliseconds(4_500))
        stage.pass(.milliseconds(100))
        puppet.send(.control(echo: block.sequence))
        #expect(puppet.status?.state == .down && stage.counter(.echoesLate) == 1)
        #expect(puppet.status?.presence.suspicion?.since == stage.now)
        // No link follows the carrier.
        stage.pass(.seconds(2))
        stage.open(puppet)
        #expect(puppet.status?.presence.suspicion?.since == stage.now)
    }

    @Test("under plain SWIM, traffic from a suspect does not extend its suspicion")
    func plain() {
        let stage = PuppetStage { $0.suspicion = .plain(.seconds(3)) }
        let puppet = stage.link()
        stage.pass(.milliseconds(1_500))
        let end = stage.now + .seconds(3)
        stage.pass(.seconds(1))
        puppet.send(.voice([1]))
        #expect(puppet.status?.suspicionEndsAt == end)
    }

    @Test("a node without a network declares no peer dead, and restarts the suspicion")
    func noNetwork() {
        let puppet = stage.link()
        stage.pass(.milliseconds(1_600))
        stage.input(.addressesChanged([]))
        stage.pass(.milliseconds(4_400))
        #expect(stage.counter(.deaths) == 0 && puppet.status?.presence.suspicion?.since == stage.now)
        stage.pass(.milliseconds(4_400))
        stage.input(.addressesChanged([PuppetStage.interface(PuppetStage.home.address)]))
        stage.pass(.milliseconds(100))
        #expect(stage.counter(.deaths) == 1)
    }

    @Test("a node without a network declares a peer on its own host dead")
    func onThisHost() {
        let puppet = stage.link(endpoints: [Endpoint(address: IPAddress(v4: 127, 0, 0, 1), port: 7_401)])
        stage.pass(.milliseconds(1_600))
        stage.input(.addressesChanged([]))
        stage.pass(.milliseconds(4_400))
        #expect(stage.counter(.deaths) == 1 && puppet.status?.presence.isDead == true)
    }

    @Test("a peer that leaves or is blocked is not suspected; a peer whose keys expire is")
    func reasons() {
        let (leaving, blocked, leading) = (stage.link(), stage.link(), stage.link(leads: true))
        stage.say(.leave, of: leaving)
        #expect(leaving.status?.presence == .left && stage.counter(.suspicions) == 0)
        stage.input(.command(.block(blocked.id)))
        #expect(blocked.status?.presence == .unmet && stage.counter(.suspicions) == 0)
        leading.answers = { _ in true }
        stage.pass(.milliseconds(179_999))
        #expect(leading.status?.presence == .present && stage.counter(.keysExpired) == 0)
        stage.pass(.milliseconds(1))
        #expect(leading.status?.presence.suspicion?.cause == .silence)
        #expect(stage.counter(.keysExpired) == 1 && stage.counter(.suspicions) == 1)
    }

    @Test("the third lost link within a short time is reported as flapping, until the link has been steady")
    func flaps() {
        let puppet = stage.link()
        func reported() -> [Bool] {
            stage.events.compactMap {
                if case .peerFlapping(puppet.id, let isFlapping) = $0 { isFlapping } else { nil }
            }
        }
        for turn in 1...4 as ClosedRange<UInt64> {
            stage.pass(.milliseconds(1_500))
            #expect(puppet.status?.state == .down && stage.counter(.flapsDamped) == (turn < 3 ? 0 : 1))
            #expect(puppet.status?.isFlapping == (3 <= turn) && reported() == (turn < 3 ? [] : [true]))
            puppet.send(.control())
            #expect(puppet.status?.state == .up)
        }
        puppet.answers = { _ in true }
        stage.pass(.seconds(100))
        #expect(puppet.status?.isFlapping == false && reported() == [true, false] && stage.counter(.flapsDamped) == 1)
    }
}

extension PuppetStage {
    fileprivate var summaryIsWhole: Bool { node.summary.isCliqueComplete }
}
