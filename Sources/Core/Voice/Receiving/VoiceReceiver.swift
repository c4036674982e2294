package import Primitives
import Wire

/// The playback thread's half of the voice path: payloads in, one mixed block out.
///
/// `now` in `render` is the instant at which the block is asked for, on the clock of the arrivals:
/// the card's wake-up. A block can only hold sound that has come by then, so this, not the instant
/// of sounding, is what frames are measured against; what the card adds afterwards is constant.
/// Wake-ups may jitter: `CardClock` finds the even line behind them.
///
/// All time inside is counted in samples of the playback card, by which the drift between two
/// cards is just a transit time that grows or falls. See `TalkerPlayout` for how a talker's sample
/// time is placed on that line, and `TalkerArrivals` for how the delay is chosen.
///
/// ```swift
/// var receiver = VoiceReceiver(decoders: decoders, outputChannels: 1)   // before the sound starts
/// while let frame = ring.front() {                                     // then, every period
///     receiver.insert(slot, payload: frame.bytes, arrival: frame.header.instant)
///     ring.removeFirst()
/// }
/// receiver.render(into: block, now: wakeUp)
/// ```
package struct VoiceReceiver: ~Copyable {
    private enum Occupancy: BitwiseCopyable {
        case vacant
        case open
        /// Fades out in the next block.
        case leaving
    }

    // A pointer comes first: under -sanitize=thread the compiler takes the first field of a struct
    // for the address of what is reached through any other, and emits invalid code for a number.
    private let talkers: UnsafeMutablePointer<TalkerPlayout>

    /// Payloads that did not parse.
    package private(set) var malformedPayloads: UInt64 = 0
    /// Samples since a voice payload came or anybody sounded.
    package private(set) var quietSamples: Int64 = 0
    private let occupancy: UnsafeMutablePointer<Occupancy>
    private let voice: UnsafeMutablePointer<Float>
    /// Of two channels.
    private let mix: UnsafeMutablePointer<Float>
    private var mixer: Mixer
    /// Where blocks go besides the output; nil for nowhere.
    package var tap: VoiceTap?
    private var card = CardClock()
    /// Start of the next block on the card's line.
    private var nextBlock: Int64 = 0
    private var blockSamples = 240
    /// What came before this on the card's line tells nothing of its way.
    private var excusedUntil = Int64.min

    /// Takes ownership of one decoder per slot (`VoiceLimits.talkersMax`), made before the sound
    /// starts. `outputChannels`: 1, or more, interleaved, for left and right in turn.
    package init(decoders: [VoiceDecoder], outputChannels: Int) {
        precondition(decoders.count == VoiceLimits.talkersMax, "\(decoders.count) decoders")
        precondition(0 < outputChannels, "no output")
        talkers = .allocate(capacity: decoders.count)
        for (index, decoder) in decoders.enumerated() {
            (talkers + index).initialize(to: TalkerPlayout(decoder: decoder))
        }
        occupancy = .allocate(capacity: decoders.count)
        occupancy.initialize(repeating: .vacant, count: decoders.count)
        voice = .allocate(capacity: VoiceLimits.blockSamplesMax)
        voice.initialize(repeating: 0, count: VoiceLimits.blockSamplesMax)
        mix = .allocate(capacity: 2 * VoiceLimits.blockSamplesMax)
        mix.initialize(repeating: 0, count: 2 * VoiceLimits.blockSamplesMax)
        mixer = Mixer(channels: outputChannels)
    }

    deinit {
        for index in 0..<VoiceLimits.talkersMax { talkers[index].destroy() }
        talkers.deallocate()
        occupancy.deallocate()
        voice.deallocate()
        mix.deallocate()
    }

    /// A peer has got this slot: its buffer starts empty, at full gain.
    package mutating func openPeer(_ slot: PeerSlot) {
        talkers[slot.index].reset()
        mixer.open(slot.index)
        occupancy[slot.index] = .open
    }

    /// The peer has gone; what still sounds of it fades out within the next block.
    package mutating func closePeer(_ slot: PeerSlot) {
        guard case .open = occupancy[slot.index] else { return }
        occupancy[slot.index] = .leaving
    }

    /// A voice payload of an open peer, at the instant it came. What does not parse is counted;
    /// what comes for a slot that is not open, or before the first block, is left alone.
    package mutating func insert(_ slot: PeerSlot, payload: UnsafeRawBufferPointer, arrival: Instant) {
        guard case .open = occupancy[slot.index], card.isRunning else { return }
        guard let reader = try? VoicePayloadReader(payload) else {
            malformedPayloads &+= 1
            return
        }
        quietSamples = 0
        let position = card.position(of: arrival)
        let readiness = Readiness(
            arrival: position, nextBlock: nextBlock, blockSamples: blockSamples, excusedUntil: excusedUntil)
        talkers[slot.index].insert(reader, arrival: position, readiness: readiness)
    }

    /// The peer's media clock, from a control block: keeps the quickest transit known in silence.
    package mutating func clock(_ slot: PeerSlot, sampleTime: SampleTime, arrival: Instant) {
        guard case .open = occupancy[slot.index], card.isRunning else { return }
        talkers[slot.index].noteClock(sampleTime, arrival: card.position(of: arrival))
    }

    /// Renders the next block, interleaved where the output has several channels; always fills it.
    package mutating func render(into block: UnsafeMutableBufferPointer<Float>, now: Instant) {
        let count = block.count / mixer.channels
        precondition(count <= VoiceLimits.blockSamplesMax, "a block of \(count) samples")
        guard 0 < count, let output = block.baseAddress else { return }
        blockSamples = count
        follow(now)
        quietSamples &+= Int64(count)
        mixer.begin(count: count)
        for index in 0..<VoiceLimits.talkersMax { add(index, count: count) }
        mixer.finish(into: output, count: count)
        if let tap, quietSamples == 0 {
            mixer.stereo(into: mix, count: count)
            tap.take(tap.context, VoiceTap.mix, mix, Int32(truncatingIfNeeded: count), nextBlock)
        }
        nextBlock &+= Int64(count)
    }

    /// The next blocks will be of `count` samples, unlike the latest: when a frame that comes now can
    /// sound depends on it.
    package mutating func expectBlocks(of count: Int) { blockSamples = count }

    /// The device ran dry, which was noticed at `now`: the threads stood still, and what came meanwhile, and comes
    /// within the next 2 ms, was late for that. More delay could not have saved it.
    package mutating func stoodStill(now: Instant) {
        guard card.isRunning else { return }
        excusedUntil = card.position(of: now) &+ Self.excusedSamples
    }

    /// What a talker's buffer has done, and how it is mixed.
    package func statistics(of slot: PeerSlot) -> VoiceStatistics {
        var statistics = talkers[slot.index].currentStatistics()
        statistics.matchGain = mixer.matchGain(slot.index)
        return statistics
    }

    private static let excusedSamples: Int64 = 96

    private mutating func follow(_ now: Instant) {
        let jump = card.update(sampleCount: nextBlock, at: now)
        guard jump != 0 else { return }
        for index in 0..<VoiceLimits.talkersMax { talkers[index].shift(by: jump) }
    }

    private mutating func add(_ index: Int, count: Int) {
        switch occupancy[index] {
        case .vacant:
            return
        case .open:
            let hasSound = talkers[index].render(into: voice, count: count, blockStart: nextBlock)
            if hasSound {
                quietSamples = 0
                if let tap {
                    let slot = Int32(truncatingIfNeeded: index)
                    tap.take(tap.context, slot, voice, Int32(truncatingIfNeeded: count), nextBlock)
                }
            }
            mixer.add(hasSound ? UnsafePointer(voice) : nil, of: index, count: count)
        case .leaving:
            occupancy[index] = .vacant
            guard talkers[index].render(into: voice, count: count, blockStart: nextBlock) else { return }
            mixer.addLast(voice, of: index, count: count)
        }
    }
}

