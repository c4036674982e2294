import Primitives
import Testing
import Voice

@Suite("limits of the talk key, on both sides")
struct TalkKeyLimitTests {
    private let start = Instant(nanoseconds: 7_000_000_000)

    @Test("a press ends a latch from outside, and the key may be pressed again after its release")
    func latch() {
        var key = SmartKey()
        key.latch()
        key.handle(.press, now: start)
        #expect(!key.isTalking)
        key.handle(.press, now: start)
        #expect(!key.isTalking, "still the press that ended it")
        key.handle(.release, now: start)
        key.handle(.press, now: start)
        #expect(key.isTalking && key.isHeld)
        key.letGo()
        key.handle(.release, now: start)
        #expect(!key.isTalking, "let go from outside: that release is no tap")
        key.handle(.press, now: start)
        #expect(key.isTalking, "and the next press is a press")
    }

    @Test("a tap that ends a latch leaves the key up, and the next press talks")
    func endedByTap() {
        var key = SmartKey()
        for event in [SmartKey.Event.press, .tap, .press, .tap] { key.handle(event, now: start) }
        #expect(!key.isTalking)
        key.handle(.press, now: start)
        #expect(key.isTalking)
    }

    @Test("a key is released after two minutes, to the nanosecond, and again after the next two")
    func stuck() {
        var key = StuckKey(limit: TalkLimits.keyLimit)
        for begin in [start, start + .seconds(500)] {
            key.update(isDown: true, now: begin)
            #expect(key.deadline == begin + .seconds(120) && !key.isStuck)
            key.update(isDown: true, now: begin + Interval(nanoseconds: 119_999_999_999))
            #expect(!key.isStuck)
            key.update(isDown: true, now: begin + .seconds(120))
            #expect(key.isStuck)
            key.update(isDown: false, now: begin + .seconds(130))
            #expect(!key.isStuck && key.deadline == nil)
        }
        key.update(isDown: true, now: start)
        key.update(isDown: false, now: start)
        #expect(key.deadline == nil, "up before its limit")
    }

    @Test("a hang time may be 50 ms to 5 s")
    func hangRange() {
        let asked: [Int64] = [49, 50, 5_000, 5_001]
        #expect(asked.map(TalkLimits.voxHangMilliseconds.contains) == [false, true, true, false])
    }

    @Test("in half-duplex the key opens when the others have been silent for 9,600 samples, not earlier")
    func silentOthers() {
        var floor = HalfDuplex()
        func may(_ wants: Bool, others: Bool, _ samples: Int = 240) -> Bool {
            floor.mayTalk(wants: wants, isHeld: wants, othersHeard: others, samples: samples)
        }
        #expect(floor.state == .idle)
        #expect(!may(true, others: true))
        let isSilent = (0..<9_599).allSatisfy { _ in !may(true, others: false, 1) }
        #expect(isSilent)
        #expect(floor.state == .listening(left: 1))
        #expect(may(true, others: false, 1) && floor.state == .talking)
        #expect(may(true, others: true), "a member that talks already may go on")
        #expect(!may(false, others: true), "and has to listen afterwards")
        #expect(!may(false, others: false, 9_600))
        #expect(floor.state == .idle)
        #expect(may(true, others: false))
        #expect(!may(false, others: false) && floor.state == .idle)
        #expect(!may(false, others: true))
        #expect(floor.state == .listening(left: 9_600))
        #expect(!may(true, others: false, 4_800))
        #expect(!may(true, others: true, 4_800))
        #expect(floor.state == .listening(left: 9_600), "heard again: the whole wait starts anew")
    }

    @Test("the gate of a half-duplex node waits for the floor, and that of another node does not")
    func gate() {
        let detection = VoiceDetector.Settings(attackSegments: 1, hangSegments: 1, powerMin: 1e-5)
        func opens(_ isHalfDuplex: Bool) -> [Bool] {
            var gate = TalkGate(detection: detection, isHalfDuplex: isHalfDuplex)
            let block = [Float](repeating: 0, count: 4_800)
            return [(false, true), (true, true), (true, false), (true, false), (true, true), (false, false)].map {
                wants, others in
                block.withUnsafeBufferPointer { samples in
                    samples.baseAddress.map {
                        !gate.keysOpened(
                            $0, count: 4_800, keys: TalkGate.Keys(down: wants ? .first : []), isCoughing: false,
                            othersHeard: others
                        ).isEmpty
                    } ?? false
                }
            }
        }
        #expect(opens(true) == [false, false, false, true, true, false])
        #expect(opens(false) == [false, true, true, true, true, false])
    }

    @Test("of the sound before the voice opened the key the last 20 ms are sent, to the sample")
    func preRoll() {
        let encoder = VoiceEncoder(
            state: UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1),
            encode: { _, _, _, bytes, _ in
                bytes[0] = 1
                return 1
            },
            reset: { _ in }, destroy: { $0.deallocate() }, lookaheadSamples: 0)
        var sender = VoiceSender(encoder: encoder, duration: .ms5, preRollSamples: TalkLimits.preRollSamples)
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: VoiceLimits.frameBytesMax, alignment: 16)
        defer { bytes.deallocate() }
        var begins: [UInt32] = []
        for number in 0..<10 {
            let keys: KeySet = number == 9 ? .first : []
            [Float](repeating: 0.1, count: 240).withUnsafeBufferPointer { sender.push($0, keys: keys, voiced: keys) }
            while let frame = sender.nextFrame(into: bytes) { begins.append(frame.sampleTime.samples) }
        }
        #expect(begins == [1_200, 1_440, 1_680, 1_920, 2_160], "pressed at 2,160")
    }
}
