import Primitives
import Testing
import Voice
import Wire

/// Playback that wakes up once a period in silence, against playback that always wakes four times.
@Suite struct RestTests {
    private static let part = 60
    private static let partsOfPeriod = 4

    private struct Outcome {
        /// Where each spurt was first heard, in samples of the listener's card.
        var onsets: [Int] = []
        var targetSamples: Int32 = 0
        var rests = 0
    }

    /// Spurts of 0.4 s every 3.3 s, whose packets take 0.2 to 1.2 ms.
    private func arrivals(seed: UInt64) -> [(at: Int64, payload: [UInt8])] {
        var random = SeededRandom(seed: seed)
        var all: [(at: Int64, payload: [UInt8])] = []
        for spurt in 0..<12 {
            let begin = 48_000 + spurt * 158_400 + Int(random.below(480))
            for number in 0..<80 {
                let start = begin + number * 240
                let sent = Int64(start + 240) * 62_500 / 3
                let flags: VoicePayloadFlags = number == 0 ? .spurtStart : number == 79 ? .spurtEnd : []
                let payload = self.payload(start: start, spurt: UInt8(spurt), flags: flags)
                all.append((Self.origin + sent + 200_000 + Int64(random.below(1_000_000)), payload))
            }
        }
        return all.sorted { $0.at < $1.at }
    }

    private func payload(start: Int, spurt: UInt8, flags: VoicePayloadFlags) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let opus = NumberedCodec.bytes(start: Int64(start))
        let count = bytes.withUnsafeMutableBytes { raw in
            let header = VoicePayloadHeader(
                flags: flags, channelSlot: 0, spurt: spurt, sampleTime: SampleTime(samples: UInt32(start)),
                bundling: .single)
            var writer = VoicePayloadWriter(into: raw, header: header)
            _ = opus.withUnsafeBytes { writer.append(VoiceBlock(age: 0, duration: .ms5, opus: $0)) }
            return writer.byteCount
        }
        return Array(bytes[..<count])
    }

    private func listen(seed: UInt64, isRestAllowed: Bool) -> Outcome {
        let arrivals = self.arrivals(seed: seed)
        var receiver = VoiceReceiver(decoders: NumberedCodec.decoders(), outputChannels: 1)
        let slot = PeerSlot(index: 0)
        receiver.openPeer(slot)
        var (outcome, next, tick, lastSound) = (Outcome(), 0, 0, -48_000)
        func time(_ tick: Int) -> Int64 { Self.origin + Int64(tick * Self.part) * 62_500 / 3 }
        func drain(until now: Int64) {
            while next < arrivals.count, arrivals[next].at <= now {
                let arrival = Instant(nanoseconds: arrivals[next].at)
                arrivals[next].payload.withUnsafeBytes { receiver.insert(slot, payload: $0, arrival: arrival) }
                next += 1
            }
        }
        func render(_ parts: Int, now: Int64) {
            var block = [Float](repeating: 0, count: parts * Self.part)
            block.withUnsafeMutableBufferPointer { receiver.render(into: $0, now: Instant(nanoseconds: now)) }
            for (index, sample) in block.enumerated() where 1e-4 < abs(sample) {
                let position = tick * Self.part + index
                if 24_000 < position - lastSound { outcome.onsets.append(position) }
                lastSound = position
            }
            tick += parts
        }
        while time(tick) < Self.origin + 43_000_000_000 {
            guard isRestAllowed, 96_000 <= receiver.quietSamples else {
                drain(until: time(tick))
                render(1, now: time(tick))
                continue
            }
            let wake = time(tick + Self.partsOfPeriod - 1)
            drain(until: wake)
            if receiver.quietSamples == 0 {
                for _ in 0..<Self.partsOfPeriod { render(1, now: wake) }
            } else {
                render(Self.partsOfPeriod, now: time(tick))
                receiver.expectBlocks(of: Self.part)
                outcome.rests += 1
            }
        }
        outcome.targetSamples = receiver.statistics(of: slot).targetSamples
        return outcome
    }

    @Test(
        "the first word after a rest is heard no later, and no delay is learned from it",
        arguments: 1...6 as ClosedRange<UInt64>)
    func firstWord(seed: UInt64) {
        let awake = listen(seed: seed, isRestAllowed: false)
        let rested = listen(seed: seed, isRestAllowed: true)
        #expect(awake.onsets.count == 12 && rested.onsets.count == 12)
        #expect(1_000 < rested.rests)
        for (rested, awake) in zip(rested.onsets, awake.onsets) { #expect(rested <= awake) }
        #expect(rested.targetSamples <= awake.targetSamples)
    }

    private static let origin: Int64 = 5_000_000_000_000
}
