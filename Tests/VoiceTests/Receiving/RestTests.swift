import Primitives
import TestKit
import Testing
import Voice
import Wire

/// Playback that wakes up once a period in silence, compared with playback that always wakes up four times.
@Suite struct RestTests {
    fileprivate static let part = 60
    fileprivate static let partsOfPeriod = 4

    fileprivate struct Outcome {
        /// The first sound of each spurt, in samples of the listener's card.
        var onsets: [Int] = []
        var targetSamples: Int32 = 0
        var rests = 0
    }

    /// Spurts of 0.4 s every 3.3 s. Their packets take 0.2 to 1.2 ms.
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
                flags: flags, address: .first, spurt: spurt, sampleTime: SampleTime(samples: UInt32(start)),
                bundling: .single)
            var writer = VoicePayloadWriter(into: raw, header: header)
            _ = opus.withUnsafeBytes { writer.append(VoiceBlock(age: 0, duration: .ms5, sound: $0)) }
            return writer.byteCount
        }
        return Array(bytes[..<count])
    }

    private struct Listener: ~Copyable {
        private(set) var outcome = Outcome()
        private var receiver = VoiceReceiver(decoders: NumberedCodec.decoders(), outputChannels: 1)
        private let arrivals: [(at: Int64, payload: [UInt8])]
        private let slot = PeerSlot(index: 0)
        private var next = 0
        private var tick = 0
        private var lastSound = -48_000

        init(arrivals: [(at: Int64, payload: [UInt8])]) {
            self.arrivals = arrivals
            receiver.openPeer(slot)
        }

        mutating func listen(isRestAllowed: Bool) {
            while time(tick) < RestTests.origin + 43_000_000_000 {
                if isRestAllowed, 96_000 <= receiver.quietSamples { rest() } else { wake() }
            }
            outcome.targetSamples = receiver.statistics(of: slot).targetSamples
        }

        private mutating func wake() {
            drain(until: time(tick))
            render(1, now: time(tick))
        }

        /// Like a resting turn of the playback thread.
        private mutating func rest() {
            let wake = time(tick + RestTests.partsOfPeriod - 1)
            drain(until: wake)
            if receiver.quietSamples == 0 {
                for _ in 0..<RestTests.partsOfPeriod { render(1, now: wake) }
            } else {
                render(RestTests.partsOfPeriod, now: time(tick))
                receiver.expectBlocks(of: RestTests.part)
                outcome.rests += 1
            }
        }

        private func time(_ tick: Int) -> Int64 { RestTests.origin + Int64(tick * RestTests.part) * 62_500 / 3 }

        private mutating func drain(until now: Int64) {
            while next < arrivals.count, arrivals[next].at <= now {
                let (at, payload) = arrivals[next]
                payload.withUnsafeBytes {
                    receiver.insert(slot, payload: $0, on: HeardLines(.line(0)), arrival: Instant(nanoseconds: at))
                }
                next += 1
            }
        }

        private mutating func render(_ parts: Int, now: Int64) {
            var block = [Float](repeating: 0, count: parts * RestTests.part)
            block.withUnsafeMutableBufferPointer { receiver.render(into: $0, now: Instant(nanoseconds: now)) }
            for (index, sample) in block.enumerated() where 1e-4 < abs(sample) {
                let position = tick * RestTests.part + index
                if 24_000 < position - lastSound { outcome.onsets.append(position) }
                lastSound = position
            }
            tick += parts
        }
    }

    private func listen(seed: UInt64, isRestAllowed: Bool) -> Outcome {
        var listener = Listener(arrivals: arrivals(seed: seed))
        listener.listen(isRestAllowed: isRestAllowed)
        return listener.outcome
    }

    @Test(
        "the first word after a rest is heard no later, and adds no delay",
        arguments: 1...6 as ClosedRange<UInt64>)
    func firstWord(seed: UInt64) {
        let awake = listen(seed: seed, isRestAllowed: false)
        let rested = listen(seed: seed, isRestAllowed: true)
        #expect(awake.onsets.count == 12 && rested.onsets.count == 12)
        #expect(1_000 < rested.rests)
        for (rested, awake) in zip(rested.onsets, awake.onsets) { #expect(rested <= awake) }
        #expect(rested.targetSamples <= awake.targetSamples)
    }

    fileprivate static let origin: Int64 = 5_000_000_000_000
}
