import Primitives
import Testing
import Voice

@Suite("stages that change the loudness, by their gains")
struct LoudnessStageTests {
    /// Gives a block of one value to the gain control. Returns the block's first and last sample.
    @discardableResult
    private func give(
        _ gain: inout AutomaticGain, _ value: Float, count: Int, isSpeech: Bool = true
    ) -> (first: Float, last: Float) {
        var samples = [Float](repeating: value, count: count)
        samples.work { gain.process($0, count: $1, isSpeech: isSpeech) }
        return (samples.first ?? 0, samples.last ?? 0)
    }

    @Test(
        "100 ms of speech move the gain by 0.3 dB: up if it is soft, down if it is loud, else not",
        arguments: [
            (0.001, 1.034_5), (0.04, 1.034_5), (0.067, 1), (0.072, 1), (0.2, 1 / 1.034_5), (0.5, 1 / 1.034_5),
        ] as [(Float, Float)])
    func step(amplitude: Float, wanted: Float) {
        var gain = AutomaticGain()
        #expect(gain.gain == 1)
        give(&gain, amplitude, count: 4_800, isSpeech: false)
        #expect(gain.gain == 1, "only speech moves it")
        let (first, last) = give(&gain, amplitude, count: 4_800)
        #expect(abs(gain.gain - wanted) < 3e-7, "\(gain.gain)")
        #expect(first == amplitude && abs(last - amplitude * wanted) < 1e-5, "a ramp over the block")
    }

    /// The level starts at -23 dBFS, 0.005. The gain changes at half a decibel from the target.
    @Test("the level is a mean over 400 ms, and the gain changes from half a decibel on")
    func window() {
        // 0.005 + (0.4005 - 0.005) · 30 / 19,200 is 0.005 / 0.89.
        for (amplitude, moves) in [(0.632_863, true), (0.632_847, false)] as [(Float, Bool)] {
            var gain = AutomaticGain()
            give(&gain, amplitude, count: 30)
            #expect((gain.gain < 1) == moves)
        }
        // After 800 ms the level is only that of the present sound: 0.4 dB too soft.
        var gain = AutomaticGain()
        give(&gain, 0.067_8, count: 38_400)
        #expect(gain.gain == 1)
    }

    @Test("the gain is limited to +15 and -6 dB")
    func bounds() {
        for (amplitude, end) in [(0.001, 5.62), (0.7, 0.5)] as [(Float, Float)] {
            var gain = AutomaticGain()
            for _ in 0..<60 { give(&gain, amplitude, count: 4_800) }
            #expect(abs(gain.gain - end) < 1e-5)
        }
    }

    @Test("a peak ends at -3 dBFS, speech or not, and earlier samples are at most 1.6 dB above that")
    func peak() {
        var gain = AutomaticGain()
        #expect(give(&gain, -0.8, count: 1, isSpeech: false).first == -0.8)
        #expect(abs(gain.gain - 0.885) < 1e-6)
        var loud = AutomaticGain()
        for _ in 0..<60 { give(&loud, 0.001, count: 4_800) }
        let (first, last) = give(&loud, 1, count: 100, isSpeech: false)
        #expect(abs(first - 0.849_6) < 1e-4 && abs(last - 0.709_4) < 1e-4 && abs(loud.gain - 0.708) < 1e-6)
    }

    @Test("an empty block changes nothing")
    func empty() {
        var gain = AutomaticGain()
        var samples: [Float] = [0.5]
        samples.work(count: 0) { gain.process($0, count: $1, isSpeech: true) }
        give(&gain, 0.001, count: 4_800)
        #expect(abs(gain.gain - 1.034_5) < 3e-7)
    }

    @Test("the gate closes to -20 dB in 2,400 samples and opens in 48, linearly")
    func gate() {
        var gate = NoiseGate()
        func gains(_ count: Int, isOpen: Bool) -> [Float] {
            var samples = [Float](repeating: 1, count: count)
            samples.work { gate.process($0, count: $1, isOpen: isOpen) }
            return samples
        }
        #expect(gains(10, isOpen: true).allSatisfy { $0 == 1 } && !gate.isClosed)
        let closing = gains(1_200, isOpen: false)
        #expect(abs(closing[0] - (1 - 0.9 / 2_400)) < 1e-6 && abs(closing[1_199] - 0.55) < 6e-5 && !gate.isClosed)
        #expect(abs((gains(1_199, isOpen: false).last ?? 0) - (0.1 + 0.9 / 2_400)) < 1e-4 && gate.isClosed)
        #expect(gains(5, isOpen: false).suffix(3) == [0.1, 0.1, 0.1])
        let opening = gains(49, isOpen: true)
        #expect(abs(opening[23] - 0.55) < 1e-5 && opening[46] < 0.99 && opening[48] == 1 && !gate.isClosed)
    }

    @Test("the floor mutes within 480 samples, or within one longer block, on both channels alike")
    func floorMute() {
        var mute = FloorMute()
        func gains(_ count: Int, channels: Int = 1, isMute: Bool) -> [Float] {
            var samples = [Float](repeating: 1, count: count * channels)
            samples.work { base, _ in mute.process(base, count: count, channels: channels, isMute: isMute) }
            return samples
        }
        #expect(gains(240, isMute: false).allSatisfy { $0 == 1 })
        let first = gains(240, channels: 2, isMute: true)
        #expect(first[0] == 1 && abs(first[240] - 0.75) < 1e-6 && abs(first[479] - 0.501_04) < 1e-5)
        let second = gains(240, isMute: true)
        #expect(abs(second[0] - 0.5) < 1e-6 && abs(second[120] - 0.25) < 1e-6)
        #expect(gains(240, isMute: true).allSatisfy { $0 == 0 })
        let back = gains(960, isMute: false)
        #expect(back[0] == 0 && abs(back[480] - 0.5) < 1e-6)
        #expect(gains(480, isMute: false).allSatisfy { $0 == 1 })
        let atOnce = gains(480, isMute: true)
        #expect(atOnce[0] == 1 && abs(atOnce[240] - 0.5) < 1e-6)
        #expect(gains(480, isMute: true).allSatisfy { $0 == 0 })
    }

    @Test("the estimate of the room rises by 35 dB in its first second, and by 3 dB in each further one")
    func floorRises() {
        var floor = NoiseFloor()
        #expect(floor.power == 1e-7)
        var powers = [floor.power]
        for _ in 0..<800 {
            floor.add(1)
            powers.append(floor.power)
        }
        let rises = zip(powers, powers.dropFirst()).map { $1 / $0 }
        #expect(rises[..<400].allSatisfy { abs($0 - 1.020_35) < 1e-4 })
        #expect(rises[400...].allSatisfy { abs($0 - 1.001_73) < 1e-4 })
    }

    @Test(
        "the estimate falls by an eighth of the rest in a segment, to -90 dBFS, and is limited at full scale")
    func floorFalls() {
        var floor = NoiseFloor()
        for share in [0.875, 0.765_625, 0.669_922] as [Float] {
            floor.add(0)
            #expect(abs(floor.power / 1e-7 - share) < 1e-4)
        }
        for _ in 0..<100 { floor.add(0) }
        #expect(floor.power == 1e-9)
        var (full, beyond) = (NoiseFloor(), NoiseFloor())
        for number in 0..<150 {
            full.add(number == 0 ? 1 : 0)
            beyond.add(number == 0 ? 4 : 0)
            #expect(full.power == beyond.power)
        }
        #expect(full.power < 3e-7, "the loud segment is over")
    }
}
