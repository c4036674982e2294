import Mesh
import Primitives
import Testing
import Wire

@Suite("The contents of control blocks, and their effects")
struct ControlBlockTests {
    private let stage = PuppetStage()
    private let tick = Interval(nanoseconds: 1)
    private let report = ReceptionReport(lossPermille: 5, lossRunTenths: 10, latePermille: 2, jitterTargetSamples: 480)

    /// Outputs about flags during `body`.
    private func reported(_ body: () -> Void) -> [String] {
        stage.outputs(of: body).compactMap {
            switch $0 {
            case .peerTakesPlain(let isSet, _): "plain \(isSet)"
            case .event(.peerTalking(_, _, let isSet)): "talking \(isSet)"
            case .event(.peerRecording(_, _, let isSet)): "recording \(isSet)"
            default: nil
            }
        }
    }

    @Test(
        "each change of a flag is reported, once",
        arguments: [(ControlFlags.takesPlain, "plain"), (.talking, "talking"), (.recording, "recording")])
    func flags(flag: ControlFlags, word: String) {
        let puppet = stage.link()
        #expect(reported { puppet.send(.control(flags: flag)) } == ["\(word) true"])
        #expect(reported { puppet.send(.control(flags: flag)) }.isEmpty)
        #expect(puppet.status?.isTalking == (flag == .talking) && puppet.status?.isRecording == (flag == .recording))
        // A block that was overtaken carries an old state.
        puppet.sequence -= 2
        #expect(reported { puppet.send(.control()) }.isEmpty)
        puppet.sequence += 1
        #expect(reported { puppet.send(.control()) } == ["\(word) false"])
        #expect(puppet.status?.isTalking == false && puppet.status?.isRecording == false)
    }

    @Test("what a peer refuses is known by its newest block, without an event")
    func refusals() {
        let puppet = stage.link()
        #expect(puppet.status?.refusedTalk.isEmpty == true)
        #expect(reported { puppet.send(.control(flags: .refusesPrivate)) }.isEmpty)
        #expect(puppet.status?.refusedTalk == .privately)
        puppet.send(.control(flags: [.refusesPrivate, .refusesToAll]))
        #expect(puppet.status?.refusedTalk == .all)
        puppet.send(.control(flags: .refusesToAll))
        #expect(puppet.status?.refusedTalk == .toAll)
    }

    @Test("16 changes of flags are reported at once, then one each 250 ms; an unchanged flag uses no allowance")
    func flagRate() {
        let puppet = stage.link()
        for _ in 0..<40 { puppet.send(.control()) }
        let words = reported { for turn in 0..<17 { puppet.send(.control(flags: turn % 2 == 0 ? .talking : [])) } }
        #expect(words.count == 16 && stage.counter(.flagChangesOverRate) == 1)
        #expect(puppet.status?.isTalking == false)
        stage.pass(.milliseconds(250) - tick)
        #expect(reported { puppet.send(.control(flags: .talking)) }.isEmpty)
        stage.pass(tick)
        #expect(reported { puppet.send(.control(flags: .talking)) } == ["talking true"])
        #expect(stage.counter(.flagChangesOverRate) == 2)
    }

