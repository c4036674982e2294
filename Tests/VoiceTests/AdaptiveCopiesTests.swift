import Primitives
import Testing
import Voice

/// Talker, network and listener, with the listener's reports sent back.
@Suite("copies that follow the loss")
struct AdaptiveCopiesTests {
    private func conversation(
        seconds: Int, _ network: @escaping (Int, inout SeededRandom) -> Int64?
    ) -> Conversation {
        var conversation = Conversation(
            isAdaptive: true, countLostAfter: 10_000, spurts: [0..<seconds * 1_000], lengthMilliseconds: seconds * 1_000
        )
        conversation.network = network
        return conversation
    }

    private func lost(_ outcome: Conversation.Outcome, seconds: Int) -> Double {
        Double(outcome.lostLater) / Double((seconds - 10) * 48_000)
    }

    private func delay(_ outcome: Conversation.Outcome) -> Double {
        let settled = outcome.latencies(after: 10_000)
        return settled.reduce(0, +) / Double(max(1, settled.count))
    }

    @Test(
        "copies repair almost all random losses, at a delay of one packet for each copy",
        arguments: [
            (.ms5, 5, 2, 0.001), (.ms5, 10, 2, 0.003), (.ms5, 20, 3, 0.004),
            // A gap of half the length is heard as much, so at most half as many frames may be missing.
            (.ms2_5, 5, 2, 0.0005), (.ms2_5, 10, 3, 0.000_5), (.ms2_5, 20, 4, 0.001),
        ] as [(FrameDuration, Int, Int, Double)])
    func random(frame: FrameDuration, percent: Int, copies: Int, leftMax: Double) {
        var conversation = conversation(seconds: 60) { _, _ in 200_000 }
        conversation.duration = frame
        let clean = conversation.run(seed: 1)
        conversation.network = { _, random in random.chance(permille: UInt64(percent) * 10) ? nil : 200_000 }
        let lossy = conversation.run(seed: 1)
        #expect(lost(lossy, seconds: 60) < leftMax, "\(lost(lossy, seconds: 60)), \(lossy.choice)")
        #expect(
            delay(lossy) - delay(clean) <= Double(frame.samples * copies) / 48 + 0.6,
            "\(delay(lossy)) and \(delay(clean)) ms")
        #expect(lossy.choice.scheme.copyDistances.starts(with: 1...copies), "\(lossy.choice)")
    }

    @Test(
        "copies repair most losses in bursts, at 45 ms of delay at most",
        arguments: [(200, 4, 0.032), (100, 6, 0.032)] as [(UInt64, UInt64, Double)])
    func bursts(lossPermille: UInt64, run: UInt64, leftMax: Double) {
        let clean = conversation(seconds: 90) { _, _ in 200_000 }.run(seed: 1)
        var isBad = false
        let entering = 1_000_000 / run * lossPermille / (1_000 - lossPermille)
        let lossy = conversation(seconds: 90) { _, random in
            isBad = isBad ? 1_000_000 / run <= random.below(1_000_000) : random.below(1_000_000) < entering
            return isBad ? nil : 200_000
        }.run(seed: 2)
        #expect(lost(lossy, seconds: 90) < leftMax, "\(lost(lossy, seconds: 90)), \(lossy.choice)")
        #expect(delay(lossy) - delay(clean) <= 45.6, "\(delay(lossy)) and \(delay(clean)) ms")
    }

    @Test(
        "outages of 80 ms do not change the delay, although the copies against bursts come too late",
        arguments: [
            FrameDuration.ms2_5, .ms5,
        ])
    func outages(frame: FrameDuration) {
        var conversation = conversation(seconds: 90) { _, _ in 200_000 }
        conversation.duration = frame
        let usual = delay(conversation.run(seed: 1))
        let (period, outage) = (20 * 48_000 / frame.samples, 80 * 48 / frame.samples)
        conversation.network = { number, _ in number % period < outage && period <= number ? nil : 200_000 }
        let outcome = conversation.run(seed: 1)
        let later = outcome.latencies(after: 10_000).sorted()
        // The faded-in block after an outage does not show its position.
        #expect(later[later.count * 995 / 1_000] <= usual + 0.6, "\(usual) ms, then \(later.suffix(40))")
    }

    @Test("without loss the receiver waits for no copy, and each packet carries one")
    func clean() {
        let outcome = conversation(seconds: 30) { _, _ in 200_000 }.run(seed: 1)
        #expect(outcome.choice.description == "no loss, 1 copy 1 packet later")
        #expect(outcome.statistics.targetSamples <= 240)
    }
}
