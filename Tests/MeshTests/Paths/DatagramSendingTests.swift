import Mesh
import Primitives
import Testing
import Wire

@Suite("Datagrams that leave")
struct DatagramSendingTests {
    private let stage = PuppetStage()
    private let tick = Interval(nanoseconds: 1)

    /// Datagrams that a puppet receives during `body`.
    private func got(_ puppet: Puppet, _ body: () -> Void) -> [(route: Puppet.Way, body: DatagramBody)] {
        let before = puppet.inbox.count
        body()
        return puppet.inbox.dropFirst(before).map { ($0.route, $0.body) }
    }

    @Test("voice of 1,100 bytes is sent; a longer one, an unknown slot and a peer without a link are counted")
    func refused() {
        let puppet = stage.link()
        func speak(_ count: Int, _ slot: PeerSlot) -> Int {
            got(puppet) { stage.input(.voice([UInt8](repeating: 7, count: count), to: slot)) }.count
        }
        #expect(speak(1_100, puppet.slot) == 1 && stage.counter(.voiceOversized) == 0)
        #expect(speak(1_101, puppet.slot) == 0 && stage.counter(.voiceOversized) == 1)
        #expect(stage.counter(.voiceWithoutLink) == 0)
        #expect(speak(1, PeerSlot(index: 1)) == 0 && stage.counter(.voiceWithoutLink) == 1)
        stage.pass(.seconds(2))
        #expect(speak(1, puppet.slot) == 0 && stage.counter(.voiceWithoutLink) == 2)
        #expect(stage.counter(.voiceOversized) == 1)
    }

    @Test("a control block that is due within 40 ms rides on voice, and the next one follows after 375 to 500 ms")
    func riding() throws {
        let puppet = stage.link()
        stage.pass(.milliseconds(200))
        let due = try #require(stage.nextDeadline)
        #expect(due.reason == .control)
        let sent = stage.counter(.controlBlocksSent)
        for (early, rides) in [(Interval.milliseconds(40) + tick, false), (.milliseconds(40), true)] {
            stage.now = due.at - early
            let bodies = got(puppet) { stage.input(.voice([7], to: puppet.slot)) }
            #expect(bodies.count == 1 && bodies[0].body.voice == [7] && (bodies[0].body.control != nil) == rides)
            #expect(bodies[0].body.control?.flags ?? [] == [])
            #expect(stage.counter(.controlBlocksRiding) == (rides ? 1 : 0))
        }
        #expect(stage.counter(.controlBlocksSent) == sent)
        let next = try #require(stage.nextDeadline)
        #expect(.milliseconds(375) <= next.at - stage.now && next.at - stage.now <= .milliseconds(500))
    }

