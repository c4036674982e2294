import Primitives
import Testing
import Voice
import Wire

@Suite("the node's own voice, for each listener")
struct VoiceFanOutTests {
    private static let start = Instant(nanoseconds: 3_600_000_000_000)
    private static let channel = ChannelID(high: 1, low: 1)
    private static let other = ChannelID(high: 1, low: 2)

    /// A node's voice and its packets.
    private struct Bench {
        var fan: VoiceFanOut
        var now = VoiceFanOutTests.start
        private var frames: UInt32 = 0
        private var generation: UInt8 = 0

        init(_ frame: FrameDuration = .ms5, isPlain: Bool = false) {
            var wish = TalkerPolicy.Wish(
                EncoderSettings(frame: frame, bitsPerSecond: 64_000), frameSamples: VoiceProfile.low.frameSamples)
            wish.isPlain = isPlain
            fan = VoiceFanOut(keys: [KeyTargets(channels: [VoiceFanOutTests.channel])], wish: wish)
        }

        mutating func join(_ slots: Range<Int>, _ channels: [ChannelID] = [VoiceFanOutTests.channel]) {
            generation += 1
            let list = ListenerList(channels: channels, generation: generation)
            for index in slots { fan.setList(list, of: PeerSlot(index: index), now: now) }
        }

        mutating func report(losing permille: UInt16, run: UInt16 = 10, from index: Int = 1) {
            let report = ReceptionReport(
                lossPermille: permille, lossRunTenths: run, latePermille: 0, jitterTargetSamples: 96)
            fan.add(report, from: PeerSlot(index: index), now: now)
        }

        mutating func speak(
            _ count: Int = 1, byteCount: Int = 60, duration: FrameDuration = .ms5, flags: VoiceFrameFlags = []
        ) {
            for _ in 0..<count {
                let time = SampleTime(samples: frames * UInt32(duration.samples))
                let frame = VoiceFrame(
                    sampleTime: time, duration: duration, spurt: 1, flags: flags, byteCount: byteCount)
                [UInt8](repeating: 9, count: byteCount).withUnsafeBytes { fan.append(frame, bytes: $0, now: now) }
                frames += 1
            }
        }

        func choice(_ index: Int = 1) -> ListenerChoice? { fan.choice(for: PeerSlot(index: index)) }

        /// The listeners of the payloads, with the ages of their blocks.
        mutating func sent() throws -> [Int: [UInt8]] {
            var sent: [Int: [UInt8]] = [:]
            while let (slot, bytes) = fan.nextPayload() {
                try #require(sent[slot.index] == nil, "two payloads to one listener")
                sent[slot.index] = try bytes.withUnsafeBytes { bytes in
                    var reader = try VoicePayloadReader(bytes)
                    #expect(!reader.header.address.label.isEmpty)
                    var ages: [UInt8] = []
                    while let block = reader.next() { ages.append(block.age) }
                    return ages
                }
            }
            return sent
        }
    }

    @Test("each listener of the channel gets a payload once, and no other peer gets one")
    func members() throws {
        var bench = Bench()
        bench.join(1..<3, [Self.other, Self.channel])
        bench.join(3..<4, [Self.other])
        bench.join(1..<2)
        bench.speak()
        let first = try bench.sent()
        #expect(first == [1: [0], 2: [0]])
        #expect(bench.choice(1) == .initial && bench.choice(3) == nil)
        bench.join(2..<3, [Self.other])
        bench.speak()
        let second = try bench.sent()
        // Peer 2 gets the end of its spurt three times: the frame that it has heard.
        #expect(second == [1: [0, 4], 2: [0]])
        bench.fan.forget(PeerSlot(index: 1), now: bench.now)
        bench.speak()
        let third = try bench.sent()
        #expect(third == [2: [0]])
        #expect(bench.choice(1) == nil)
    }