// MARK: - The listener's wishes

extension VoiceReceiver {
    /// Loudness of the mix.
    package var level: LevelMeter { mixer.level }

    /// Channels of what `render` fills; may change between blocks, as another card is opened.
    package var outputChannels: Int {
        get { mixer.channels }
        set {
            precondition(0 < newValue, "no output")
            mixer.channels = newValue
        }
    }

    /// Whether every talker is brought to one loudness; off from the start.
    package var isLoudnessMatched: Bool {
        get { mixer.isLoudnessMatched }
        set { mixer.isLoudnessMatched = newValue }
    }

    /// The listener's volume for this peer, bounded to 0 … 4; reached over 10 ms. Mute is 0.
    package mutating func setGain(_ slot: PeerSlot, to gain: Float) {
        guard case .open = occupancy[slot.index] else { return }
        mixer.setGain(slot.index, to: gain)
    }

    /// Where the peer stands, -1 left … 1 right; heard where there are two channels.
    package mutating func setPan(_ slot: PeerSlot, to pan: Float) {
        guard case .open = occupancy[slot.index] else { return }
        mixer.setPan(slot.index, to: pan)
    }

    /// Whether others step back by 15 dB while this peer speaks.
    package mutating func setPriority(_ slot: PeerSlot, to hasPriority: Bool) {
        guard case .open = occupancy[slot.index] else { return }
        mixer.setPriority(slot.index, to: hasPriority)
    }

    /// Mixes a beep in, from the next block on.
    package mutating func startBeep(_ kind: Beep.Kind) { mixer.startBeep(kind) }

    /// What the whole mix is multiplied by, bounded to 0 … 1; reached over 10 ms.
    package mutating func setMaster(to gain: Float) {
        mixer.masterTarget = gain.isFinite ? min(1, max(0, gain)) : 1
    }
}
