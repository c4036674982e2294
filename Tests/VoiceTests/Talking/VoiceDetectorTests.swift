import Testing
import Voice

@Suite("the voice detector")
struct VoiceDetectorTests {
    /// Hang time 100 ms, threshold -50 dBFS.
    private static let settings = VoiceDetector.Settings(
        attackSegments: TalkLimits.voxAttackSegments, hangSegments: 40, powerMin: 1e-5)

    /// The milliseconds, in steps of 5, in which the detector finds a voice.
    private func heard(_ sound: [Float], _ settings: VoiceDetector.Settings = settings) -> [Int] {
        var detector = VoiceDetector(settings)
        return sound.withUnsafeBufferPointer { samples in
            stride(from: 0, to: samples.count - 239, by: 240).filter { start in
                guard let base = samples.baseAddress else { return false }
                return detector.measure(base + start, count: 240)
            }.map { $0 / 48 }
        }
    }

    @Test("room noise alone is no voice, whether quiet or loud", arguments: [-90.0, -60, -45, -35])
    func room(decibels: Double) {
        let late = heard(Sound.noise(30 * 48_000, decibels: decibels)).filter { 2_000 <= $0 }
        #expect(late.isEmpty)
    }

    @Test(
        "a word above the room is found from its beginning to the end of the hang time", arguments: [-80.0, -60, -50])
    func word(room: Double) {
        let word = Sound.word(milliseconds: 400, decibels: -22)
        let sound = Sound.sum(Sound.noise(5 * 48_000, decibels: room), word, at: 3 * 48_000)
        let times = heard(sound).filter { 2_000 <= $0 }
        #expect(times.first.map { 3_000 <= $0 && $0 <= 3_020 } == true, "\(times.prefix(3))")
        #expect(times.last.map { 3_400 <= $0 && $0 <= 3_505 } == true, "\(times.suffix(3))")
        #expect(times.count == (times[times.count - 1] - times[0]) / 5 + 1, "no hole")
    }

    @Test("a pause within the hang time does not end it, and a longer one does")
    func pauses() {
        var sound = Sound.noise(6 * 48_000, decibels: -65)
        for start in [3_000, 3_260, 3_700] {
            sound = Sound.sum(sound, Sound.word(milliseconds: 200, decibels: -20), at: start * 48)
        }
        let times = heard(sound).filter { 2_000 <= $0 }
        let holes = zip(times, times.dropFirst()).filter { 5 < $1 - $0 }
        #expect(holes.count == 1 && holes[0].0 < 3_600 && 3_690 < holes[0].1, "\(holes)")
    }

    @Test("a fan that is switched on becomes part of the room within eight seconds")
    func fan() {
        let quiet = Sound.noise(20 * 48_000, decibels: -65)
        let sound = Sound.sum(quiet, Sound.noise(15 * 48_000, decibels: -45, seed: 2), at: 5 * 48_000)
        let times = heard(sound)
        #expect(times.contains(5_500))
        #expect(times.allSatisfy { $0 < 13_000 }, "\(times.suffix(3))")
    }

    @Test("ten seconds of words do not become part of the room, and the last word is still found")
    func longTalk() {
        var sound = Sound.noise(14 * 48_000, decibels: -60)
        for number in 0..<25 {
            sound = Sound.sum(sound, Sound.word(milliseconds: 330, decibels: -25), at: (2_000 + number * 400) * 48)
        }
        let times = Set(heard(sound))
        #expect((0..<25).allSatisfy { times.contains(2_000 + $0 * 400 + 50) })
    }

    @Test("a click of a millisecond is no voice, and neither is rumble")
    func clicksAndRumble() {
        let click = Sound.tone(48, hertz: 2_000, amplitude: 0.5)
        let clicked = Sound.sum(Sound.noise(4 * 48_000, decibels: -65), click, at: 3 * 48_000)
        #expect(heard(clicked).allSatisfy { $0 < 2_000 })
        let rumble = Sound.tone(4 * 48_000, hertz: 20, amplitude: 0.03)
        #expect(heard(Sound.sum(Sound.noise(4 * 48_000, decibels: -65), rumble)).allSatisfy { $0 < 2_000 })
    }

    @Test("sound below the level that the user set is no voice")
    func level() {
        let sound = Sound.sum(
            Sound.noise(4 * 48_000, decibels: -80), Sound.word(milliseconds: 500, decibels: -40), at: 2 * 48_000)
        #expect(!heard(sound).isEmpty)
        let insensitive = VoiceDetector.Settings(
            attackSegments: TalkLimits.voxAttackSegments, hangSegments: 40, powerMin: 1e-3)
        #expect(heard(sound, insensitive).isEmpty)
    }
}
