import Primitives
import Testing
import Voice

/// The input of the encoder, frame by frame. One test at a time uses it: an encoder has no context but its state, so
/// the samples are kept beside it.
private final class Tape {
    var samples: [Float] = []

    /// - Note: the tape must outlive the encoder.
    func encoder() -> VoiceEncoder {
        VoiceEncoder(
            state: Unmanaged.passUnretained(self).toOpaque(),
            encode: { state, samples, count, bytes, _ in
                let tape = Unmanaged<Tape>.fromOpaque(state).takeUnretainedValue()
                tape.samples += UnsafeBufferPointer(start: samples, count: Int(count))
                bytes[0] = 1
                return 1
            },
            reset: { _ in }, destroy: { _ in }, lookaheadSamples: 0)
    }
}

@Suite("a word that opens the key")
struct VoxOnsetTests {
    private static let detection = VoiceDetector.Settings(
        attackSegments: TalkLimits.voxAttackSegments, hangSegments: 80, powerMin: 1e-5)

    /// The frames and samples that are sent of `sound`, with a microphone of this period.
    private func sent(
        _ sound: [Float], period: Int, duration: FrameDuration, preRoll: Int = TalkLimits.preRollSamples
    ) -> (frames: [VoiceFrame], samples: [Float]) {
        let tape = Tape()
        var frames: [VoiceFrame] = []
        withExtendedLifetime(tape) {
            var sender = VoiceSender(encoder: tape.encoder(), duration: duration, preRollSamples: preRoll)
            var gate = TalkGate(detection: Self.detection, isHalfDuplex: false)
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: VoiceLimits.frameBytesMax, alignment: 16)
            defer { bytes.deallocate() }
            sound.withUnsafeBufferPointer { all in
                for start in stride(from: 0, through: all.count - period, by: period) {
                    let samples = UnsafeBufferPointer(rebasing: all[start..<(start + period)])
                    guard let base = samples.baseAddress else { return }
                    let opened = gate.keysOpened(
                        base, count: period, keys: TalkGate.Keys(voice: .first), isCoughing: false, othersHeard: false)
                    sender.push(samples, keys: opened.all, voiced: opened.voice)
                    while let frame = sender.nextFrame(into: bytes) { frames.append(frame) }
                }
            }
        }
        return (frames, tape.samples)
    }

    @Test(
        "the first sample of the word is sent, after the fade-in",
        arguments: [(120, FrameDuration.ms2_5), (240, .ms5), (480, .ms10), (240, .ms10), (960, .ms20), (1_024, .ms5)])
    func onset(period: Int, duration: FrameDuration) {
        for offset in stride(from: 0, to: 1_100, by: 97) {
            let start = 3 * 48_000 + offset
            let room = Sound.noise(5 * 48_000, decibels: -65)
            let sound = Sound.sum(room, Sound.word(milliseconds: 500, decibels: -24), at: start)
            let (frames, samples) = sent(sound, period: period, duration: duration)
            guard let first = frames.first(where: { 2 * 48_000 < $0.sampleTime.samples }) else {
                Issue.record("nothing was sent")
                continue
            }
            #expect(first.flags == [.spurtStart, .preRoll])
            let begin = Int(first.sampleTime.samples)
            #expect(begin + min(duration.samples, 240) <= start, "begins \(begin - start) samples after the word")
            #expect(start - begin <= 960 + period + 2 * duration.samples, "and not much before it")
            // The input of the coder is the word, sample by sample.
            let skipped = frames.prefix { $0.sampleTime != first.sampleTime }.filter { !$0.flags.contains(.again) }
            let spoken = samples.dropFirst(skipped.count * duration.samples + duration.samples)
            #expect(Array(spoken.prefix(4_800)) == Array(sound[(begin + duration.samples)...].prefix(4_800)))
        }
    }

    @Test("pre-roll is marked, has no gap to the rest, and is sent at once")
    func burst() {
        let room = Sound.noise(4 * 48_000, decibels: -65)
        let sound = Sound.sum(room, Sound.word(milliseconds: 300, decibels: -20), at: 3 * 48_000)
        let frames = sent(sound, period: 240, duration: .ms5).frames.filter { 2 * 48_000 < $0.sampleTime.samples }
        let spurt = frames.filter { !$0.flags.contains(.again) }
        #expect(spurt.prefix { $0.flags.contains(.preRoll) }.count == 4)
        #expect(spurt.filter { $0.flags.contains(.preRoll) }.count == 4)
        for (frame, next) in zip(spurt, spurt.dropFirst()) {
            #expect(next.sampleTime == frame.sampleTime.advanced(by: 240))
        }
        #expect(frames.suffix(3).allSatisfy { $0.flags.contains(.spurtEnd) })
    }

    @Test("with a pressed key nothing from before the key is sent")
    func pressedKey() {
        let tape = Tape()
        withExtendedLifetime(tape) {
            var sender = VoiceSender(encoder: tape.encoder(), duration: .ms5)
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: VoiceLimits.frameBytesMax, alignment: 16)
            defer { bytes.deallocate() }
            var frames: [VoiceFrame] = []
            for number in 0..<20 {
                let samples = [Float](repeating: 0.1, count: 240)
                samples.withUnsafeBufferPointer { sender.push($0, keys: 10 <= number ? .first : []) }
                while let frame = sender.nextFrame(into: bytes) { frames.append(frame) }
            }
            #expect(frames.first?.sampleTime.samples == 2_400)
            #expect(frames.allSatisfy { !$0.flags.contains(.preRoll) })
        }
    }

    @Test("a gap in capture ends the pre-roll: sound before the gap is not sent")
    func gap() {
        let tape = Tape()
        withExtendedLifetime(tape) {
            var sender = VoiceSender(encoder: tape.encoder(), duration: .ms5, preRollSamples: TalkLimits.preRollSamples)
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: VoiceLimits.frameBytesMax, alignment: 16)
            defer { bytes.deallocate() }
            func push(_ isOpen: Bool) -> [VoiceFrame] {
                let samples = [Float](repeating: 0.1, count: 240)
                samples.withUnsafeBufferPointer {
                    sender.push($0, keys: isOpen ? .first : [], voiced: isOpen ? .first : [])
                }
                var frames: [VoiceFrame] = []
                while let frame = sender.nextFrame(into: bytes) { frames.append(frame) }
                return frames
            }
            for _ in 0..<10 { #expect(push(false).isEmpty) }
            sender.skip(lostSamples: 480)
            let time = sender.sampleTime
            let frames = push(true)
            #expect(frames.map(\.sampleTime) == [time])
            #expect(frames.map(\.flags) == [.spurtStart])
        }
    }
}
