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
    /// Loudness of the mix.
    package private(set) var level = LevelMeter()

    private let outputChannels: Int
    private let occupancy: UnsafeMutablePointer<Occupancy>
    private let mix: UnsafeMutablePointer<Float>
    private let voice: UnsafeMutablePointer<Float>
    private var card = CardClock()
    private var limiter = Limiter()
    /// Start of the next block on the card's line.
    private var nextBlock: Int64 = 0
    private var blockSamples = 240

    /// Takes ownership of one decoder per slot (`VoiceLimits.talkersMax`), made before the sound
    /// starts. `outputChannels`: 1, or more for equal interleaved ones.
    package init(decoders: [VoiceDecoder], outputChannels: Int) {
        precondition(decoders.count == VoiceLimits.talkersMax, "\(decoders.count) decoders")
        precondition(0 < outputChannels, "no output")
        self.outputChannels = outputChannels
        talkers = .allocate(capacity: decoders.count)
        for (index, decoder) in decoders.enumerated() {
            (talkers + index).initialize(to: TalkerPlayout(decoder: decoder))
        }
        occupancy = .allocate(capacity: decoders.count)
        occupancy.initialize(repeating: .vacant, count: decoders.count)
        mix = .allocate(capacity: VoiceLimits.blockSamplesMax)
        mix.initialize(repeating: 0, count: VoiceLimits.blockSamplesMax)
        voice = .allocate(capacity: VoiceLimits.blockSamplesMax)
        voice.initialize(repeating: 0, count: VoiceLimits.blockSamplesMax)
    }

    deinit {
        for index in 0..<VoiceLimits.talkersMax { talkers[index].destroy() }
        talkers.deallocate()
        occupancy.deallocate()
        mix.deallocate()
        voice.deallocate()
    }

    /// A peer has got this slot: its buffer starts empty, at full gain.
    package mutating func openPeer(_ slot: PeerSlot) {
        talkers[slot.index].reset()
        occupancy[slot.index] = .open
    }

    /// The peer has gone; what still sounds of it fades out within the next block.
    package mutating func closePeer(_ slot: PeerSlot) {
        guard case .open = occupancy[slot.index] else { return }
        occupancy[slot.index] = .leaving
        talkers[slot.index].gainTarget = 0
    }

    /// A voice payload of an open peer, at the instant it came. What does not parse is counted;
    /// what comes for a slot that is not open, or before the first block, is left alone.
    package mutating func insert(_ slot: PeerSlot, payload: UnsafeRawBufferPointer, arrival: Instant) {
        guard case .open = occupancy[slot.index], card.isRunning else { return }
        guard let reader = try? VoicePayloadReader(payload) else {
            malformedPayloads &+= 1
            return
        }
        talkers[slot.index].insert(
            reader, arrival: card.position(of: arrival), nextBlock: nextBlock, blockSamples: blockSamples)
    }

    /// The peer's media clock, from a control block: keeps the quickest transit known in silence.
    package mutating func clock(_ slot: PeerSlot, sampleTime: SampleTime, arrival: Instant) {
        guard case .open = occupancy[slot.index], card.isRunning else { return }
        talkers[slot.index].noteClock(sampleTime, arrival: card.position(of: arrival))
    }

    /// The listener's volume for this peer, bounded to 0 … 4; reached over 10 ms. Mute is 0.
    package mutating func setGain(_ slot: PeerSlot, to gain: Float) {
        guard case .open = occupancy[slot.index] else { return }
        talkers[slot.index].gainTarget = gain.isFinite ? min(4, max(0, gain)) : 1
    }

    /// Renders the next block, interleaved where the output has several channels; always fills it.
    package mutating func render(into block: UnsafeMutableBufferPointer<Float>, now: Instant) {
        let count = block.count / outputChannels
        precondition(count <= VoiceLimits.blockSamplesMax, "a block of \(count) samples")
        guard 0 < count, let output = block.baseAddress else { return }
        blockSamples = count
        follow(now)
        Samples.silence(mix, count: count)
        for index in 0..<VoiceLimits.talkersMax { add(index, count: count) }
        nextBlock &+= Int64(count)
        limiter.process(mix, count: count)
        level.measure(UnsafeBufferPointer(start: mix, count: count))
        Mixer.spread(mix, count: count, into: output, channels: outputChannels)
    }

    /// What a talker's buffer has done.
    package func statistics(of slot: PeerSlot) -> VoiceStatistics { talkers[slot.index].currentStatistics() }

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
            let talker = talkers + index
            let start = talker.pointee.gain
            let reach = Float(count) / Self.gainRampSamples
            let end = start + min(reach, max(-reach, talker.pointee.gainTarget - start))
            talker.pointee.gain = end
            guard talker.pointee.render(into: voice, count: count, blockStart: nextBlock) else { return }
            Mixer.add(voice, to: mix, count: count, from: start, to: end)
        case .leaving:
            occupancy[index] = .vacant
            guard talkers[index].render(into: voice, count: count, blockStart: nextBlock) else { return }
            Mixer.add(voice, to: mix, count: count, from: talkers[index].gain, to: 0)
        }
    }

    /// From silence to full in 10 ms.
    private static let gainRampSamples: Float = 480
}
