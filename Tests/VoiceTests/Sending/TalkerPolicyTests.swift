import Primitives
import Testing
import Voice
import Wire

@Suite("the encoder's choice, for all listeners together")
struct TalkerPolicyTests {
    private let start = Instant(nanoseconds: 3_600_000_000_000)
    private static let low = TalkerPolicy.Wish(
        EncoderSettings(frame: .ms5, bitsPerSecond: 64_000), frameSamples: VoiceProfile.low.frameSamples)

    /// Listeners that have all made eight equal reports. Each has the scheme that follows.
    private func listeners(_ count: Int, losing permille: UInt16 = 0, run tenths: UInt16 = 10) -> [TalkerPolicy
        .Listener]
    {
        var policy = ListenerPolicy()
        let report = ReceptionReport(
            lossPermille: permille, lossRunTenths: tenths, latePermille: 0, jitterTargetSamples: 96)
        for _ in 0..<8 { policy.add(report, now: start) }
        let choice = policy.choice(frame: 40 < count ? .ms10 : .ms5, frameBytes: 60, listeners: count, now: start)
        return Array(repeating: TalkerPolicy.Listener(policy: policy, scheme: choice.scheme), count: count)
    }

    private func choice(
        _ listeners: [TalkerPolicy.Listener], wish: TalkerPolicy.Wish = Self.low
    ) -> EncoderChoice {
        var policy = TalkerPolicy(wish)
        return policy.choice(for: listeners, now: start)
    }

    @Test("without listeners, and with good networks, the wish is granted", arguments: [0, 1, 8, 40])
    func wish(count: Int) {
        let choice = choice(listeners(count))
        #expect(choice.settings == Self.low.settings)
        #expect(choice.description == "as asked")
    }

    @Test("on battery frames have their greatest length, and on mains the wish again")
    func battery() {
        var policy = TalkerPolicy(Self.low)
        policy.savesPower = true
        let saving = policy.choice(for: listeners(2), now: start)
        #expect(saving.settings.frame.samples == VoiceProfile.low.frameSamples.upperBound)
        #expect(saving.description.hasSuffix("on battery"))
        policy.savesPower = false
        #expect(policy.choice(for: listeners(2), now: start).description == "as asked")
    }

    @Test(
        "single losses that need two copies halve the frame, and bursts do not",
        arguments: [
            (10, 10, .ms5), (30, 10, .ms5), (50, 10, .ms2_5), (200, 12, .ms2_5), (330, 15, .ms2_5),
            (200, 40, .ms5), (100, 60, .ms5),
        ] as [(UInt16, UInt16, FrameDuration)])
    func losses(permille: UInt16, run: UInt16, frame: FrameDuration) {
        #expect(choice(listeners(1, losing: permille, run: run)).settings.frame == frame)
    }

    @Test("a halved frame has one and a half times the rate, unless the user named one")
    func shortRate() {
        let lossy = listeners(1, losing: 100, run: 11)
        #expect(choice(lossy).settings == EncoderSettings(frame: .ms2_5, bitsPerSecond: 96_000))
        var wish = Self.low
        wish.isRateNamed = true
        #expect(choice(lossy, wish: wish).settings == EncoderSettings(frame: .ms2_5, bitsPerSecond: 64_000))
        #expect(choice(lossy).rateCause == .asWished)
    }

    @Test("the listener with the greatest gain decides, and short frames are used for few listeners")
    func worst() {
        #expect(choice(listeners(7) + listeners(1, losing: 200, run: 12)).settings.frame == .ms2_5)
        #expect(choice(listeners(8) + listeners(1, losing: 200, run: 12)).settings.frame == .ms5)
    }

    @Test("a frame that the user named stays")
    func fixed() {
        let samples = FrameDuration.ms5.samples
        let wish = TalkerPolicy.Wish(Self.low.settings, frameSamples: samples...samples)
        #expect(choice(listeners(1, losing: 200, run: 12), wish: wish).settings.frame == .ms5)
        #expect(choice(listeners(60), wish: wish).settings.frame == .ms5)
    }

    @Test(
        "many listeners lengthen the frame, instead of several frames in a packet",
        arguments: [
            (VoiceProfile.studio, 20, .ms2_5), (.studio, 21, .ms5), (.studio, 63, .ms10), (.low, 40, .ms5),
            (.low, 41, .ms10), (.normal, 63, .ms10), (.powersave, 63, .ms20),
        ] as [(VoiceProfile, Int, FrameDuration)])
    func crowds(profile: VoiceProfile, count: Int, frame: FrameDuration) {
        let wish = TalkerPolicy.Wish(
            EncoderSettings(frame: profile.frame, bitsPerSecond: 24_000), frameSamples: profile.frameSamples)
        let choice = choice(listeners(count), wish: wish)
        #expect(choice.settings.frame == frame)
        #expect((choice.frameCause == .listeners(count)) == (frame != profile.frame))
    }

    @Test(
        "the rate is the upload without copies and headers, in steps",
        arguments: [(40, 0, 64_000), (12, 200, 64_000), (24, 200, 64_000), (40, 200, 40_000), (63, 300, 24_000)]
            as [(Int, UInt16, Int)])
    func upload(count: Int, permille: UInt16, bits: Int) {
        let choice = choice(listeners(count, losing: permille, run: 14))
        #expect(choice.settings.bitsPerSecond == bits)
        #expect((choice.rateCause == .asWished) == (bits == 64_000))
    }

