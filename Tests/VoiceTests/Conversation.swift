import Primitives
import Voice
import Wire

/// One talker, a network and a listener on virtual time, in nanoseconds.
struct Conversation {
    var duration = FrameDuration.ms5
    var blockSamples = 240
    /// Drift of the talker's card against the listener's.
    var driftPartsPerMillion = 0.0
    /// The end of the talker's first period, against the listener's blocks.
    var phaseNanoseconds: Int64 = 1_700_000
    var startTime = SampleTime(samples: 0)
    var copies = [1]
    /// Whether the talker follows the listener's reports; `copies` is then the initial value.
    var isAdaptive = false
    /// Losses before this time, in ms, do not count in `Outcome.lostLater`.
    var countLostAfter = 0
    /// The spurts, in milliseconds of the talker's time.
    var spurts: [Range<Int>] = [0..<20_000]
    var lengthMilliseconds = 20_000
    /// Additional delay of packet `n`; nil if it is lost.
    var network: (_ number: Int, _ random: inout SeededRandom) -> Int64? = { _, _ in 200_000 }
    /// Additional lateness of the listener's wake-ups.
    var wakeJitterNanoseconds: UInt64 = 0
    /// Interval of the talker's clock messages in silence; 0 for none.
    var clockEveryMilliseconds = 500

    /// The result at the listener.
    struct Outcome {
        var statistics = VoiceStatistics()
        /// The latency from speech to playout, one value for each block with sound: (ms of the listener's time, latency
        /// in ms).
        var latencies: [(at: Int, milliseconds: Double)] = []
        /// The listener's scheme at the end.
        var choice = ListenerChoice.initial
        /// Samples lost for good after `countLostAfter`.
        var lostLater: UInt64 = 0

        func latencies(after milliseconds: Int) -> [Double] {
            latencies.filter { milliseconds <= $0.at }.map(\.milliseconds)
        }
    }

    func run(seed: UInt64) -> Outcome {
        var network = SeededRandom(seed: seed)
        var wakes = network
        var talker = Talker(conversation: self)
        var receiver = VoiceReceiver(decoders: NumberedCodec.decoders(), outputChannels: 1)
        let slot = PeerSlot(index: 5)
        receiver.openPeer(slot)
        var outcome = Outcome()
        var lostBefore: UInt64 = 0
        let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: blockSamples)
        defer { block.deallocate() }
        for number in 0..<(lengthMilliseconds * 48 / blockSamples) {
            let tick = nanoseconds(Int64(number * blockSamples)) + Self.origin
            let milliseconds = number * blockSamples / 48
            let now = tick + Int64(wakeJitterNanoseconds == 0 ? 0 : wakes.below(wakeJitterNanoseconds))
            for delivery in talker.deliveries(until: now, &network) {
                let arrival = Instant(nanoseconds: delivery.at)
                switch delivery.what {
                case .voice(let bytes):
                    bytes.withUnsafeBytes {
                        receiver.insert(slot, payload: $0, on: HeardLines(.line(0)), arrival: arrival)
                    }
                case .clock(let time): receiver.clock(slot, sampleTime: time, arrival: arrival)
                }
            }
            receiver.render(into: block, now: Instant(nanoseconds: now))
            measure(block, tick: tick, into: &outcome)
            if isAdaptive, milliseconds % 500 == 0 {
                talker.add(receiver.statistics(of: slot).report, now: Instant(nanoseconds: now))
            }
            if milliseconds < countLostAfter { lostBefore = receiver.statistics(of: slot).lostSamples }
        }
        outcome.statistics = receiver.statistics(of: slot)
        outcome.lostLater = outcome.statistics.lostSamples - lostBefore
        outcome.choice = talker.choice
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

    fileprivate func talkerNanoseconds(_ position: Int64) -> Int64 {
        Self.origin + phaseNanoseconds
            + Int64(Double(position) * (1 + driftPartsPerMillion * 1e-6) * 62_500 / 3)
    }

    private func nanoseconds(_ samples: Int64) -> Int64 { samples * 62_500 / 3 }

    /// Far from zero, like a real clock.
    private static let origin: Int64 = 5_000_000_000_000
}

/// The sending side of a conversation: frames and clock messages in their order of arrival.
private struct Talker {
    enum Message {
        case voice([UInt8])
        case clock(SampleTime)
    }

    let conversation: Conversation
    private(set) var choice = ListenerChoice.initial
    private var packetizer = VoicePacketizer.serving(PeerSlot(index: 3))
    private var policy = ListenerPolicy()
    private var frame = 0
    private var packets = 0
    /// Messages under way.
    private var flying: [(at: Int64, what: Message)] = []
    private let listener = PeerSlot(index: 3)

    init(conversation: Conversation) {
        self.conversation = conversation
        packetizer.setScheme(ListenerScheme(bundling: .single, copyDistances: conversation.copies), for: listener)
    }

    mutating func add(_ report: ReceptionReport, now: Instant) {
        policy.add(report, now: now)
        choice = policy.choice(frame: conversation.duration, frameBytes: 60, listeners: 1, now: now)
        packetizer.setScheme(choice.scheme, for: listener)
    }

    mutating func deliveries(until now: Int64, _ random: inout SeededRandom) -> [(at: Int64, what: Message)] {
        let end = conversation.lengthMilliseconds * 48 / conversation.duration.samples
        while frame < end, spoken(frame) <= now {
            speak(&random)
            frame += 1
        }
        let arrived = flying.filter { $0.at <= now }.sorted { $0.at < $1.at }
        flying.removeAll { $0.at <= now }
        return arrived
    }

    /// The instant at which a frame's last sample has been captured.
    private func spoken(_ frame: Int) -> Int64 {
        conversation.talkerNanoseconds(Int64((frame + 1) * conversation.duration.samples))
    }

    private mutating func speak(_ random: inout SeededRandom) {
        let duration = conversation.duration
        let start = Int64(frame * duration.samples)
        let time = conversation.startTime.advanced(by: Int32(start))
        let milliseconds = Int(start / 48)
        let every = conversation.clockEveryMilliseconds
        if 0 < every, milliseconds % every == 0 {
            flying.append((spoken(frame) + 150_000, .clock(time.advanced(by: Int32(duration.samples)))))
        }
        let spurts = conversation.spurts
        guard let spurt = spurts.firstIndex(where: { $0.contains(milliseconds) }) else { return }
        let isEnd = !spurts[spurt].contains(milliseconds + duration.samples / 48)
        let flags: VoiceFrameFlags = isEnd ? .spurtEnd : spurts[spurt].lowerBound == milliseconds ? .spurtStart : []
        let bytes = NumberedCodec.bytes(start: start)
        let voice = VoiceFrame(
            sampleTime: time, duration: duration, spurt: UInt8(truncatingIfNeeded: spurt + 1), flags: flags,
            byteCount: bytes.count)
        bytes.withUnsafeBytes { packetizer.append(voice, bytes: $0) }
        guard let payload = packetizer.payload(for: listener) else { return }
        if let delay = conversation.network(packets, &random) {
            flying.append((spoken(frame) + delay, .voice(payload)))
        }
        packets += 1
    }
}

extension SeededRandom {
    /// A number in [0, 1), evenly distributed.
    mutating func unit() -> Double { Double(next() >> 11) / Double(1 << 53) }
}
