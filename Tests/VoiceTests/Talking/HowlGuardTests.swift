import Testing
import Voice

@Suite("feedback between loudspeaker and microphone")
struct HowlGuardTests {
    /// A room in which the microphone hears the sent sound again, `delay` samples later and `loopGain` times as loud.
    /// Its loudspeaker clips at full scale. The result is the sent sound, and the guard.
    private func room(
        loopGain: Float, delay: Int, seconds: Int, isGuarded: Bool
    ) -> (sent: [Float], guarding: HowlGuard) {
        var guarding = HowlGuard()
        let count = seconds * 48_000
        let own = Sound.sum(Sound.noise(count, decibels: -55), Sound.word(milliseconds: 400, decibels: -26), at: 48_000)
        var sent = [Float](repeating: 0, count: count)
        // A resonance at 1.2 kHz, as loudspeakers, rooms and microphones have.
        var (y1, y2): (Float, Float) = (0, 0)
        for index in 0..<count {
            let played = delay <= index ? max(-1, min(1, sent[index - delay])) : 0
            let y = 0.02 * played + 1.9416 * y1 - 0.9658 * y2
            (y2, y1) = (y1, y)
            var sample = own[index] + loopGain * 0.265 * y
            if isGuarded { guarding.process(&sample, count: 1) }
            sent[index] = sample
        }
        return (sent, guarding)
    }

    @Test("a loop without a guard howls at full scale, which shows that the other test can fail")
    func unguarded() {
        let (sent, _) = room(loopGain: 1.5, delay: 1_440, seconds: 6, isGuarded: false)
        #expect(-12 < Sound.decibels(sent.suffix(48_000)))
    }

    @Test("with the guard the loop stays open, and the guard counts howls", arguments: [480, 960, 1_440, 2_880])
    func guarded(delay: Int) {
        let (sent, guarding) = room(loopGain: 1.5, delay: delay, seconds: 10, isGuarded: true)
        #expect(1 <= guarding.howls)
        let worst = stride(from: 0, to: sent.count - 4_800, by: 4_800).map { Sound.decibels(sent[$0..<($0 + 4_800)]) }
            .max()
        #expect((worst ?? 0) < -6, "\(worst ?? 0) dBFS")
        #expect(Sound.decibels(sent.suffix(2 * 48_000)) < -20)
    }

    @Test("speech, room noise and a steady tone are no howl")
    func calm() {
        var sound = Sound.noise(8 * 48_000, decibels: -50)
        for number in 0..<12 {
            let word = Sound.word(milliseconds: 450, decibels: -16, pitch: 100 + Double(number) * 15)
            sound = Sound.sum(sound, word, at: 12_000 + number * 26_000)
        }
        for steady in [sound, Sound.tone(4 * 48_000, hertz: 440, amplitude: 0.25), Sound.noise(48_000, decibels: -10)] {
            var guarding = HowlGuard()
            var samples = steady
            samples.withUnsafeMutableBufferPointer { block in
                if let base = block.baseAddress { guarding.process(base, count: block.count) }
            }
            #expect(guarding.howls == 0 && !guarding.isActive && samples == steady)
        }
    }

    @Test("when the loop is gone the microphone recovers")
    func recovers() {
        var guarding = HowlGuard()
        var growing = Sound.tone(48_000, hertz: 1_500, amplitude: 0.6)
        for index in growing.indices { growing[index] *= Float(index) / 48_000 * Float(index) / 48_000 }
        let quiet = Sound.noise(30 * 48_000, decibels: -50)
        var samples = growing + quiet
        samples.withUnsafeMutableBufferPointer { block in
            if let base = block.baseAddress { guarding.process(base, count: block.count) }
        }
        #expect(1 <= guarding.howls)
        #expect(0.3 < guarding.gain)
    }

    @Test("NaN does not break it")
    func notANumber() {
        var guarding = HowlGuard()
        var samples = [Float](repeating: .nan, count: 960) + [Float](repeating: .infinity, count: 960)
        samples += Sound.tone(9_600, hertz: 300, amplitude: 0.1)
        samples.withUnsafeMutableBufferPointer { block in
            if let base = block.baseAddress { guarding.process(base, count: block.count) }
        }
        #expect(guarding.gain == 1 && samples.suffix(100).allSatisfy(\.isFinite))
    }
}