    @Test("when listeners come and go, the encoder's choice follows at once")
    func crowd() {
        var bench = Bench()
        bench.join(0..<40)
        #expect(bench.fan.encoderChoice.description == "as asked")
        bench.join(40..<41)
        #expect(bench.fan.encoderChoice.frameCause == .listeners(41) && bench.fan.encoderChoice.settings.frame == .ms10)
        bench.join(40..<41, [])
        #expect(bench.fan.encoderChoice.description == "as asked")
        bench.join(40..<41)
        bench.fan.forget(PeerSlot(index: 40), now: bench.now)
        #expect(bench.fan.encoderChoice.description == "as asked")
    }

    @Test("a report changes the scheme of its listener and the encoder, and no other listener's packets")
    func reports() throws {
        var bench = Bench()
        bench.join(1..<3)
        bench.speak(3)
        bench.report(losing: 100)
        #expect(bench.choice(1)?.description == "prepared for 10 % loss, 2 copies 1,2 packets later")
        #expect(bench.choice(2) == .initial)
        #expect(bench.fan.encoderChoice.frameCause == .losses(permille: 100))
        bench.speak()
        let sent = try bench.sent()
        #expect(sent == [1: [0, 4, 8], 2: [0, 4]])
    }

    @Test("short frames come back at once for those that need them after a word to others, or to nobody")
    func wordToOthers() {
        var bench = Bench()
        bench.join(1..<2)
        bench.join(2..<3, [Self.other])
        bench.speak()
        bench.report(losing: 100)
        #expect(bench.fan.encoderChoice.frameCause == .losses(permille: 100))
        for channel in [Self.other, ChannelID(high: 1, low: 3)] {
            bench.fan.setKeys([KeyTargets(channels: [channel])], now: bench.now)
            bench.speak()
            bench.report(losing: 0, from: 2)
            #expect(bench.fan.encoderChoice.frameCause == .asWished)
            bench.fan.setKeys([KeyTargets(channels: [Self.channel])], now: bench.now)
            #expect(bench.fan.encoderChoice.frameCause == .losses(permille: 100))
        }
    }

    @Test("a listener's scheme is that for the present frame length")
    func frames() {
        var bench = Bench()
        bench.join(1..<2)
        bench.speak(duration: .ms2_5)
        bench.report(losing: 200)
        #expect(bench.choice()?.scheme.copyDistances == [1, 2, 3, 4])
        bench.speak(duration: .ms5)
        bench.report(losing: 200)
        #expect(bench.choice()?.scheme.copyDistances == [1, 2, 3])
    }

    @Test("a report counts until 2.5 s after the last speech, and not before the first")
    func lag() {
        var bench = Bench()
        bench.join(1..<4)
        bench.report(losing: 100, from: 1)
        #expect(bench.choice(1)?.cause == .unheard)
        bench.speak()
        bench.now = Self.start + .milliseconds(2_500)
        bench.report(losing: 100, from: 2)
        #expect(bench.choice(2)?.cause == .singles(lossPermille: 100))
        bench.now += Interval(nanoseconds: 1)
        bench.report(losing: 100, from: 3)
        #expect(bench.choice(3)?.cause == .unheard)
    }

    @Test("a remembered loss fades during silence too")
    func silence() {
        var bench = Bench()
        bench.join(1..<2)
        bench.speak()
        bench.report(losing: 100)
        bench.now += .seconds(300)
        bench.report(losing: 0, run: 0)
        #expect(bench.choice()?.description == "no loss, 1 copy 1 packet later")
        #expect(bench.fan.encoderChoice.description == "as asked")
    }

    @Test("a large frame is remembered for 45 smaller ones, and gives fewer copies until then")
    func frameBytes() {
        var bench = Bench()
        bench.join(1..<2)
        bench.speak(byteCount: 512)
        for (more, copies) in [(0, 1), (24, 1), (1, 2), (19, 2), (1, 3)] {
            bench.speak(more)
            bench.report(losing: 400, run: 16)
            #expect(bench.choice()?.scheme.copyDistances.count == copies)
        }
    }

