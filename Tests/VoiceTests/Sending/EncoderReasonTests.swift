import Primitives
import Testing
import Voice

@Suite("the reasons of the encoder's choice, as text")
struct EncoderReasonTests {
    private func text(
        _ frame: FrameDuration = .ms5, bits: Int = 64_000, isPlain: Bool = false,
        frameCause: EncoderChoice.FrameCause = .asWished, rateCause: EncoderChoice.RateCause = .asWished,
        codedCause: EncoderChoice.CodedCause? = nil
    ) -> String {
        let settings = EncoderSettings(frame: frame, bitsPerSecond: bits, isPlain: isPlain)
        return EncoderChoice(
            settings: settings, frameCause: frameCause, rateCause: rateCause, codedCause: codedCause
        ).description
    }

    @Test(
        "a codec has no frame of 1.25 ms, and plain sound none above 5 ms",
        arguments: [
            (FrameDuration.ms1_25, false, true), (.ms2_5, true, true), (.ms5, true, true), (.ms10, true, false),
            (.ms20, true, false),
        ])
    func possible(frame: FrameDuration, coded: Bool, plain: Bool) {
        #expect(EncoderSettings.isPossible(frame, isPlain: false) == coded)
        #expect(EncoderSettings.isPossible(frame, isPlain: true) == plain)
    }

    @Test("plain sound takes 16 bits a sample, 768 kb/s, whatever the codec would take")
    func bits() {
        #expect(EncoderSettings(frame: .ms5, bitsPerSecond: 64_000).bitsPerSecondSent == 64_000)
        #expect(EncoderSettings(frame: .ms5, bitsPerSecond: 64_000, isPlain: true).bitsPerSecondSent == 768_000)
    }

    @Test("each reason for coding has its text; a wish that is granted needs none")
    func coding() {
        #expect(text() == "as asked" && text(codedCause: .nobodyListens) == "as asked")
        #expect(text(isPlain: true) == "plain: every listener takes it")
        #expect(text(codedCause: .refused) == "Opus: not every listener takes plain sound")
        #expect(text(codedCause: .indirect) == "Opus: not every listener is reached directly")
        #expect(text(codedCause: .losses(permille: 9)) == "Opus: prepared for 0.9 % loss")
        #expect(text(codedCause: .upload) == "Opus: plain sound for all would take too much")
        #expect(text(codedCause: .longFrames) == "Opus: frames are too long for plain sound")
        #expect(text(codedCause: .unsteady) == "Opus: plain sound began and ended too often")
    }

    @Test("several reasons are joined")
    func frames() {
        #expect(text(.ms20, frameCause: .battery) == "frames of 20 ms: on battery")
        #expect(text(.ms10, frameCause: .listeners(41)) == "frames of 10 ms: 41 listeners")
        #expect(
            text(.ms1_25, isPlain: true, frameCause: .plain)
                == "plain: every listener takes it; frames of 1.25 ms: no codec asks for longer ones")
        #expect(
            text(.ms5, frameCause: .losses(permille: 40), codedCause: .upload)
                == "Opus: plain sound for all would take too much; "
                + "frames of 5 ms: prepared for 4 % loss, and short ones bring copies sooner")
    }

    @Test(
        "rates are truncated: whole kb/s, and tenths of Mb/s",
        arguments: [
            (2_000, 40_000, "40 kb/s: all listeners together would take 2.0 Mb/s"),
            (1_999, 39_999, "39 kb/s: all listeners together would take 1.9 Mb/s"),
            (15_400, 24_000, "24 kb/s: all listeners together would take 15.4 Mb/s"),
            (14_998, 24_000, "24 kb/s: all listeners together would take 14.9 Mb/s"),
        ])
    func rates(kilobits: Int, bits: Int, expected: String) {
        #expect(text(bits: bits, rateCause: .upload(kilobitsPerSecond: kilobits)) == expected)
    }
}
