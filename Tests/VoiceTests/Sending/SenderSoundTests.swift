import Primitives
import Testing
import Voice

/// The calls of an encoder, and its answers.
private final class Recorder {
    var frames: [[Float]] = []
    var rates: [Int32] = []
    var resets = 0
    var destroyed = 0
    /// The size of a coded frame.
    var answer: Int32 = 1
    var refusesSilence = false

    static func of(_ state: UnsafeMutableRawPointer) -> Recorder {
        Unmanaged<Recorder>.fromOpaque(state).takeUnretainedValue()
    }

    /// - Note: the recorder must outlive the encoder.
    func encoder() -> VoiceEncoder {
        VoiceEncoder(
            state: Unmanaged.passUnretained(self).toOpaque(),
            encode: { state, samples, count, bytes, _ in
                let recorder = Recorder.of(state)
                let sound = Array(UnsafeBufferPointer(start: samples, count: Int(count)))
                recorder.frames.append(sound)
                bytes[0] = 1
                return recorder.refusesSilence && sound.allSatisfy { $0 == 0 } ? 0 : recorder.answer
            },
            setBitrate: { Recorder.of($0).rates.append($1) }, reset: { Recorder.of($0).resets += 1 },
            destroy: { Recorder.of($0).destroyed += 1 }, lookaheadSamples: 0)
    }
}

/// A sender and its output. The recorder is declared second, so that it is destroyed after the sender.
private struct Bench: ~Copyable {
    var sender: VoiceSender
    let recorder = Recorder()
    var frames: [VoiceFrame] = []
    /// Bytes of the latest frame.
    var bytes = [UInt8](repeating: 0, count: 512)

    init(_ duration: FrameDuration, isPlain: Bool = false, preRollSamples: Int = 0) {
        sender = VoiceSender(encoder: recorder.encoder(), duration: .ms2_5, preRollSamples: preRollSamples)
        follow(duration, isPlain: isPlain)
    }

    mutating func follow(_ frame: FrameDuration, isPlain: Bool = false) {
        sender.follow(EncoderSettings(frame: frame, bitsPerSecond: 64_000, isPlain: isPlain))
    }

    /// Pushes a constant sound of 0.5.
    mutating func push(_ count: Int, isOpen: Bool, isVoiced: Bool = false) {
        [Float](repeating: 0.5, count: count).withUnsafeBufferPointer {
            sender.push($0, keys: isOpen ? .first : [], voiced: isVoiced ? .first : [])
        }
        while let frame = bytes.withUnsafeMutableBytes({ sender.nextFrame(into: $0) }) { frames.append(frame) }
    }

    /// The samples of a plain frame.
    var plainSamples: [Int16] {
        stride(from: 0, to: frames.last?.byteCount ?? 0, by: 2).map {
            Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
    }

    var times: [UInt32] { frames.map(\.sampleTime.samples) }
}

@Suite("the sound that a sender encodes")
struct SenderSoundTests {
    @Test(
        "a spurt rises within 5 ms or its first frame, fades out within a frame, and ends with a silent frame",
        arguments: [(FrameDuration.ms2_5, 120), (.ms5, 240), (.ms10, 240), (.ms20, 240)])
    func edges(duration: FrameDuration, rise: Int) {
        var bench = Bench(duration)
        let count = duration.samples
        for isOpen in [true, true, false, false, false, false] { bench.push(count, isOpen: isOpen) }
        let first: [Float] = (0..<count).map { 0.5 * Float(min($0, rise)) / Float(rise) }
        let fade: [Float] = (0..<count).map { 0.5 - 0.5 * Float($0) / Float(count) }
        let expected = [first, [Float](repeating: 0.5, count: count), fade, [Float](repeating: 0, count: count)]
        #expect(bench.recorder.frames.map { $0.count } == [count, count, count, count])
        for (sound, expected) in zip(bench.recorder.frames, expected) {
            let worst: Float = zip(sound, expected).map { abs($0 - $1) }.max() ?? 1
            #expect(worst < 1e-6)
        }
    }

    @Test("the encoder gets each new rate once, is reset for each spurt, and is destroyed once")
    func encoder() {
        let recorder = Recorder()
        func use() {
            var sender = VoiceSender(encoder: recorder.encoder(), duration: .ms5)
            for rate in [1, 64_000, 64_000, 96_000] {
                sender.follow(EncoderSettings(frame: .ms5, bitsPerSecond: rate))
            }
            #expect(recorder.rates == [1, 64_000, 96_000])
            #expect(recorder.destroyed == 0)
        }
        use()
        #expect(recorder.destroyed == 1)
        var bench = Bench(.ms5)
        for isOpen in [true, true, false, false, false, false, true] { bench.push(240, isOpen: isOpen) }
        #expect(bench.recorder.resets == 2)
    }