    @Test("short frames stay until the loss is almost gone, and do not return at once")
    func memory() {
        var policy = TalkerPolicy(Self.low)
        let lossy = listeners(1, losing: 200, run: 12)
        func frame(_ listeners: [TalkerPolicy.Listener], after seconds: Int64) -> FrameDuration {
            policy.choice(for: listeners, now: start + .seconds(seconds)).settings.frame
        }
        #expect(frame(lossy, after: 0) == .ms2_5)
        for second in stride(from: Int64(5), to: 285, by: 5) { #expect(frame(lossy, after: second) == .ms2_5) }
        // The remembered share fades over five minutes: at 285 s it is 1 %, then zero.
        #expect(frame(lossy, after: 285) == .ms2_5)
        #expect(frame(lossy, after: 300) == .ms5)
        var fresh = ListenerPolicy()
        let report = ReceptionReport(lossPermille: 200, lossRunTenths: 12, latePermille: 0, jitterTargetSamples: 96)
        fresh.add(report, now: start + .seconds(361))
        #expect(frame([TalkerPolicy.Listener(policy: fresh, scheme: .initial)], after: 359) == .ms5)
        #expect(frame([TalkerPolicy.Listener(policy: fresh, scheme: .initial)], after: 361) == .ms2_5)
    }

    private func plainChoice(
        _ count: Int, losing permille: UInt16 = 0, takers: Int? = nil, frame: FrameDuration = .ms2_5
    ) -> EncoderChoice {
        var wish = TalkerPolicy.Wish(
            EncoderSettings(frame: frame, bitsPerSecond: 96_000), frameSamples: frame.samples...frame.samples)
        wish.isPlain = true
        let listeners = listeners(count, losing: permille).enumerated().map { index, listener in
            TalkerPolicy.Listener(
                policy: listener.policy, scheme: listener.scheme, takesPlain: index < takers ?? count)
        }
        return choice(listeners, wish: wish)
    }

    @Test("plain sound needs the wish, the consent of all listeners, a clean network and enough upload")
    func plain() {
        #expect(plainChoice(1).settings.isPlain)
        #expect(plainChoice(1).description == "plain: every listener takes it")
        #expect(plainChoice(6).settings.isPlain)
        #expect(plainChoice(7).codedCause == .upload)
        #expect(plainChoice(2, takers: 1).codedCause == .refused)
        #expect(plainChoice(1, losing: 50).codedCause == .losses(permille: 50))
        #expect(plainChoice(1, losing: 2).settings.isPlain)
        #expect(plainChoice(1, frame: .ms10).codedCause == .longFrames)
        #expect(plainChoice(0).codedCause == .nobodyListens && plainChoice(0).description == "as asked")
        #expect(choice(listeners(1)).codedCause == nil && !choice(listeners(1)).settings.isPlain)
    }

    @Test("a listener that takes and refuses plain sound in turn makes few seams in a talk")
    func unsteady() {
        let samples = FrameDuration.ms2_5.samples
        var wish = TalkerPolicy.Wish(
            EncoderSettings(frame: .ms2_5, bitsPerSecond: 96_000), frameSamples: samples...samples)
        wish.isPlain = true
        var policy = TalkerPolicy(wish)
        func cause(takes: Bool, after seconds: Int64 = 0) -> EncoderChoice.CodedCause? {
            let takers = listeners(1).map {
                TalkerPolicy.Listener(policy: $0.policy, scheme: $0.scheme, takesPlain: takes)
            }
            return policy.choice(for: takers, now: start + .seconds(seconds)).codedCause
        }
        #expect(cause(takes: true) == nil)
        for _ in 0..<4 {
            #expect(cause(takes: false) == .refused)
            #expect(cause(takes: true) == nil)
        }
        #expect(cause(takes: false) == .refused)
        #expect(cause(takes: true) == .unsteady)
        #expect(cause(takes: true, after: 29) == .unsteady)
        #expect(cause(takes: true, after: 30) == nil)
        #expect(cause(takes: false, after: 31) == .refused)
        #expect(cause(takes: true, after: 32) == .unsteady)
        // Between two talks nothing sounds, so no seam is heard.
        #expect(policy.choice(for: [], now: start + .seconds(33)).codedCause == .nobodyListens)
        #expect(cause(takes: true, after: 34) == nil)
    }

    @Test(
        "plain sound for few listeners has frames of 1.25 ms, unless the user named the frame",
        arguments: [(1, FrameDuration.ms1_25), (4, .ms1_25), (5, .ms2_5)])
    func plainFrames(count: Int, frame: FrameDuration) {
        var wish = TalkerPolicy.Wish(
            EncoderSettings(frame: .ms2_5, bitsPerSecond: 96_000), frameSamples: VoiceProfile.studio.frameSamples)
        wish.isPlain = true
        let takers = listeners(count).map {
            TalkerPolicy.Listener(policy: $0.policy, scheme: $0.scheme, takesPlain: true)
        }
        #expect(choice(takers, wish: wish).settings.frame == frame)
        #expect(choice(takers, wish: wish).settings.isPlain)
        #expect(plainChoice(count).settings.frame == .ms2_5)
        #expect(choice(listeners(count), wish: wish).settings.frame == .ms2_5)
        let distant = listeners(1).map {
            TalkerPolicy.Listener(policy: $0.policy, scheme: $0.scheme, takesPlain: true, isDirect: false)
        }
        #expect(choice(takers + distant, wish: wish).codedCause == .indirect)
    }

    @Test("the reasons are readable")
    func reasons() {
        #expect(
            choice(listeners(1, losing: 200, run: 12)).description
                == "frames of 2.5 ms: prepared for 20 % loss, and short ones bring copies sooner")
        #expect(choice(listeners(50)).description.hasPrefix("frames of 10 ms: 50 listeners"))
        #expect(
            choice(listeners(40, losing: 200, run: 12)).description
                == "40 kb/s: all listeners together would take 15.6 Mb/s")
    }
}
