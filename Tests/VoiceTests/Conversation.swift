import Primitives
import Voice
import Wire

/// One talker, a network and a listener on virtual time, in nanoseconds.
struct Conversation {
    var duration = FrameDuration.ms5
    var blockSamples = 240
    /// The talker's card against the listener's.
    var driftPartsPerMillion = 0.0
    /// When the talker's first period ends, against the listener's blocks.
    var phaseNanoseconds: Int64 = 1_700_000
    var startTime = SampleTime(samples: 0)
    var copies = [1]
    /// Talking from and to, in milliseconds of the talker's time.
    var spurts: [Range<Int>] = [0..<20_000]
    var lengthMilliseconds = 20_000
    /// Extra delay of packet `n`, or nil where it is lost.
    var network: (_ number: Int, _ random: inout SeededRandom) -> Int64? = { _, _ in 200_000 }
    /// Extra lateness of the listener's wake-ups.
    var wakeJitterNanoseconds: UInt64 = 0
    /// How often the talker's clock is told in silence; 0: never.
    var clockEveryMilliseconds = 500

    /// What a listener made of it.
    struct Outcome {
        var statistics = VoiceStatistics()
        /// Samples between being spoken and being asked for, one per block that sounds: (ms of
        /// listener's time, latency in ms).
        var latencies: [(at: Int, milliseconds: Double)] = []
        var malformed: UInt64 = 0

        func latencies(after milliseconds: Int) -> [Double] {
            latencies.filter { milliseconds <= $0.at }.map(\.milliseconds)
        }
    }

    private enum Delivery {
        case voice([UInt8])
        case clock(SampleTime)
    }

    func run(seed: UInt64) -> Outcome {
        var random = SeededRandom(seed: seed)
        let deliveries = self.deliveries(&random)
        var receiver = VoiceReceiver(decoders: NumberedCodec.decoders(), outputChannels: 1)
        let slot = PeerSlot(index: 5)
        receiver.openPeer(slot)
        var outcome = Outcome()
        var next = 0
        let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: blockSamples)
        defer { block.deallocate() }
        for number in 0..<(lengthMilliseconds * 48 / blockSamples) {
            let tick = nanoseconds(Int64(number * blockSamples)) + Self.origin
            let now = tick + Int64(wakeJitterNanoseconds == 0 ? 0 : random.below(wakeJitterNanoseconds))
            while next < deliveries.count, deliveries[next].at <= now {
                let arrival = Instant(nanoseconds: deliveries[next].at)
                switch deliveries[next].what {
                case .voice(let bytes): bytes.withUnsafeBytes { receiver.insert(slot, payload: $0, arrival: arrival) }
                case .clock(let time): receiver.clock(slot, sampleTime: time, arrival: arrival)
                }
                next += 1
            }
            receiver.render(into: block, now: Instant(nanoseconds: now))
            measure(block, tick: tick, into: &outcome)
        }
        outcome.statistics = receiver.statistics(of: slot)
        outcome.malformed = receiver.malformedPayloads
        return outcome
    }

    private func measure(_ block: UnsafeMutableBufferPointer<Float>, tick: Int64, into outcome: inout Outcome) {
        let middle = block.count / 2
        guard 0.05 < block[middle], block[middle] < 0.45 else { return }
        let spoken = NumberedCodec.position(of: block[middle])
        let heard = Double(tick - Self.origin) / 1e9 * 48_000 + Double(middle)
        let talkerHeard = (heard - Double(phaseNanoseconds) * 48e-6) / (1 + driftPartsPerMillion * 1e-6)
        let period = Double(NumberedCodec.period)
        var latency = (talkerHeard - spoken).truncatingRemainder(dividingBy: period)
        if latency < 0 { latency += period }
        outcome.latencies.append((Int((tick - Self.origin) / 1_000_000), latency / 48))
    }

    private func deliveries(_ random: inout SeededRandom) -> [(at: Int64, what: Delivery)] {
        var packetizer = VoicePacketizer()
        var all: [(at: Int64, what: Delivery)] = []
        let listener = PeerSlot(index: 3)
        packetizer.setScheme(ListenerScheme(bundling: .single, copyDistances: copies), for: listener)
        var packets = 0
        for frame in 0..<(lengthMilliseconds * 48 / duration.samples) {
            let start = Int64(frame * duration.samples)
            let spoken = talkerNanoseconds(start + Int64(duration.samples))
            let time = startTime.advanced(by: Int32(start))
            let milliseconds = Int(start / 48)
            if 0 < clockEveryMilliseconds, milliseconds % clockEveryMilliseconds == 0 {
                let end = time.advanced(by: Int32(duration.samples))
                all.append((spoken + 150_000, .clock(end)))
            }
            guard let spurt = spurts.firstIndex(where: { $0.contains(milliseconds) }) else { continue }
            let isEnd = !spurts[spurt].contains(milliseconds + duration.samples / 48)
            let flags: VoiceFrameFlags =
                isEnd ? .spurtEnd : spurts[spurt].lowerBound == milliseconds ? .spurtStart : []
            let bytes = NumberedCodec.bytes(start: start)
            let voice = VoiceFrame(
                sampleTime: time, duration: duration, spurt: UInt8(truncatingIfNeeded: spurt + 1), flags: flags,
                byteCount: bytes.count)
            bytes.withUnsafeBytes { packetizer.append(voice, bytes: $0) }
            guard let payload = packetizer.payload(for: listener, channelSlot: 0) else { continue }
            if let delay = network(packets, &random) { all.append((spoken + delay, .voice(payload))) }
            packets += 1
        }
        return all.sorted { $0.at < $1.at }
    }

    private func talkerNanoseconds(_ position: Int64) -> Int64 {
        Self.origin + phaseNanoseconds
            + Int64(Double(position) * (1 + driftPartsPerMillion * 1e-6) * 62_500 / 3)
    }

    private func nanoseconds(_ samples: Int64) -> Int64 { samples * 62_500 / 3 }

    /// Far from zero, as a real clock is.
    private static let origin: Int64 = 5_000_000_000_000
}

extension SeededRandom {
    /// Evenly from [0, 1).
    mutating func unit() -> Double { Double(next() >> 11) / Double(1 << 53) }
}