    @Test("plain frames are 16-bit samples with full scale 32,767, and the encoder is not called")
    func plain() {
        var bench = Bench(.ms5, isPlain: true)
        bench.push(240, isOpen: true)
        #expect(bench.frames.last?.flags == [.spurtStart, .plain] && bench.frames.last?.byteCount == 480)
        bench.push(240, isOpen: true)
        #expect(bench.plainSamples == [Int16](repeating: 16_384, count: 240))
        #expect(bench.recorder.frames.isEmpty)
    }

    @Test("a change from plain to coded within a word starts a new spurt, without a fade")
    func change() {
        var bench = Bench(.ms2_5, isPlain: true)
        bench.push(120, isOpen: true)
        bench.follow(.ms2_5)
        bench.push(240, isOpen: true)
        #expect(bench.frames.map(\.flags) == [[.spurtStart, .plain], .spurtStart, []])
        #expect(bench.frames.map(\.spurt) == [1, 2, 2] && bench.recorder.resets == 2)
        #expect(bench.recorder.frames == Array(repeating: [Float](repeating: 0.5, count: 120), count: 2))
    }
}

@Suite("limits of a sender's frames")
struct SenderLimitTests {
    /// The encoder of a sender from which no frame is taken.
    fileprivate static func idle() -> VoiceEncoder {
        VoiceEncoder(
            state: .allocate(byteCount: 1, alignment: 1), encode: { _, _, _, _, _ in 0 }, reset: { _ in },
            destroy: { $0.deallocate() }, lookaheadSamples: 0)
    }

    @Test(
        "a frame of 1 to 512 bytes is sent, and any other size is counted",
        arguments: [(-1, false), (0, false), (1, true), (512, true), (513, false)] as [(Int32, Bool)])
    func answers(byteCount: Int32, isSent: Bool) {
        var bench = Bench(.ms5)
        var failures = bench.sender.encoderFailures
        #expect(failures == 0)
        bench.recorder.answer = byteCount
        bench.push(240, isOpen: true)
        #expect(bench.frames.map(\.byteCount) == (isSent ? [Int(byteCount)] : []))
        failures = bench.sender.encoderFailures
        #expect(failures == (isSent ? 0 : 1))
    }

    @Test("if the last frame of a spurt cannot be coded, nothing is repeated")
    func refusedEnd() {
        var bench = Bench(.ms5)
        bench.recorder.refusesSilence = true
        for isOpen in [true, false, false, false, false, false] { bench.push(240, isOpen: isOpen) }
        #expect(bench.times == [0, 240])
        let (failures, isTalking) = (bench.sender.encoderFailures, bench.sender.isTalking)
        #expect(failures == 1 && !isTalking)
    }

    @Test("the length of the next frame is known as soon as a period has come")
    func duration() {
        var bench = Bench(.ms2_5)
        bench.push(120, isOpen: true)
        bench.follow(.ms20)
        [Float](repeating: 0.5, count: 120).withUnsafeBufferPointer { bench.sender.push($0, keys: .first) }
        let duration = bench.sender.duration
        #expect(duration == .ms20)
    }

    @Test("a plain spurt that was about to change to long frames ends with plain frames of 2.5 ms")
    func endsPlain() {
        var bench = Bench(.ms1_25, isPlain: true)
        bench.push(60, isOpen: true)
        bench.follow(.ms20)
        bench.push(120, isOpen: true)
        // The repeats of the end already take the time of long frames.
        bench.push(2_400, isOpen: false)
        #expect(bench.frames.map(\.duration) == [.ms1_25, .ms2_5, .ms2_5, .ms2_5, .ms2_5])
        #expect(bench.times == [0, 60, 180, 180, 180])
    }

    @Test("after a plain spurt the sample time continues with the frames of the next one")
    func nextIsCoded() {
        var bench = Bench(.ms2_5, isPlain: true)
        bench.push(120, isOpen: true)
        bench.follow(.ms20)
        // A fade and silence of 120 samples each, two repeats and two unsent frames of 960; 720 are dropped.
        bench.push(4_800, isOpen: false)
        #expect(bench.times == [0, 120, 240, 240, 240])
        bench.push(960, isOpen: true)
        #expect(bench.times.last == 4_920 && bench.frames.last?.flags == .spurtStart)
    }

