import Primitives
import Testing
import Voice
import Wire

@Suite("limits of the encoder's choice")
struct TalkerLimitTests {
    private static let start = Instant(nanoseconds: 3_600_000_000_000)
    private static let low = wish(.ms5, bits: 64_000, frames: 120...960)

    private static func wish(
        _ frame: FrameDuration, bits: Int, frames: ClosedRange<Int>? = nil, isPlain: Bool = false
    ) -> TalkerPolicy.Wish {
        let range = frames ?? frame.samples...frame.samples
        var wish = TalkerPolicy.Wish(EncoderSettings(frame: frame, bitsPerSecond: bits), frameSamples: range)
        wish.isPlain = isPlain
        return wish
    }

    /// A listener that has reported this share of single losses.
    private static func listener(
        losing permille: UInt16 = 0, copies: Int = 1, bundling: VoiceBundling = .single, takesPlain: Bool = false,
        at now: Instant = start
    ) -> TalkerPolicy.Listener {
        var policy = ListenerPolicy()
        policy.add(
            ReceptionReport(lossPermille: permille, lossRunTenths: 10, latePermille: 0, jitterTargetSamples: 96),
            now: now)
        let scheme = ListenerScheme(bundling: bundling, copyDistances: Array([1, 2, 3, 4].prefix(copies)))
        return TalkerPolicy.Listener(policy: policy, scheme: scheme, takesPlain: takesPlain)
    }

    private func choice(_ wish: TalkerPolicy.Wish, _ listeners: [TalkerPolicy.Listener]) -> EncoderChoice {
        var policy = TalkerPolicy(wish)
        return policy.choice(for: listeners, now: Self.start)
    }

    // MARK: The frame

    @Test(
        "single losses from 4 to 33.6 % halve the frame",
        arguments: [(39, .ms5), (40, .ms2_5), (336, .ms2_5), (337, .ms5)] as [(UInt16, FrameDuration)])
    func halved(permille: UInt16, frame: FrameDuration) {
        let choice = choice(Self.low, [Self.listener(losing: permille)])
        #expect(choice.settings.frame == frame)
        #expect(choice.frameCause == (frame == .ms5 ? .asWished : .losses(permille: Int(permille))))
    }

    @Test("the share in the reason is exact")
    func shareIsExact() {
        let wish = Self.wish(.ms10, bits: 48_000, frames: 240...480)
        #expect(choice(wish, [Self.listener(losing: 600)]).frameCause == .losses(permille: 600))
        let plain = Self.wish(.ms5, bits: 48_000, isPlain: true)
        #expect(choice(plain, [Self.listener(losing: 600, takesPlain: true)]).codedCause == .losses(permille: 600))
    }

    @Test("short frames stay until the loss is below 0.2 %, and return 60 s later at the earliest")
    func kept() {
        var policy = TalkerPolicy(Self.low)
        func frame(losing permille: UInt16, at now: Instant) -> FrameDuration {
            policy.choice(for: [Self.listener(losing: permille, at: now)], now: now).settings.frame
        }
        let end = Self.start + .seconds(60)
        #expect(frame(losing: 2, at: Self.start) == .ms5)
        #expect(frame(losing: 200, at: Self.start) == .ms2_5)
        #expect(frame(losing: 2, at: Self.start) == .ms2_5)
        #expect(frame(losing: 1, at: Self.start) == .ms5)
        #expect(frame(losing: 200, at: end - Interval(nanoseconds: 1)) == .ms5)
        #expect(frame(losing: 200, at: end) == .ms2_5)
    }

    @Test("when other reasons lengthen the frame, the rate is that of the wish again")
    func rateFollows() {
        let lossy = Self.listener(losing: 200)
        let many = Array(repeating: Self.listener(), count: 40)
        for (listeners, savesPower, frame) in [
            ([lossy], true, FrameDuration.ms20), ([lossy] + many, false, .ms10),
            ([lossy] + many.prefix(8), false, .ms5),
        ] {
            var policy = TalkerPolicy(Self.low)
            let short = policy.choice(for: [lossy], now: Self.start)
            #expect(short.settings == EncoderSettings(frame: .ms2_5, bitsPerSecond: 96_000))
            policy.savesPower = savesPower
            let long = policy.choice(for: listeners, now: Self.start)
            #expect(long.settings == EncoderSettings(frame: frame, bitsPerSecond: 64_000))
            // An earlier short frame no longer counts: 2 % alone do not shorten the frame.
            policy.savesPower = false
            #expect(policy.choice(for: [Self.listener(losing: 20)], now: Self.start).settings.frame == .ms5)
        }
    }