    @Test("a peer in a reused slot starts with the initial state")
    func forget() throws {
        var bench = Bench(.ms2_5, isPlain: true)
        let slot = PeerSlot(index: 1)
        bench.join(1..<2)
        bench.fan.setTakesPlain(true, of: slot, now: bench.now)
        bench.fan.setDirect(false, of: slot, now: bench.now)
        bench.speak(3, duration: .ms2_5)
        bench.report(losing: 100)
        bench.fan.forget(slot, now: bench.now)
        bench.join(1..<2)
        #expect(bench.choice() == .initial)
        #expect(bench.fan.encoderChoice.codedCause == .refused)
        bench.speak(duration: .ms2_5, flags: .independent)
        let first = try bench.sent()
        #expect(first == [1: [0]])
        bench.speak(duration: .ms2_5)
        let sent = try bench.sent()
        #expect(sent == [1: [0, 2]])
        bench.fan.setTakesPlain(true, of: slot, now: bench.now)
        #expect(bench.fan.encoderChoice.settings.isPlain)
        bench.report(losing: 0, run: 0)
        #expect(bench.choice()?.cause == .clean)
    }

    @Test("a frame that was made before its newest listener came begins there only if the listener takes its kind")
    func plainUnderWay() throws {
        var bench = Bench(.ms2_5, isPlain: true)
        bench.join(1..<2)
        bench.fan.setTakesPlain(true, of: PeerSlot(index: 1), now: bench.now)
        bench.speak(byteCount: PlainSound.byteCount(of: 120), duration: .ms2_5, flags: [.plain, .spurtStart])
        _ = try bench.sent()
        bench.join(2..<3)
        bench.speak(byteCount: PlainSound.byteCount(of: 120), duration: .ms2_5, flags: .plain)
        #expect(try bench.sent().keys.sorted() == [1])
        bench.speak(duration: .ms2_5, flags: .independent)
        #expect(try bench.sent().keys.sorted() == [1, 2])
    }

    @Test("plain sound follows the listener's flag and its path")
    func plain() {
        var bench = Bench(.ms2_5, isPlain: true)
        let slot = PeerSlot(index: 1)
        bench.join(1..<2)
        #expect(bench.fan.encoderChoice.codedCause == .refused)
        bench.fan.setTakesPlain(true, of: slot, now: bench.now)
        #expect(bench.fan.encoderChoice.settings.isPlain)
        bench.fan.setDirect(false, of: slot, now: bench.now)
        #expect(bench.fan.encoderChoice.codedCause == .indirect)
        bench.fan.setDirect(true, of: slot, now: bench.now)
        #expect(bench.fan.encoderChoice.settings.isPlain)
        bench.fan.setTakesPlain(false, of: slot, now: bench.now)
        #expect(bench.fan.encoderChoice.codedCause == .refused)
    }

    @Test("plain sound comes back at each change in a pause, and only a few times in a talk")
    func seams() {
        var bench = Bench(.ms2_5, isPlain: true)
        let slot = PeerSlot(index: 1)
        bench.join(1..<2)
        /// Returns whether the sound is plain after the listener has refused and taken it `count` times.
        func isPlain(after count: Int) -> Bool {
            for _ in 0..<count {
                bench.fan.setTakesPlain(false, of: slot, now: bench.now)
                bench.fan.setTakesPlain(true, of: slot, now: bench.now)
            }
            return bench.fan.encoderChoice.settings.isPlain
        }
        #expect(isPlain(after: 9))
        bench.speak(duration: .ms2_5)
        #expect(isPlain(after: VoiceLimits.plainReturnsMax))
        #expect(!isPlain(after: 1))
        #expect(bench.fan.encoderChoice.codedCause == .unsteady)
        bench.now += VoiceLimits.reportLag + .milliseconds(1)
        #expect(isPlain(after: 9))
    }

    @Test("on battery frames are long at once, until the machine is on mains")
    func battery() {
        var bench = Bench()
        bench.join(1..<2)
        bench.fan.setSavesPower(true, now: bench.now)
        #expect(bench.fan.encoderChoice.frameCause == .battery && bench.fan.encoderChoice.settings.frame == .ms20)
        bench.fan.setSavesPower(false, now: bench.now)
        #expect(bench.fan.encoderChoice.description == "as asked")
    }
}
