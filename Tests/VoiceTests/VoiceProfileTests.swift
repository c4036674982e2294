import Primitives
import Testing
import Voice

@Suite("voice profiles")
struct VoiceProfileTests {
    /// Bytes of a frame at the profile's rate, the shortest and longest frame that is allowed, the complexity of Opus,
    /// and the milliseconds of sound that the card holds.
    @Test(
        "a profile sets frame, rate and card together",
        arguments: [
            (.studio, .ms2_5, 30, .ms2_5, .ms20, 9, 5), (.low, .ms5, 40, .ms2_5, .ms20, 9, 10),
            (.normal, .ms10, 60, .ms10, .ms20, 9, 20), (.robust, .ms10, 40, .ms10, .ms20, 7, 30),
            (.powersave, .ms20, 60, .ms20, .ms20, 2, 40),
        ] as [(VoiceProfile, FrameDuration, Int, FrameDuration, FrameDuration, Int, Int)])
    func table(
        profile: VoiceProfile, frame: FrameDuration, bytes: Int, shortest: FrameDuration, longest: FrameDuration,
        complexity: Int, bufferMilliseconds: Int
    ) {
        #expect(profile.frame == frame)
        #expect(profile.bitsPerSecond * frame.samples == bytes * 8 * 48_000)
        #expect(profile.frameSamples == shortest.samples...longest.samples)
        #expect(profile.complexity == complexity && profile.isSpeechCoded == (profile == .robust))
        // The card's period is one frame.
        #expect(profile.periodMicroseconds * 48 == frame.samples * 1_000)
        #expect(profile.bufferMicroseconds == bufferMilliseconds * 1_000)
    }

    @Test("every profile can be a wish, and saves power with the longest frames", arguments: VoiceProfile.allCases)
    func wish(profile: VoiceProfile) {
        let settings = EncoderSettings(frame: profile.frame, bitsPerSecond: profile.bitsPerSecond)
        var policy = TalkerPolicy(TalkerPolicy.Wish(settings, frameSamples: profile.frameSamples))
        #expect(policy.choice(for: [], now: .zero).settings == settings)
        policy.savesPower = true
        #expect(policy.choice(for: [], now: .zero).settings.frame == .ms20)
    }
}
