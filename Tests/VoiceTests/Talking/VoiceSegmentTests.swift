import Glibc
import Primitives
import Testing
import Voice

@Suite("the voice detector, segment by segment")
struct VoiceSegmentTests {
    /// 2.5 ms of 4 kHz, ten whole periods; -9 dBFS of power for 0.5.
    private func tone(_ amplitude: Float = 0.5, count: Int = 120) -> [Float] {
        (0..<count).map { amplitude * Float(sin(2 * .pi * Double($0) / 12)) }
    }
    private let quiet = [Float](repeating: 0, count: 120)

    /// Onset at -24 dBFS, kept down to -30.
    private func detector(attack: Int, hang: Int = 3) -> VoiceDetector {
        VoiceDetector(VoiceDetector.Settings(attackSegments: attack, hangSegments: hang, powerMin: 0.004))
    }

    private func heard(_ samples: [Float], by detector: inout VoiceDetector) -> Bool {
        samples.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { detector.measure($0, count: buffer.count) } ?? false
        }
    }

    /// L: loud, q: quiet, k: loud enough to continue but not to begin. `expected` has + where a voice is found, one
    /// character for each segment.
    @Test(
        "attack and hang time, to the segment",
        arguments: [
            (4, 5, "LLLLqqqqqqq", "...++++++.."), (4, 5, "LLLqLLLqLLLL", "...........+"),
            (1, 1, "qLqqLq", ".++.++"), (1, 3, "kkLkkkkqqqq", "..++++++++."), (2, 3, "LqLLqqLqqqq", "...+++++++."),
        ])
    func segments(attack: Int, hang: Int, sound: String, expected: String) {
        var detector = detector(attack: attack, hang: hang)
        var found = ""
        for letter in sound {
            let samples = letter == "L" ? tone() : letter == "k" ? tone(0.07) : quiet
            found += heard(samples, by: &detector) ? "+" : "."
        }
        #expect(found == expected)
    }

    @Test("a block in which the voice ended still counts, and the next one does not")
    func end() {
        var detector = detector(attack: 1, hang: 2)
        #expect(heard(quiet + tone() + quiet, by: &detector) && detector.isSpeaking)
        #expect(heard(quiet, by: &detector) && !detector.isSpeaking)
        #expect(!heard(quiet, by: &detector))
        #expect(heard(tone() + quiet + quiet, by: &detector) && !detector.isSpeaking, "begun and ended within")
    }

    @Test("a segment is judged with its 120th sample, at first and after a pause, and silence is no voice")
    func sampleExact() {
        var detector = detector(attack: 1)
        #expect(!heard(quiet, by: &detector))
        for _ in 0..<2 {
            #expect(!heard(Array(tone().prefix(119)), by: &detector))
            #expect(heard(Array(tone().suffix(1)), by: &detector))
            _ = heard(tone(count: 60), by: &detector)
            detector.end()
            #expect(!detector.isSpeaking)
            #expect(!heard(quiet, by: &detector), "silence after the pause")
        }
        var early = self.detector(attack: 1)
        #expect(!heard(Array(tone().prefix(119)), by: &early) && heard(tone(count: 1), by: &early), "the very first")
    }

    @Test("a pause clears the attack so far, and the ringing of the filter")
    func pauseForgets() {
        var patient = detector(attack: 2)
        _ = heard(tone(), by: &patient)
        patient.end()
        #expect(!heard(tone(), by: &patient) && heard(tone(), by: &patient))
        var quick = detector(attack: 1)
        _ = heard([Float](repeating: 1, count: 60), by: &quick)
        quick.end()
        #expect(!heard(quiet, by: &quick), "the end of a level of 1 is no sound")
    }

    @Test("a voice is found when it has been loud for 10 ms, and ends after 400 ms of silence")
    func defaults() {
        var detector = VoiceDetector(
            VoiceDetector.Settings(
                attackSegments: TalkLimits.voxAttackSegments,
                hangSegments: TalkLimits.voxHang.samples / TalkLimits.segmentSamples, powerMin: 1e-5))
        var times: [Int] = []
        for sample in 0..<24_000 where heard([sample < 600 ? tone()[sample % 120] : 0], by: &detector) {
            times.append(sample)
        }
        #expect(times.first == 479)
        // The filter rings for one segment more. Then 400 ms follow.
        #expect(times.last == 600 + 120 + 19_200 - 1)
    }

    @Test("a detector without attack, hang time or threshold is a bug of the program")
    func settings() async {
        await #expect(processExitsWith: .failure) {
            _ = VoiceDetector.Settings(attackSegments: 0, hangSegments: 1, powerMin: 1e-5)
        }
        await #expect(processExitsWith: .failure) {
            _ = VoiceDetector.Settings(attackSegments: 1, hangSegments: 0, powerMin: 1e-5)
        }
        await #expect(processExitsWith: .failure) {
            _ = VoiceDetector.Settings(attackSegments: 1, hangSegments: 1, powerMin: 0)
        }
    }
}
