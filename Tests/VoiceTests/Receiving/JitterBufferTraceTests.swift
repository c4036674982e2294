import Primitives
import Testing
import Voice
import Wire

#if canImport(Glibc)
import Glibc
#endif

/// The whole receive path with seeded networks.
@Suite struct JitterBufferTraceTests {
    @Test(
        "on a clean network the delay is one frame and the wait for the next block",
        arguments: [100_000, 1_700_000, 3_300_000, 4_500_000] as [Int64])
    func clean(phase: Int64) throws {
        let outcome = Conversation(phaseNanoseconds: phase).run(seed: 1)
        #expect(outcome.statistics.concealedSamples == 0)
        #expect(outcome.statistics.lateFrames == 0)
        // The packet arrives 0.2 ms after the frame's end, and waits for the next block, until 0.17 ms before it.
        let arrival = Double(phase + 200_000) / 1e6
        let wait = (5 - (arrival + 0.17).truncatingRemainder(dividingBy: 5)) + 0.17
        let settled = outcome.latencies(after: 3_000)
        let worst = try #require(settled.max())
        #expect(worst <= 5 + 0.2 + wait + 1.3, "\(worst) ms")
        #expect(5 + 0.2 + wait - 0.1 <= settled.min() ?? 0)
    }

    @Test("jitter with a long tail causes delay, and hardly any gaps", arguments: [1, 2, 3] as [UInt64])
    func exponentialJitter(seed: UInt64) throws {
        var conversation = Conversation(spurts: [0..<60_000], lengthMilliseconds: 60_000)
        conversation.network = { _, random in 200_000 + Int64(-log(1 - random.unit()) * 1_500_000) }
        let outcome = conversation.run(seed: seed)
        let frames = outcome.statistics.receivedFrames
        #expect(outcome.statistics.lateFrames * 200 < frames, "\(outcome.statistics.lateFrames) of \(frames)")
        let latencies = outcome.latencies(after: 10_000)
        #expect(latencies.reduce(0, +) / Double(latencies.count) < 22)
    }

    @Test("the delay of a bad minute is released after ten seconds, by 2 ms a second")
    func recovery() throws {
        var conversation = Conversation(spurts: [0..<60_000], lengthMilliseconds: 60_000)
        conversation.network = { number, random in number < 4_000 ? Int64(random.below(40_000_000)) : 200_000 }
        let outcome = conversation.run(seed: 5)
        #expect(30 < (try #require(outcome.latencies(after: 15_000).first)))
        // A block of 5 ms at its worst phase, and an eighth.
        #expect(try #require(outcome.latencies(after: 55_000).max()) < 14)
        #expect(outcome.statistics.targetSamples <= 312)
    }