    @Test("on battery a frame that the user named stays")
    func namedOnBattery() {
        var policy = TalkerPolicy(Self.wish(.ms5, bits: 64_000))
        policy.savesPower = true
        #expect(policy.choice(for: [], now: Self.start).description == "as asked")
        policy = TalkerPolicy(Self.low)
        policy.savesPower = true
        #expect(policy.choice(for: [], now: Self.start).frameCause == .battery)
    }

    // MARK: The rate

    /// 12 Mb/s are allowed for all. A packet of 20 ms has 8 · 84 · 50 = 33,600 bits of headers a second.
    @Test(
        "the rate uses the upload to its last bit, and is reduced in steps of 4 kb/s above it",
        arguments: [
            (10, 0, VoiceBundling.single, 1_166_400, 1_166_400, nil),
            (10, 0, .single, 1_166_401, 1_164_000, 12_000), (5, 1, .pair, 1_191_600, 1_191_600, nil),
            (5, 1, .pair, 1_191_601, 1_188_000, 12_000), (1, 0, .single, 13_000_000, 11_964_000, 13_033),
            (63, 4, .single, 40_000, 28_000, 14_716),
        ] as [(Int, Int, VoiceBundling, Int, Int, Int?)])
    func upload(count: Int, copies: Int, bundling: VoiceBundling, wished: Int, bits: Int, kilobits: Int?) {
        let listener = Self.listener(copies: copies, bundling: bundling)
        let choice = choice(Self.wish(.ms20, bits: wished), Array(repeating: listener, count: count))
        #expect(choice.settings.bitsPerSecond == bits)
        #expect(choice.rateCause == (kilobits.map { .upload(kilobitsPerSecond: $0) } ?? .asWished))
    }

    @Test("if headers alone exceed the upload, the lowest rate for voice is sent: 24 kb/s")
    func headersAlone() {
        let many = Array(repeating: Self.listener(copies: 0), count: 63)
        let choice = choice(Self.wish(.ms2_5, bits: 30_000), many)
        #expect(choice.settings.bitsPerSecond == 24_000)
        #expect(choice.rateCause == .upload(kilobitsPerSecond: 18_824))
        #expect(self.choice(Self.wish(.ms2_5, bits: 24_000), many).rateCause == .asWished)
    }

    // MARK: The codec

    @Test("plain sound begins at a loss of at most 0.2 %, and stays up to 1 %")
    func plainLosses() {
        var policy = TalkerPolicy(Self.wish(.ms2_5, bits: 96_000, isPlain: true))
        for (permille, cause) in [
            (3, .losses(permille: 3)), (2, nil), (3, nil), (10, nil), (11, .losses(permille: 11)),
            (10, .losses(permille: 10)), (2, nil),
        ] as [(UInt16, EncoderChoice.CodedCause?)] {
            let choice = policy.choice(for: [Self.listener(losing: permille, takesPlain: true)], now: Self.start)
            #expect(choice.codedCause == cause && choice.settings.isPlain == (cause == nil))
        }
    }

    /// A listener's headers take 262.4 kb/s with frames of 2.5 ms, and twice that with half of them. Each of `blocks`
    /// that leave together takes 768 kb/s. 12 Mb/s are allowed for all.
    @Test(
        "plain frames are halved, and plain sound is sent, as far as the upload allows",
        arguments: [(12, FrameDuration.ms1_25, true), (13, .ms2_5, true), (14, .ms2_5, true), (15, .ms2_5, false)])
    func plainUpload(blocks: Int, frame: FrameDuration, isPlain: Bool) {
        let listeners = (0..<4).map { Self.listener(copies: (blocks + $0) / 4 - 1, takesPlain: true) }
        let choice = choice(Self.wish(.ms2_5, bits: 96_000, frames: 120...960, isPlain: true), listeners)
        #expect(choice.settings.frame == frame && choice.settings.isPlain == isPlain)
        #expect(choice.codedCause == (isPlain ? nil : .upload))
        #expect(choice.frameCause == (frame == .ms1_25 ? .plain : .asWished))
    }

    @Test("plain frames of 5 ms, the longest, stay unchanged")
    func plainFiveMilliseconds() {
        let choice = choice(
            Self.wish(.ms5, bits: 64_000, frames: 120...960, isPlain: true), [Self.listener(takesPlain: true)])
        #expect(choice.settings == EncoderSettings(frame: .ms5, bitsPerSecond: 64_000, isPlain: true))
    }
}