    @Test("nothing from before the key is sent, also after a refused frame and a change to shorter frames")
    func refusedThenShorter() {
        var bench = Bench(.ms2_5)
        bench.recorder.refusesSilence = true
        bench.push(120, isOpen: true)
        bench.follow(.ms1_25, isPlain: true)
        bench.push(300, isOpen: false)
        #expect(bench.times == [0, 120])
        bench.push(60, isOpen: true)
        #expect(bench.times == [0, 120, 420])
    }

    @Test("without pre-roll no frame is marked as such, also if shorter frames find more than one waiting")
    func noPreRoll() {
        var bench = Bench(.ms5)
        bench.push(239, isOpen: true)
        bench.follow(.ms2_5)
        bench.push(10, isOpen: true)
        #expect(bench.frames.map(\.flags) == [.spurtStart, []])
    }

    @Test("sound from before a press is not sent, and the frame begins with the press")
    func soundBeforePress() {
        var bench = Bench(.ms20)
        for isOpen in [false, false, false, true, true, true, true] { bench.push(240, isOpen: isOpen) }
        let sound = bench.recorder.frames.flatMap { $0 }
        let isRising = zip(sound, 0..<240).allSatisfy { abs($0 - 0.5 * Float($1) / 240) < 1e-6 }
        #expect(bench.times == [720] && sound.count == 960 && isRising)
    }

    @Test("a press off the grid of sample times begins the frame with a moment of silence")
    func pressOffGrid() {
        var bench = Bench(.ms5)
        bench.push(100, isOpen: false)
        bench.push(240, isOpen: true)
        let sound = bench.recorder.frames.flatMap { $0 }
        #expect(bench.times == [60] && sound.prefix(40).allSatisfy { $0 == 0 })
        #expect(zip(sound.dropFirst(40), 40..<240).allSatisfy { abs($0 - 0.5 * Float($1) / 240) < 1e-6 })
    }

    @Test("a frame that becomes shorter just after a press begins with the press too")
    func shorterAfterPress() {
        var bench = Bench(.ms20)
        for _ in 0..<3 { bench.push(240, isOpen: false) }
        bench.push(120, isOpen: true)
        bench.follow(.ms5)
        bench.push(240, isOpen: true)
        #expect(bench.times == [720] && bench.frames.map(\.flags) == [.spurtStart])
    }

    @Test("the last frame of a spurt keeps its length, so that nothing from before the next press is left")
    func pressWhileClosing() {
        var bench = Bench(.ms20)
        for isOpen in [true, false] { bench.push(960, isOpen: isOpen) }
        for _ in 0..<3 { bench.push(240, isOpen: false) }
        bench.follow(.ms2_5)
        for _ in 0..<2 { bench.push(240, isOpen: true) }
        #expect(Array(bench.times.prefix(4)) == [0, 960, 1_920, 2_880])
        #expect(bench.frames.map(\.flags).prefix(4) == [.spurtStart, [], .spurtEnd, .spurtStart])
    }

    @Test("a key that goes up and down again within a frame loses no sound")
    func pressedWithinFrame() {
        var bench = Bench(.ms20)
        for isOpen in [true, true, true, true, true, false, true, true] { bench.push(240, isOpen: isOpen) }
        #expect(bench.recorder.frames.last == [Float](repeating: 0.5, count: 960))
    }

    @Test("a frame that ended when the latest period began is pre-roll, and the next one is not")
    func preRoll() {
        var bench = Bench(.ms5, preRollSamples: 1)
        for isOpen in [false, false, true] { bench.push(240, isOpen: isOpen, isVoiced: isOpen) }
        #expect(bench.frames.map(\.flags) == [[.spurtStart, .preRoll], []])
        #expect(bench.times == [240, 480])
    }

    @Test("a period that comes before the last frames were taken stops the program")
    func notTaken() async {
        await #expect(processExitsWith: .failure) {
            var sender = VoiceSender(encoder: SenderLimitTests.idle(), duration: .ms5)
            for _ in 0..<2 {
                [Float](repeating: 0, count: 240).withUnsafeBufferPointer { sender.push($0, keys: []) }
            }
        }
    }

    @Test("a negative pre-roll stops the program")
    func negativePreRoll() async {
        await #expect(processExitsWith: .failure) {
            _ = VoiceSender(encoder: SenderLimitTests.idle(), duration: .ms5, preRollSamples: -1)
        }
    }
}