    @Test("the release of delay, however much, drops no word", arguments: [40, 80, 120] as [Int64])
    func nothingIsLeftOut(milliseconds: Int64) throws {
        var conversation = Conversation(spurts: [0..<60_000], lengthMilliseconds: 60_000)
        conversation.network = { number, random in
            number < 2_000 ? Int64(random.below(UInt64(milliseconds) * 1_000_000)) : 200_000
        }
        let latencies = conversation.run(seed: 6).latencies(after: 10_500)
        let first = try #require(latencies.first)
        #expect(0.8 * Double(milliseconds) < first)
        // Once a second the numbered sound is almost silent, and 2.5 ms of it are left out.
        for (before, after) in zip(latencies, latencies.dropFirst()) { #expect(before - after < 3) }
        // The slips alone give 2 ms a second, for the last 39 s.
        let last = try #require(latencies.last)
        #expect(last < max(15, first - 74))
    }

    @Test("the release of delay drops no word where one spurt follows another directly, as at a change of coding")
    func nothingIsLeftOutAtSeams() throws {
        var conversation = Conversation(spurts: [0..<24_000, 24_000..<40_000], lengthMilliseconds: 40_000)
        conversation.network = { number, random in number < 2_000 ? Int64(random.below(120_000_000)) : 200_000 }
        let latencies = conversation.run(seed: 6).latencies(after: 22_000)
        #expect(70 < (try #require(latencies.first)))
        for (before, after) in zip(latencies, latencies.dropFirst()) { #expect(before - after < 3) }
    }

    @Test("rare spikes do not raise the delay")
    func spikes() {
        var conversation = Conversation(spurts: [0..<60_000], lengthMilliseconds: 60_000)
        conversation.network = { number, _ in number % 1_000 == 999 ? 60_000_000 : 200_000 }
        let outcome = conversation.run(seed: 4)
        let latencies = outcome.latencies(after: 10_000)
        #expect(latencies.reduce(0, +) / Double(latencies.count) < 13)
    }

    @Test("with one copy, a loss of p leaves a loss of about p²", arguments: [(0.02, 0.0004), (0.10, 0.010)])
    func lossWithOneCopy(loss: Double, expected: Double) {
        var conversation = Conversation(spurts: [0..<120_000], lengthMilliseconds: 120_000)
        conversation.network = { _, random in random.unit() < loss ? nil : 200_000 }
        let statistics = conversation.run(seed: 7).statistics
        let fraction = Double(statistics.lostSamples) / Double(statistics.playedSamples)
        #expect(fraction < expected * 1.5 + 0.0015, "\(fraction) concealed")
        #expect(expected * 0.5 < fraction)
        let last = Double(statistics.lossPermille) / 1_000
        #expect(abs(last - loss) < 0.06, "\(last) reported")
    }

    @Test("without copies the same loss is fully heard")
    func lossWithoutCopies() {
        var conversation = Conversation(copies: [], spurts: [0..<60_000], lengthMilliseconds: 60_000)
        conversation.network = { _, random in random.unit() < 0.1 ? nil : 200_000 }
        let statistics = conversation.run(seed: 7).statistics
        let fraction = Double(statistics.lostSamples) / Double(statistics.playedSamples)
        #expect(0.08 < fraction && fraction < 0.12, "\(fraction)")
    }

    @Test("a spurt whose first packets are slow keeps the delay of earlier spurts")
    func anchoring() throws {
        var conversation = Conversation(spurts: [0..<20_000, 22_000..<26_000], lengthMilliseconds: 26_000)
        conversation.network = { number, _ in (4_000..<4_003).contains(number) ? 12_000_000 : 200_000 }
        let outcome = conversation.run(seed: 2)
        let first = try #require(outcome.latencies.last { $0.at < 19_900 }?.milliseconds)
        let second = try #require(outcome.latencies.first { 22_100 < $0.at }?.milliseconds)
        #expect(abs(first - second) < 1, "\(first) and \(second) ms")
    }

    @Test(
        "±400 ppm between two cards move the delay by less than 2 ms in ten minutes",
        arguments: [-400.0, -200, -50, 50, 200, 400])
    func drift(partsPerMillion: Double) throws {
        var conversation = Conversation(
            driftPartsPerMillion: partsPerMillion, spurts: [0..<600_000], lengthMilliseconds: 600_000)
        conversation.network = { _, random in 200_000 + Int64(random.below(300_000)) }
        let outcome = conversation.run(seed: 3)
        let settled = outcome.latencies(after: 120_000).sorted()
        let low = settled[settled.count / 100]
        let high = settled[settled.count * 99 / 100]
        #expect(high - low <= 2, "\(low) … \(high) ms")
        #expect(high < 12.5)
        #expect(outcome.statistics.lateFrames < 20, "\(outcome.statistics.lateFrames) late")
    }

    @Test("after an outage the sound is back with the first frame, at its old delay", arguments: [80, 200])
    func outage(milliseconds: Int) throws {
        var conversation = Conversation(lengthMilliseconds: 12_000)
        let packets = milliseconds / 5
        conversation.network = { number, _ in (1_700..<1_700 + packets).contains(number) ? nil : 200_000 }
        let outcome = conversation.run(seed: 1)
        // The first packet afterwards carries a copy of the last lost one, which comes too late.
        #expect(outcome.statistics.lostSamples <= UInt64(milliseconds * 48))
        let before = try #require(outcome.latencies.last { $0.at < 8_450 })
        let after = outcome.latencies.drop { $0.at < 8_550 + milliseconds - 80 }.prefix(2)
        let first = try #require(after.first)
        #expect(first.at <= 8_500 + milliseconds + 5 + 12, "\(first)")
        // The first block is faded in, so its samples do not show their position.
        let second = try #require(after.last)
        #expect(abs(second.milliseconds - before.milliseconds) < 0.6, "\(before) and \(second)")
    }

    @Test("sample time may wrap within a word")
    func wrap() throws {
        let conversation = Conversation(
            startTime: SampleTime(samples: .max - 48_000 * 3 + 1), spurts: [0..<8_000], lengthMilliseconds: 8_000)
        let outcome = conversation.run(seed: 1)
        #expect(outcome.statistics.concealedSamples == 0)
        #expect(outcome.statistics.lateFrames == 0)
        #expect(outcome.latencies(after: 7_000).count > 100)
    }

    @Test("a minute of silence with clock messages costs at most one frame of the next word")
    func silence() throws {
        let conversation = Conversation(
            driftPartsPerMillion: 150, spurts: [0..<5_000, 65_000..<70_000], lengthMilliseconds: 70_000)
        let outcome = conversation.run(seed: 1)
        // One frame: the phase between the cards has moved, and the first frame shows it.
        #expect(outcome.statistics.lateFrames <= 1)
        #expect(outcome.statistics.lostSamples <= 240)
        let second = outcome.latencies.filter { 65_050 < $0.at }.map(\.milliseconds)
        #expect(try #require(second.max()) < 12)
    }

    @Test("late wake-ups of the card do not count as network delay", arguments: [240, 480, 441])
    func wakeJitter(block: Int) throws {
        let conversation = Conversation(blockSamples: block, wakeJitterNanoseconds: 1_000_000)
        let outcome = conversation.run(seed: 9)
        // A few frames are late until the card's clock is known.
        #expect(outcome.statistics.lateFrames <= 12)
        #expect(try #require(outcome.latencies(after: 10_000).max()) < 5 + Double(block) / 48 + 7)
    }
}
