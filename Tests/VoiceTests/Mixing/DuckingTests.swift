import Testing
import Voice

@Suite("ducking of other talkers")
struct DuckingTests {
    /// -15 dB.
    private static let down: Float = 0.1778

    /// The gain after these samples of a priority talker's speech, and then of silence.
    private func gain(speech: [Int], silence: [Int] = []) -> Float {
        var ducking = Ducking()
        for count in speech { ducking.advance(count: count, isSpeechHeard: true) }
        for count in silence { ducking.advance(count: count, isSpeechHeard: false) }
        return ducking.gain(to: Ducking.priorityDepth)
    }

    @Test("without a priority talker nobody is ducked")
    func none() { #expect(gain(speech: [], silence: [240, 240]) == 1) }

    @Test(
        "ducking goes down to -15 dB linearly within 10 ms, and no further",
        arguments: [([48], 0.91778), ([240], 0.5889), ([240, 240], 0.1778), ([480], 0.1778), ([480, 480], 0.1778)]
            as [([Int], Float)])
    func attack(speech: [Int], expected: Float) { #expect(abs(gain(speech: speech) - expected) < 2e-6) }

    @Test(
        "a pause of 0.2 s between words does not end the ducking",
        arguments: [[9_600], [9_599, 1], [1, 9_599]])
    func hold(silence: [Int]) {
        #expect(abs(gain(speech: [480], silence: silence) - Self.down) < 2e-6)
        #expect(Self.down + 2e-6 < gain(speech: [480], silence: silence + [1]))
    }

    @Test(
        "after the pause the gain rises linearly within 300 ms, up to one",
        arguments: [([144], 0.186022), ([7_200], 0.5889), ([14_400], 1), ([14_000, 2_000], 1), ([16_000, 480], 1)]
            as [([Int], Float)])
    func release(silence: [Int], expected: Float) {
        #expect(abs(gain(speech: [480], silence: [9_600] + silence) - expected) < 2e-6)
    }

    @Test("speech during the rise ducks again from the present gain, and starts a new hold")
    func again() {
        var ducking = Ducking()
        for (count, isSpeaking) in [(480, true), (9_600, false), (7_200, false), (48, true), (9_600, false)] {
            ducking.advance(count: count, isSpeechHeard: isSpeaking)
        }
        #expect(abs(ducking.gain(to: Ducking.priorityDepth) - 0.50668) < 2e-6)
    }

    @Test("voices of different depths go down and up together", arguments: [0, 0.1995, 0.5, 1] as [Float])
    func depths(depth: Float) {
        var ducking = Ducking()
        #expect(ducking.gain(to: depth) == 1)
        ducking.advance(count: 240, isSpeechHeard: true)
        #expect(abs(ducking.gain(to: depth) - (1 + depth) / 2) < 2e-6)
        ducking.advance(count: 240, isSpeechHeard: true)
        #expect(abs(ducking.gain(to: depth) - depth) < 2e-6)
    }
}