    @Test("during verification voice takes two paths with the same bytes, and a due control block leaves alone")
    func twoWays() {
        let puppet = stage.link()
        stage.pass(.seconds(1))
        #expect(puppet.status?.state == .verifying)
        var blocks: [Int] = []
        for number in 0..<50 as Range<UInt8> {
            let outputs = stage.outputs { stage.input(.voice([number], to: puppet.slot)) }
            blocks.append(outputs.count - 2)
            guard case .send(let direct, to: puppet.home)? = outputs.dropLast().last,
                case .carrierSendVoice(_, let frame)? = outputs.last
            else { return #expect(Bool(false), "\(outputs)") }
            #expect(frame == CarrierMessage.datagram(direct).encoded())
            stage.now += .milliseconds(10)
        }
        let voices = puppet.inbox.filter { !$0.body.voice.isEmpty }
        // The replay window accepts the first copy.
        #expect(voices.map { $0.body.voice[0] } == Array(0..<50) && voices.allSatisfy { $0.body.control == nil })
        #expect(blocks.filter { $0 == 1 }.count == Int(stage.counter(.controlBlocksRiding)) && blocks.max() == 1)
        #expect(1 <= stage.counter(.controlBlocksRiding))
    }

    @Test("voice takes a lost direct path too, beside the carrier, for 12 s or until the direct path answers")
    func formerDirect() {
        let puppet = stage.link()
        let lastEcho = stage.now
        puppet.answers = { $0.isCarrier }
        stage.pass(.milliseconds(1_200))
        #expect(puppet.status?.state == .up && puppet.chosenPath?.route == .carrier)
        /// Whether the voice leaves over the direct path, and whether over the carrier.
        func ways() -> [Bool] {
            let outputs = stage.outputs { stage.input(.voice([1], to: puppet.slot)) }
            let isDirect = outputs.contains { if case .send(_, to: puppet.home) = $0 { true } else { false } }
            let isCarried = outputs.contains { if case .carrierSendVoice = $0 { true } else { false } }
            return [isDirect, isCarried]
        }
        #expect(ways() == [true, true])
        stage.pass(lastEcho + .seconds(12) - stage.now)
        #expect(puppet.status?.state == .up && ways() == [true, true])
        stage.pass(.milliseconds(1))
        #expect(ways() == [false, true])
        puppet.answers = { _ in true }
        stage.pass(.seconds(10))
        #expect(puppet.chosenPath?.route == .address(puppet.home) && ways() == [true, false])
    }

    @Test("all linked peers learn of the talk key and of a recording at once, and once for each change")
    func reported() {
        let (puppet, other) = (stage.link(), stage.link())
        let asleep = stage.agree()
        let cases: [(MeshInput, ControlFlags)] = [
            (.talking(.everybody), .talking), (.command(.setRecording(true)), [.talking, .recording]),
            (.talking(.nobody), .recording), (.command(.setRecording(false)), []),
        ]
        for (input, flags) in cases {
            stage.pass(.milliseconds(50))
            for isAgain in [false, true] {
                let count = asleep.blocks.count
                for peer in [puppet, other] {
                    peer.inbox.removeAll()
                }
                stage.input(input)
                stage.pass(.zero)
                for peer in [puppet, other] {
                    #expect(peer.blocks.map(\.block.flags) == (isAgain ? [] : [flags]))
                }
                #expect(asleep.blocks.count == count)
            }
        }
    }

    @Test("reception report, media clock and the flag of plain sound are in the next block to the peer")
    func facts() throws {
        let stage = PuppetStage { $0.takesPlain = true }
        let (puppet, other) = (stage.link(), stage.link())
        let report = ReceptionReport(lossPermille: 9, lossRunTenths: 10, latePermille: 1, jitterTargetSamples: 96)
        stage.input(.receptionReport(report, of: puppet.slot))
        stage.input(.receptionReport(report, of: PeerSlot(index: 2)))
        stage.input(.mediaClock(SampleTime(samples: 96_000)))
        stage.pass(.milliseconds(500))
        for (peer, expected) in [(puppet, report), (other, nil)] {
            let last = try #require(peer.blocks.last)
            #expect(last.block.report == expected && last.block.flags == .takesPlain)
            let samples = 96_000 + (500 - (stage.now - last.at).milliseconds) * 48
            #expect(abs(Int64(last.block.sampleTime.samples) - samples) <= 48)
            #expect(last.block.digest == stage.node.summary.digest)
        }
        #expect(puppet.status?.lossInPermille == 9)
        stage.pass(.seconds(2))
        stage.input(.receptionReport(report, of: puppet.slot))
        #expect(puppet.status?.state == .down && puppet.status?.lossInPermille == 0)
    }

    @Test("heartbeats leave 375 to 500 ms apart, use the whole range, and are counted")
    func pace() {
        let puppet = stage.link()
        puppet.answers = { _ in true }
        stage.pass(.milliseconds(500))
        let (before, first) = (stage.counter(.controlBlocksSent), puppet.blocks.count)
        stage.pass(.seconds(60))
        #expect(stage.counter(.controlBlocksSent) - before == UInt64(puppet.blocks.count - first))
        let times = puppet.blocks.map(\.at).dropFirst(first)
        let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
        let (least, most) = (gaps.min() ?? .zero, gaps.max() ?? .zero)
        #expect(.milliseconds(375) <= least && least < .milliseconds(380))
        #expect(most <= .milliseconds(500) && .milliseconds(495) < most)
    }

    @Test("the shortest interval is 375 ms, to a tenth of a millisecond, and the longest 500 ms")
    func bounds() throws {
        let puppet = stage.link()
        puppet.answers = { _ in true }
        var waits: [Interval] = []
        stage.pass(.milliseconds(200))
        for turn in 0..<6_000 {
            // The block is due at once, so that one rides on each packet.
            stage.input(.talking(turn % 2 == 0 ? .everybody : .nobody))
            stage.input(.voice([1], to: puppet.slot))
            let next = try #require(stage.nextDeadline)
            if next.reason == .control { waits.append(next.at - stage.now) }
            stage.pass(.milliseconds(1))
        }
        let (least, most) = (try #require(waits.min()), try #require(waits.max()))
        #expect(.milliseconds(375) <= least && least < .microseconds(375_100))
        #expect(.microseconds(499_900) < most && most <= .milliseconds(500))
    }
}
