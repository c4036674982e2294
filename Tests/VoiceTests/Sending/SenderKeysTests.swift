import Primitives
import Testing
import Voice

@Suite("the keys of the frames that a sender makes")
struct SenderKeysTests {
    private static let second = KeySet.key(1)

    /// Codes nothing.
    private final class Tape {
        func encoder() -> VoiceEncoder {
            VoiceEncoder(
                state: Unmanaged.passUnretained(self).toOpaque(),
                encode: { _, _, _, bytes, _ in
                    bytes[0] = 1
                    return 1
                },
                setPrediction: { _, _ in }, reset: { _ in }, destroy: { _ in }, lookaheadSamples: 0)
        }
    }

    /// Pushes periods of `period` samples with these keys; returns the frames.
    /// - Parameter shorter: the length of the frames from the last period on.
    private func frames(
        _ periods: [KeySet], period: Int = 240, preRoll: Int = 0, voiced: KeySet = [],
        duration: FrameDuration = .ms5, shorter: FrameDuration? = nil
    ) -> [VoiceFrame] {
        let tape = Tape()
        return withExtendedLifetime(tape) {
            var sender = VoiceSender(encoder: tape.encoder(), duration: duration, preRollSamples: preRoll)
            sender.follow(EncoderSettings(frame: duration, bitsPerSecond: 64_000))
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: VoiceLimits.frameBytesMax, alignment: 16)
            defer { bytes.deallocate() }
            let samples = [Float](repeating: 0.1, count: period)
            var frames: [VoiceFrame] = []
            for (number, keys) in periods.enumerated() {
                if let shorter, number + 1 == periods.count {
                    sender.follow(EncoderSettings(frame: shorter, bitsPerSecond: 64_000))
                }
                samples.withUnsafeBufferPointer {
                    sender.push($0, keys: keys, voiced: voiced.intersection(keys))
                }
                while let frame = sender.nextFrame(into: bytes) { frames.append(frame) }
            }
            return frames
        }
    }

    @Test("a frame has the keys of its first period, and three frames from an added key on need no earlier ones")
    func added() {
        let both: KeySet = [.first, Self.second]
        let found = frames([.first, .first, both, both, both, both, .first])
        #expect(found.map(\.keys) == [.first, .first, both, both, both, both, .first])
        #expect(found.map { $0.flags.contains(.independent) } == [false, false, true, true, true, false, false])
    }

    @Test("a key that goes down or up within a frame counts from the next one on")
    func edges() {
        let both: KeySet = [.first, Self.second]
        // Two periods a frame.
        let found = frames([.first, .first, .first, both, both, .first, .first, .first], period: 120)
        #expect(found.map(\.keys) == [.first, .first, both, .first])
    }

    @Test("a spurt goes to the key that was pressed last in the frame in which no spurt ran")
    func pressedAgain() {
        // Four periods a frame.
        let found = frames([.first, [], Self.second, Self.second, Self.second, Self.second], period: 60)
        #expect(found.map(\.keys) == [Self.second])
        #expect(found.first?.sampleTime.samples == 120)
    }

    @Test("a frame that becomes shorter gives the sound before a change of keys to the former keys")
    func shorterFrame() {
        let found = frames([.first, .first, .first, Self.second], duration: .ms20, shorter: .ms10)
        #expect(found.map(\.keys) == [.first, .first])
    }

    @Test("a key that was down for a moment has nothing of the spurt that a voice begins in the same frame")
    func tapBeforeVoice() {
        let found = frames(
            [.first, [], [], Self.second], preRoll: TalkLimits.preRollSamples, voiced: Self.second, duration: .ms20)
        #expect(found.map(\.keys) == [Self.second])
    }

    @Test("the end of a spurt goes to those to whom its last word went, also with another key down by then")
    func end() {
        let found = frames([.first, [], Self.second, Self.second, Self.second])
        #expect(found.map(\.keys) == [.first, .first, .first, Self.second, Self.second])
        #expect(found[2].flags == .spurtEnd && found[3].flags == .spurtStart && found[3].spurt == 2)
    }

    @Test("sound from before a pressed key is not sent, also where a voice may work another key")
    func preRoll() {
        let pressed = frames([[], [], [], [], [], .first], preRoll: TalkLimits.preRollSamples)
        #expect(pressed.count == 1 && pressed[0].sampleTime.samples == 5 * 240)
        let spoken = frames(
            [[], [], [], [], [], [.first, Self.second]], preRoll: TalkLimits.preRollSamples, voiced: .first)
        #expect(spoken.dropLast().allSatisfy { $0.keys == .first && $0.flags.contains(.preRoll) })
        #expect(spoken.last?.keys == [.first, Self.second] && 2 < spoken.count)
    }
}