    @Test("media clock and report are passed on from each block that is the newest, if the link is up")
    func words() {
        let puppet = stage.link()
        let outputs = stage.outputs { puppet.send(.control(sampleTime: 4_800, report: report)) }
        guard outputs.count == 3, case .peerHoldsChannels(generation: 1, of: puppet.slot) = outputs[0],
            case .peerMediaClock(SampleTime(samples: 4_800), of: puppet.slot) = outputs[1],
            case .peerReport(report, from: puppet.slot) = outputs[2]
        else { return #expect(Bool(false), "\(outputs)") }
        #expect(puppet.status?.report == report && puppet.status?.lossOutPermille == 5)
        puppet.sequence -= 2
        #expect(stage.outputs { puppet.send(.control(sampleTime: 1, report: report)) }.isEmpty)
        puppet.sequence += 1
        #expect(stage.outputs { puppet.send(.control(sampleTime: 2)) }.count == 1)
        #expect(puppet.status?.report == report)
        stage.pass(.seconds(2))
        let asleep = stage.outputs { puppet.send(.control(echo: 0, sampleTime: 3, report: report)) }
        #expect(puppet.status?.state == .down && asleep.isEmpty && puppet.status?.report == nil)
    }

    @Test("a different digest causes an exchange of versions, and an equal one does not")
    func digest() {
        let puppet = stage.link()
        puppet.answers = { _ in true }
        stage.pass(.seconds(2))
        let before = stage.counter(.versionExchanges)
        stage.pass(.seconds(2))
        #expect(stage.counter(.versionExchanges) == before)
        #expect(stage.node.status(now: stage.now).peersAgreeingOnDigest == 1)
        puppet.digest = 4_711
        puppet.send(.control())
        #expect(stage.node.status(now: stage.now).peersAgreeingOnDigest == 0)
        stage.pass(.milliseconds(600))
        #expect(stage.counter(.versionExchanges) == before + 1)
    }

    @Test("blocks have consecutive numbers, and echo the newest block of their path and the time since it came")
    func echoes() throws {
        let puppet = stage.link()
        puppet.answers = { _ in true }
        stage.pass(.seconds(3))
        let numbers = puppet.blocks.map(\.block.sequence)
        #expect(5 < numbers.count && zip(numbers, numbers.dropFirst()).allSatisfy { $0 &+ 1 == $1 })
        puppet.answers = { _ in false }
        puppet.send(.control())
        stage.pass(.milliseconds(20))
        stage.input(.talking(.everybody))
        stage.pass(.zero)
        let block = try #require(puppet.blocks.last)
        #expect(block.block.echo == puppet.sequence - 1 && block.block.echoDelayMicroseconds == 20_000)
        // A block that came inside the carrier is echoed there, and not elsewhere.
        puppet.send(.control(flags: .probe), by: .carrier)
        let carried = try #require(puppet.blocks.last)
        #expect(carried.route.isCarrier && carried.block.echo == puppet.sequence - 1)
        #expect(carried.block.echoDelayMicroseconds == 0)
        stage.input(.talking(.nobody))
        stage.pass(.zero)
        #expect(puppet.blocks.last?.block.echo == puppet.sequence - 2)
    }

    @Test("the first number of a session may be the highest one")
    func wrap() {
        let stage = PuppetStage { $0.firstSequence = .max - 1 }
        let puppet = stage.link()
        puppet.answers = { _ in true }
        stage.pass(.seconds(2))
        #expect(puppet.blocks.prefix(3).map(\.block.sequence) == [.max, 0, 1])
        #expect(puppet.status?.state == .up)
    }

    @Test(
        "a round trip excludes the echo delay, is never negative, and is reported once for a probe command"
    )
    func roundTrips() throws {
        let puppet = stage.link()
        func rtts() -> [Interval] {
            stage.events.compactMap {
                if case .probeAnswered(puppet.slot, puppet.id, let rtt) = $0 { rtt } else { nil }
            }
        }
        for (wait, delay, rtt) in [(30, 10_000, 20), (5, 9_000, 0), (5, 0, 5)] as [(Int64, UInt32, Int64)] {
            let before = rtts().count
            stage.input(.command(.probe(puppet.slot)))
            let block = try #require(puppet.blocks.last?.block)
            #expect(block.flags.contains(.probe))
            stage.pass(.milliseconds(wait))
            puppet.send(.control(echo: block.sequence, delay: delay))
            puppet.send(.control(echo: block.sequence, delay: delay))
            #expect(rtts().dropFirst(before) == [.milliseconds(rtt)])
        }
        // The link's own first echo took no time: an eighth of 20 ms, seven eighths of that, and an eighth of 5 ms.
        #expect(puppet.status?.rtt == Interval(nanoseconds: 2_539_062))
        stage.input(.command(.probe(PeerSlot(index: 1))))
        #expect(stage.node.status(now: stage.now).peers.count == 1)
    }

    @Test("an echo after 1.4 s is late, is counted once if its block is known, and proves nothing")
    func lateEcho() throws {
        let puppet = stage.link()
        stage.input(.command(.probe(puppet.slot)))
        let block = try #require(puppet.blocks.last?.block)
        for _ in 0..<15 {
            stage.pass(.milliseconds(100))
            puppet.send(.control(echo: 0))
        }
        #expect(puppet.status?.state == .verifying && stage.counter(.echoesLate) == 0)
        puppet.send(.control(echo: block.sequence))
        #expect(puppet.status?.state == .verifying && stage.counter(.echoesLate) == 1)
        puppet.send(.control(echo: block.sequence))
        puppet.send(.control(echo: block.sequence &+ 100))
        #expect(stage.counter(.echoesLate) == 1)
        #expect(stage.events.allSatisfy { if case .probeAnswered = $0 { false } else { true } })
    }

    @Test("an echo of a control block from before a sleep of 3 s is late, although the clock stood still meanwhile")
    func echoAfterSleep() throws {
        let puppet = stage.link()
        func newestDirect() -> UInt32? { puppet.blocks.last { $0.route.endpoint != nil }?.block.sequence }
        stage.pass(.milliseconds(1_250))
        let before = try #require(newestDirect())
        stage.input(.resumed(gap: .seconds(3), slept: .seconds(3)))
        stage.pass(.seconds(1))
        #expect(puppet.status?.state == .down)
        puppet.send(.control(echo: before, delay: 4_000_000))
        #expect(puppet.status?.state == .down && stage.counter(.echoesLate) == 1)
        let after = try #require(newestDirect())
        puppet.send(.control(echo: after))
        #expect(puppet.status?.state == .up && stage.counter(.echoesLate) == 1)
    }

    @Test("a probe is answered at once over its path; a verifying node answers with a probe, except to an answer")
    func probes() throws {
        let puppet = stage.link()
        func answers(_ words: Puppet.Words, by route: Puppet.Way) -> [(isCarrier: Bool, flags: ControlFlags)] {
            let before = puppet.blocks.count
            puppet.send(words, by: route)
            return puppet.blocks.dropFirst(before).map { ($0.route.isCarrier, $0.block.flags) }
        }
        for route in [Puppet.Way.address(puppet.home), .carrier] {
            #expect(answers(.control(), by: route).isEmpty)
            let plain = answers(.control(echo: 0, flags: .probe), by: route)
            #expect(plain.map(\.isCarrier) == [route.isCarrier] && plain[0].flags == [])
        }
        stage.pass(.seconds(1))
        #expect(puppet.status?.state == .verifying)
        #expect(answers(.control(echo: 0, flags: .probe), by: .carrier).map(\.flags) == [.probe])
        #expect(answers(.control(echo: 1, flags: .probe), by: .carrier).map(\.flags) == [[]])
        #expect(puppet.status?.state == .verifying)
    }

    @Test(
        "a probe over another path starts verification here too, if the chosen path has been stale for 0.7 s",
        arguments: [(Int64(700), false), (701, true)])
    func sharedDoubt(age: Int64, isDoubted: Bool) {
        let puppet = stage.link()
        stage.pass(.milliseconds(age))
        puppet.send(.control(echo: 0, flags: .probe))
        #expect(puppet.status?.state == .up, "a probe on the chosen path is just a question")
        puppet.send(.control(echo: 0), by: .carrier)
        #expect(puppet.status?.state == .up, "an ordinary block is no question")
        puppet.send(.control(echo: 0, flags: .probe), by: .carrier)
        #expect((puppet.status?.state == .verifying) == isDoubted)
        let verifying = stage.events.count { if case .peerVerifying = $0 { true } else { false } }
        puppet.send(.control(echo: 0, flags: .probe), by: .carrier)
        #expect(stage.events.count { if case .peerVerifying = $0 { true } else { false } } == verifying)
    }

    @Test("only ordinary blocks over one direct path count as a measure of loss")
    func loss() {
        for (what, words, route, permille) in [
            ("ordinary", Puppet.Words.control(), false, 7), ("a probe", .control(flags: .probe), false, 0),
            ("inside the carrier", .control(), true, 0), ("probe inside the carrier", .control(flags: .probe), true, 0),
        ] {
            let stage = PuppetStage()
            let puppet = stage.link()
            puppet.send(.control())
            stage.pass(.milliseconds(300))
            puppet.send(words, by: route ? .carrier : nil)
            stage.pass(.milliseconds(600))
            puppet.sequence += 1
            puppet.send(.control())
            #expect(puppet.status?.controlLossPermille == permille, "\(what)")
            #expect(puppet.status?.state == .up)
        }
    }
}
