import AudioIO
import Handover
import Primitives
import Testing
import Voice

/// Periods of 100 samples, which echo cancellation delays by 220: it needs blocks of 240.
@Suite("the path from the microphone to the encoder")
struct InputPathTests {
    private static let delay = 220

    private static func instant(_ sample: Int) -> Instant {
        Instant(nanoseconds: 4_000_000_000) + Interval(samples: sample)
    }

    private static func speaking() -> SpeakingConfiguration {
        var speaking = SpeakingConfiguration()
        speaking.isEchoCancelled = true
        return speaking
    }

    /// Returns what is sent, with zeros for periods that are not. Before each period `turn` moves the keys, as they are
    /// when the period has been captured: until sample `end`.
    private func sent(
        _ captured: [Float], speaking: SpeakingConfiguration = InputPathTests.speaking(),
        _ turn: (PressedKeys, _ end: Int) -> Void
    ) throws -> [Float] {
        let keys = PressedKeys(wakeUpEvent: try WakeUpEvent())
        var path = InputPath(speaking, keys: keys, links: OwnVoiceLinks(speaking))
        var sent: [Float] = []
        for start in stride(from: 0, to: captured.count, by: 100) {
            turn(keys, start + 100)
            var samples = Array(captured[start..<(start + 100)])
            let opened = samples.withUnsafeMutableBufferPointer { block -> TalkGate.Keys in
                guard let base = block.baseAddress else { return .none }
                return path.process(base, count: block.count, capturedAt: Self.instant(start))
            }
            sent += opened.isEmpty ? [Float](repeating: 0, count: 100) : samples
        }
        return sent
    }

    /// Clicks at these samples, in a second of silence.
    private func clicks(_ places: Int...) -> [Float] {
        var captured = [Float](repeating: 0, count: 48_000)
        for place in places { captured[place] = 0.5 }
        return captured
    }

    @Test("delayed sound goes by the key at the time of its capture, at the press and at the release")
    func delayed() throws {
        // 2 ms before the press, and before the release.
        let sent = try sent(clicks(23_954, 35_954)) { keys, end in
            if end == 24_100 { keys.move(to: .held, at: Self.instant(24_050)) }
            if end == 36_100 { keys.move(to: .none, at: Self.instant(36_050)) }
        }
        #expect(sent[..<30_000].allSatisfy { abs($0) < 0.01 })
        #expect(0.2 < sent[35_954 + Self.delay])
    }

    @Test("nothing of a cough is sent, although it is delayed")
    func cough() throws {
        let sent = try sent(clicks(20_000, 35_954, 40_000)) { keys, end in
            if end == 100 { keys.move(to: .held, at: Self.instant(50)) }
            if end == 24_100 { keys.setCough(true, at: Self.instant(24_050)) }
            if end == 36_100 { keys.setCough(false, at: Self.instant(36_050)) }
        }
        #expect(0.2 < sent[20_000 + Self.delay] && 0.2 < sent[40_000 + Self.delay])
        #expect(sent[24_300..<39_000].allSatisfy { abs($0) < 0.01 })
    }

    @Test("a cough begins and ends without a click", arguments: [100, 240, 960])
    func coughClicks(period: Int) throws {
        let keys = PressedKeys(wakeUpEvent: try WakeUpEvent())
        let speaking = SpeakingConfiguration()
        var path = InputPath(speaking, keys: keys, links: OwnVoiceLinks(speaking))
        var heard: [Float] = []
        for number in 0..<40 {
            if number == 15 { keys.setCough(true, at: Self.instant(15 * period)) }
            if number == 25 { keys.setCough(false, at: Self.instant(25 * period)) }
            // 200 Hz at -6 dBFS.
            var samples = (0..<period).map { index -> Float in
                let turn = Float((number * period + index) % 240) / 240
                return turn < 0.5 ? 8 * turn * (0.5 - turn) : -8 * (turn - 0.5) * (1 - turn)
            }
            samples.withUnsafeMutableBufferPointer { block in
                guard let base = block.baseAddress else { return }
                _ = path.process(base, count: period, capturedAt: Self.instant(number * period))
            }
            heard += samples
        }
        #expect(zip(heard, heard.dropFirst()).allSatisfy { abs($0 - $1) < 0.03 })
        #expect(heard[(16 * period + 120)..<(25 * period)].allSatisfy { $0 == 0 })
        #expect(0.4 < heard.suffix(480).max() ?? 0)
    }
}
