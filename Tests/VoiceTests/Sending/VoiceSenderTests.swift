import Primitives
import Testing
import Voice

@Suite("frames from periods")
struct VoiceSenderTests {
    /// An encoder that writes the number of frames since its reset, and refuses a frame whose samples are all 1.
    private static func counting() -> VoiceEncoder {
        let state = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8)
        state.storeBytes(of: 0, as: Int.self)
        return VoiceEncoder(
            state: state,
            encode: { state, samples, count, bytes, _ in
                if (0..<Int(count)).allSatisfy({ samples[$0] == 1 }) { return 0 }
                let number = state.load(as: Int.self) + 1
                state.storeBytes(of: number, as: Int.self)
                bytes[0] = UInt8(truncatingIfNeeded: number)
                return 1
            },
            reset: { $0.storeBytes(of: 0, as: Int.self) }, destroy: { $0.deallocate() }, lookaheadSamples: 0)
    }

    /// A sender and its output.
    private struct Bench: ~Copyable {
        var sender: VoiceSender
        var frames: [VoiceFrame] = []
        var sounds: [UInt8] = []

        init(_ duration: FrameDuration = .ms5, start: UInt32 = 0) {
            sender = VoiceSender(
                encoder: VoiceSenderTests.counting(), duration: duration, start: SampleTime(samples: start))
        }

        mutating func push(_ count: Int, isOpen: Bool, sample: Float = 0.5) {
            let samples = [Float](repeating: sample, count: count)
            samples.withUnsafeBufferPointer { sender.push($0, keys: isOpen ? .first : []) }
            withUnsafeTemporaryAllocation(byteCount: VoiceLimits.frameBytesMax, alignment: 16) { bytes in
                while let frame = sender.nextFrame(into: bytes) {
                    frames.append(frame)
                    sounds.append(bytes[0])
                }
            }
        }
    }

    @Test("with the key up nothing is sent, and the sample time runs on")
    func silent() {
        var bench = Bench()
        for _ in 0..<10 { bench.push(240, isOpen: false) }
        let (count, time) = (bench.frames.count, bench.sender.sampleTime.samples)
        #expect(count == 0 && time == 2_400)
    }

    @Test("a spurt has a start, a middle, a fade, the look-ahead with the end flag, and two repeats of that")
    func spurt() {
        var bench = Bench()
        for isOpen in [false, true, true, true, false, false, false, false, false] {
            bench.push(240, isOpen: isOpen)
        }
        let frames = bench.frames
        #expect(frames.map(\.sampleTime.samples) == [240, 480, 720, 960, 1_200, 1_200, 1_200])
        #expect(
            frames.map(\.flags) == [.spurtStart, [], [], [], .spurtEnd, [.spurtEnd, .again], [.spurtEnd, .again]])
        #expect(frames.allSatisfy { $0.spurt == 1 && $0.duration == .ms5 && $0.byteCount == 1 })
        let (sounds, isTalking) = (bench.sounds, bench.sender.isTalking)
        #expect(sounds == [1, 2, 3, 4, 5, 5, 5] && !isTalking)
    }

    @Test("a key pressed during the repeats of the end starts the next spurt at once, with a reset encoder")
    func pressedAgain() {
        var bench = Bench()
        for isOpen in [true, false, false, true, true] { bench.push(240, isOpen: isOpen) }
        let (frames, sounds) = (bench.frames, bench.sounds)
        #expect(frames.map(\.flags) == [.spurtStart, [], .spurtEnd, .spurtStart, []])
        #expect(frames.map(\.spurt) == [1, 1, 1, 2, 2])
        #expect(sounds == [1, 2, 3, 1, 2])
    }

    @Test("a key pressed during the fade still ends that spurt first")
    func pressedWhileClosing() {
        var bench = Bench()
        for isOpen in [true, false, true, true] { bench.push(240, isOpen: isOpen) }
        #expect(bench.frames.map(\.flags) == [.spurtStart, [], .spurtEnd, .spurtStart])
    }

    @Test("the spurt number wraps after 255")
    func spurtWraps() {
        var bench = Bench()
        for _ in 0..<256 {
            for isOpen in [true, false, false, false, false] { bench.push(240, isOpen: isOpen) }
        }
        let last = bench.frames.map(\.spurt).suffix(5)
        #expect(last == [0, 0, 0, 0, 0])
    }

    @Test(
        "periods of any size give the same frames",
        arguments: [1, 7, 44, 120, 239, 240, 241, 480, 1_000, VoiceLimits.blockSamplesMax])
    func anyPeriod(samples: Int) {
        var bench = Bench()
        for _ in 0..<(9_600 / samples) { bench.push(samples, isOpen: true) }
        let frames = bench.frames
        #expect(frames.count == 9_600 / samples * samples / 240)
        #expect(frames.map(\.sampleTime.samples) == frames.indices.map { UInt32($0 * 240) })
    }

    @Test("the frame length may change within a spurt, without a gap or an overlap")
    func follow() {
        var bench = Bench()
        for frame in [FrameDuration.ms5, .ms2_5, .ms2_5, .ms20, .ms20, .ms20, .ms5] {
            bench.sender.follow(EncoderSettings(frame: frame, bitsPerSecond: 64_000))
            bench.push(400, isOpen: true)
        }
        let frames = bench.frames
        #expect(Set(frames.map(\.duration)) == [.ms5, .ms2_5, .ms20])
        for (frame, next) in zip(frames, frames.dropFirst()) {
            #expect(next.sampleTime == frame.sampleTime.advanced(by: Int32(frame.duration.samples)))
        }
        #expect(frames.dropFirst().allSatisfy { $0.flags.isEmpty && $0.spurt == 1 })
        let last = frames.last.map { Int($0.sampleTime.samples) + $0.duration.samples } ?? 0
        #expect(2_800 - 240 < last && last <= 2_800)
    }

    @Test("an empty period changes nothing")
    func emptyPeriod() {
        var bench = Bench()
        bench.push(0, isOpen: true)
        let (count, time) = (bench.frames.count, bench.sender.sampleTime.samples)
        #expect(count == 0 && time == 0)
    }

    @Test("sample time wraps within a spurt", arguments: FrameDuration.coded)
    func sampleTimeWraps(duration: FrameDuration) {
        let samples = UInt32(duration.samples)
        var bench = Bench(duration, start: 0 &- samples)
        for _ in 0..<3 { bench.push(duration.samples, isOpen: true) }
        #expect(bench.frames.map(\.sampleTime.samples) == [0 &- samples, 0, samples])
        #expect(bench.frames.map(\.spurt) == [1, 1, 1])
    }

    @Test(
        "over a gap the sample time advances by at least the loss, on the grid of 1.25 ms",
        arguments: [
            (0, 0, UInt32(0)), (0, 1, 60), (0, 120, 120), (0, 121, 180), (100, 20, 120), (100, 21, 180),
            (100, -5, 120), (0, Int(Int32.max), 0x8000_0034), (0, Int(UInt32.max) + 1 + 104, 104),
        ])
    func skips(pending: Int, lost: Int, time: UInt32) {
        var bench = Bench()
        bench.push(pending, isOpen: true)
        bench.sender.skip(lostSamples: lost)
        let now = bench.sender.sampleTime.samples
        #expect(now == time)
        bench.push(240, isOpen: true)
        #expect(bench.frames.map(\.sampleTime.samples) == [time])
    }

    @Test("sound after a gap is another spurt, so that no listener takes the gap for lost packets")
    func gapInSpurt() {
        var bench = Bench()
        for _ in 0..<2 { bench.push(240, isOpen: true) }
        bench.sender.skip(lostSamples: 2_400)
        for _ in 0..<2 { bench.push(240, isOpen: true) }
        bench.sender.skip(lostSamples: 0)
        bench.push(240, isOpen: true)
        let (frames, sounds) = (bench.frames, bench.sounds)
        #expect(frames.map(\.sampleTime.samples) == [0, 240, 2_880, 3_120, 3_360])
        #expect(frames.map(\.flags) == [.spurtStart, [], .spurtStart, [], []])
        #expect(frames.map(\.spurt) == [1, 1, 2, 2, 2])
        #expect(sounds == [1, 2, 1, 2, 3])
    }

    @Test("a frame that the encoder refuses is counted and not sent, and the next one is sent")
    func refused() {
        var bench = Bench()
        bench.push(240, isOpen: true)
        bench.push(240, isOpen: true, sample: 1)
        bench.push(240, isOpen: true)
        #expect(bench.frames.map(\.sampleTime.samples) == [0, 480])
        let failures = bench.sender.encoderFailures
        #expect(failures == 1)
    }

    @Test("the level is that of the input, sent or not")
    func level() {
        var bench = Bench()
        for _ in 0..<200 { bench.push(240, isOpen: false, sample: 0.1) }
        let decibels = bench.sender.level.decibels
        #expect(abs(decibels + 20) < 0.1)
    }
}
