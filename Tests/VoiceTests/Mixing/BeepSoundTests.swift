import Testing
import Voice

#if canImport(Glibc)
import Glibc
#endif

@Suite("the sound of a beep")
struct BeepSoundTests {
    /// The notes of each kind: 440, 660 or 880 Hz, 0 for a pause.
    private static func melody(_ kind: Beep.Kind) -> [Double] {
        switch kind {
        case .lost: [660, 440]
        case .returned: [440, 660]
        case .call: [660, 880, 660, 880]
        case .urgentCall: [880, 0, 880, 0, 880, 660, 880, 660, 880]
        case .joined: [660, 880]
        case .left: [880, 660]
        case .busy: [440, 0, 440]
        case .talkBegun: [880]
        case .talkEnded: [440]
        }
    }

    /// Notes of 2,880 samples with one continuous phase, at -20 dBFS for calls and -30 dBFS else. Each note rises and
    /// falls linearly over 480 samples.
    private func expected(_ kind: Beep.Kind) -> [Float] {
        var phase = 0.0
        let level = kind == .call || kind == .urgentCall ? 0.1 : 0.0316
        return Self.melody(kind).flatMap { frequency in
            (0..<2_880).map { place in
                guard 0 < frequency else { return 0 }
                phase += 2 * Double.pi * frequency / 48_000
                return Float(level * sin(phase) * Double(min(480, place, 2_879 - place)) / 480)
            }
        }
    }

    @Test(
        "the tones are added to the mix sample by sample, on each channel, for any block size",
        arguments: Beep.Kind.allCases, [240, 1_000, 4_800])
    func notes(kind: Beep.Kind, count: Int) {
        var beep = Beep()
        beep.start(kind)
        var heard: [Float] = []
        let expected = expected(kind)
        while heard.count < expected.count + 240 {
            var (left, right) = ([Float](repeating: 0.25, count: count), [Float](repeating: -0.25, count: count))
            beep.add(to: &left, &right, count: count)
            #expect(zip(left, right).allSatisfy { abs($0 - $1 - 0.5) < 1e-6 })
            heard += left.map { $0 - 0.25 }
        }
        let worst = zip(heard, expected + [Float](repeating: 0, count: 240)).map { abs($0 - $1) }.max() ?? 1
        // The oscillator turns by rounded figures, which adds up over the longest beep.
        #expect(worst < 1e-4)
    }

    @Test("the tones are the same in interleaved channels", arguments: [1, 2])
    func interleaved(channels: Int) {
        var (beep, planar) = (Beep(), Beep())
        beep.start(.talkEnded)
        planar.start(.talkEnded)
        var mix = [Float](repeating: 0.25, count: 4_800 * channels)
        var expected = [Float](repeating: 0.25, count: 4_800)
        beep.add(to: &mix, count: 4_800, channels: channels)
        planar.add(to: &expected, nil, count: 4_800)
        for channel in 0..<channels {
            #expect(stride(from: channel, to: mix.count, by: channels).map { mix[$0] } == expected)
        }
        #expect(!beep.isSounding)
    }

    @Test("a beep sounds for 120 ms, and can then start again")
    func length() {
        var beep = Beep()
        #expect(!beep.isSounding)
        for _ in 0..<2 {
            beep.start(.lost)
            var block = [Float](repeating: 0, count: 5_759)
            beep.add(to: &block, nil, count: 5_759)
            #expect(beep.isSounding)
            beep.add(to: &block, nil, count: 1)
            #expect(!beep.isSounding)
            #expect(abs(block[1_000] - expected(.lost)[1_000]) < 1e-5)
        }
    }

    @Test(
        "a more important beep, and one of the own talk, takes the place of another one after the present note",
        arguments: [
            (.joined, .urgentCall, 100), (.call, .urgentCall, 2_880), (.left, .call, 5_000), (.busy, .call, 3_000),
            (.talkBegun, .talkEnded, 960), (.talkBegun, .talkEnded, 0), (.talkEnded, .talkBegun, 960),
        ] as [(Beep.Kind, Beep.Kind, Int)])
    func moreImportant(first: Beep.Kind, second: Beep.Kind, after: Int) {
        var beep = Beep()
        beep.start(first)
        var begun = [Float](repeating: 0, count: after)
        beep.add(to: &begun, nil, count: after)
        beep.start(second)
        beep.start(.returned)
        var rest = [Float](repeating: 0, count: 40_000)
        beep.add(to: &rest, nil, count: 40_000)
        let whole = expected(first).prefix((after / 2_880 + 1) * 2_880) + expected(second)
        #expect(zip(begun + rest, whole).allSatisfy { abs($0 - $1) < 1e-4 })
        #expect((begun + rest).dropFirst(whole.count).allSatisfy { $0 == 0 } && !beep.isSounding)
    }

    @Test("a beep that sounds is not interrupted by another one of its kind or below")
    func started() {
        var beep = Beep()
        beep.start(.lost)
        var block = [Float](repeating: 0, count: 1_000)
        beep.add(to: &block, nil, count: 1_000)
        beep.start(.returned)
        block = [Float](repeating: 0, count: 1_000)
        beep.add(to: &block, nil, count: 1_000)
        #expect(zip(block, expected(.lost)[1_000...]).allSatisfy { abs($0 - $1) < 1e-5 })
    }
}
