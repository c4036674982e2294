package import Primitives
import Wire

/// The receiving half of the voice path, on the playback thread: payloads of all talkers go in, one mixed block comes
/// out.
///
/// In `render`, `now` is the instant at which the card asks for the block, on the clock by which payloads arrive. The
/// block can hold only sound that arrived before that instant. So a frame is late or early relative to that instant.
/// The sound leaves the card later by a constant delay, which plays no part here. A card does not ask at regular times:
/// `CardClock` estimates regular times from the irregular ones.
///
/// All times inside are in samples of the playback card. If the cards of talker and listener differ in speed, the
/// transit time of the frames therefore grows or falls slowly. `PlayoutPolicy` says when a talker's sample is due, and
/// with which delay.
///
/// ```swift
/// var receiver = VoiceReceiver(decoders: decoders, outputChannels: 1)   // before the sound starts
/// while let frame = ring.front() {                                     // then, in each round
///     // `slot` and `lines`, the lines on which the frame sounds, are in its header too.
///     receiver.insert(slot, payload: frame.bytes, on: lines, arrival: frame.header.instant)
///     ring.removeFirst()
/// }
/// receiver.render(into: block, now: wakeUp)                            // when a block is due
/// ```
package struct VoiceReceiver: ~Copyable {
    private enum Occupancy: BitwiseCopyable {
        case vacant
        case open
        /// Fades out in the next block.
        case leaving
    }

    // The first field must be a pointer: under -sanitize=thread the compiler uses the first field of a struct as the
    // address of memory that another field points to, and emits invalid code for a number.
    private let talkers: UnsafeMutablePointer<TalkerPlayout>

    /// Payloads that did not parse.
    package private(set) var malformedPayloads: UInt64 = 0
    /// Samples rendered since the latest voice payload came or a talker sounded.
    package private(set) var quietSamples: Int64 = 0
    private let occupancy: UnsafeMutablePointer<Occupancy>
    private let voice: UnsafeMutablePointer<Float>
    /// The mix for the tap: two channels, interleaved.
    private let mix: UnsafeMutablePointer<Float>
    private var mixer: Mixer
    /// The mix of the second output.
    private var second = Mixer(channels: 2)
    private var secondGain: Float = 1
    /// Whether there is a second output.
    private var hasSecond = false
    private let lines = ListeningLines()
    /// Receives each block that sounds, besides the output; nil for none.
    package var tap: VoiceTap?
    private var card = CardClock()
    /// Start of the next block, in samples of the playback card.
    private var nextBlock: Int64 = 0
    private var blockSamples = 240
    /// Frames that came before this time do not count for the delay, because the threads were stopped. In samples of
    /// the playback card.
    private var excusedUntil = Int64.min

    /// Takes ownership of one decoder for each slot (`VoiceLimits.talkersMax`), made before the sound starts.
    /// `outputChannels` is 1, or more for interleaved channels that carry left and right in turn.
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
        lines.destroy()
    }

    /// Opens a slot for a peer: its buffer starts empty, at full gain.
    package mutating func openPeer(_ slot: PeerSlot) {
        talkers[slot.index].reset()
        mixer.open(slot.index)
        second.open(slot.index)
        occupancy[slot.index] = .open
    }

    /// Closes the slot of a peer that has gone; its remaining sound fades out within the next block.
    package mutating func closePeer(_ slot: PeerSlot) {
        guard case .open = occupancy[slot.index] else { return }
        occupancy[slot.index] = .leaving
    }

    /// Takes a voice payload of an open peer, with the lines on which it sounds and the instant at which it came. A
    /// payload that does not parse is counted. A payload for a slot that is not open, or before the first block, is
    /// ignored.
    package mutating func insert(
        _ slot: PeerSlot, payload: UnsafeRawBufferPointer, on heard: HeardLines, arrival: Instant
    ) {
        guard case .open = occupancy[slot.index], card.isRunning else { return }
        guard let reader = try? VoicePayloadReader(payload) else {
            malformedPayloads &+= 1
            return
        }
        quietSamples = 0
        let position = card.position(of: arrival)
        let readiness = Readiness(
            arrival: position, nextBlock: nextBlock, blockSamples: blockSamples, excusedUntil: excusedUntil)
        talkers[slot.index].insert(reader, on: heard, arrival: position, readiness: readiness)
    }

    /// Notes the peer's media clock from a control block, so that the quickest transit stays known in silence.
    package mutating func clock(_ slot: PeerSlot, sampleTime: SampleTime, arrival: Instant) {
        guard case .open = occupancy[slot.index], card.isRunning else { return }
        talkers[slot.index].updateClock(sampleTime, arrival: card.position(of: arrival))
    }

    /// Renders the next block, interleaved if the output has several channels; always fills the block. `now` is the
    /// instant at which the card asked for it.
    package mutating func render(into block: UnsafeMutableBufferPointer<Float>, now: Instant) {
        let count = block.count / mixer.channels
        precondition(count <= VoiceLimits.blockSamplesMax, "a block of \(count) samples")
        guard 0 < count, let output = block.baseAddress else { return }
        blockSamples = count
        follow(now)
        quietSamples &+= Int64(count)
        mixer.begin(count: count)
        if hasSecond { second.begin(count: count) }
        for index in 0..<VoiceLimits.talkersMax { add(index, count: count) }
        mixer.finish(into: output, count: count)
        if hasSecond { second.finish(into: mix, count: count) }
        if let tap, quietSamples == 0 {
            mixer.stereo(into: mix, count: count)
            tap.take(tap.context, VoiceTap.mix, mix, Int32(truncatingIfNeeded: count), nextBlock)
        }
        nextBlock &+= Int64(count)
    }

    /// Announces that the next blocks have `count` samples, which may differ from the latest block: `insert` computes
    /// from this size when a frame can sound.
    package mutating func expectBlocks(of count: Int) { blockSamples = count }

    /// Reports that the output device ran dry, noticed at `now`, because the threads were stopped. Frames that came
    /// meanwhile, or come within the next 2 ms, were late for that reason. More delay could not have saved them.
    package mutating func stoodStill(now: Instant) {
        guard card.isRunning else { return }
        excusedUntil = card.position(of: now) &+ Self.excusedSamples
    }

    /// Returns the statistics of a talker's buffer, with the talker's loudness factor in the mixer.
    package func statistics(of slot: PeerSlot) -> VoiceStatistics {
        var statistics = talkers[slot.index].currentStatistics()
        statistics.matchGain = mixer.matchGain(slot.index)
        return statistics
    }

    /// The lines on which a talker sounds now, or sounded last.
    package func lines(of slot: PeerSlot) -> LineSet { talkers[slot.index].sounding.now }

    /// 2 ms.
    private static let excusedSamples: Int64 = 96

    private mutating func follow(_ now: Instant) {
        let jump = card.update(sampleCount: nextBlock, at: now)
        guard jump != 0 else { return }
        if excusedUntil != .min { excusedUntil &+= jump }
        for index in 0..<VoiceLimits.talkersMax { talkers[index].shift(by: jump) }
    }

    private mutating func add(_ index: Int, count: Int) {
        switch occupancy[index] {
        case .vacant:
            return
        case .open:
            let hasSound = talkers[index].render(into: voice, count: count, blockStart: nextBlock)
            if hasSound, !talkers[index].sounding.now.isEmpty {
                quietSamples = 0
                if let tap {
                    let slot = Int32(truncatingIfNeeded: index)
                    tap.take(tap.context, slot, voice, Int32(truncatingIfNeeded: count), nextBlock)
                }
            }
            let (sound, heard) = (hasSound ? UnsafePointer(voice) : nil, talkers[index].sounding.now)
            let (line, isMadeUp) = (lines.sound(of: heard), talkers[index].isMadeUp)
            mixer.add(sound, of: index, count: count, line: line, isMadeUp: isMadeUp)
            if let sound, heard.contains(.line(VoiceLimits.privateLine)),
                mixer.isHeard(sound, of: index, count: count, line: line)
            {
                talkers[index].countPrivate(samples: count)
            }
            if hasSecond {
                let line = lines.sound(of: lines.atSecond(heard))
                second.add(sound, of: index, count: count, line: line, isMadeUp: isMadeUp)
            }
        case .leaving:
            occupancy[index] = .vacant
            guard talkers[index].render(into: voice, count: count, blockStart: nextBlock) else { return }
            mixer.addLast(voice, of: index, count: count)
            if hasSecond { second.addLast(voice, of: index, count: count) }
        }
    }
}

// MARK: - The listener's wishes

extension VoiceReceiver {
    /// Loudness of the mix.
    package var level: LevelMeter { mixer.level }

    /// Number of channels of the blocks that `render` fills; may change between blocks, when another card is opened.
    package var outputChannels: Int {
        get { mixer.channels }
        set {
            precondition(0 < newValue, "no output")
            mixer.channels = newValue
        }
    }

    /// Whether `hasTalkSounded` is wanted; off at the start.
    package var watchesTalk: Bool {
        get { mixer.watchesTalk }
        set { mixer.watchesTalk = newValue }
    }

    /// Whether talk has sounded in the latest block, louder than `TalkLimits.heardPeak`. Programme is no talk. Known
    /// only while `watchesTalk`.
    package var hasTalkSounded: Bool { mixer.hasTalkSounded }

    /// Whether all talkers are brought to one loudness; off at the start.
    package var isLoudnessMatched: Bool {
        get { mixer.isLoudnessMatched }
        set { (mixer.isLoudnessMatched, second.isLoudnessMatched) = (newValue, newValue) }
    }

    /// Sets how a line sounds. Its talkers change by a gain of 1, and from the middle to an edge, in 10 ms. A line that
    /// was never set has the gain 1 and both ears.
    package mutating func setLine(_ line: Int, to sound: LineSound) {
        precondition(0 <= line && line < VoiceLimits.linesMax, "line \(line)")
        var bounded = sound
        bounded.gain = Mixer.bounded(sound.gain)
        bounded.programmeDim = sound.programmeDim.map { $0.isFinite ? min(1, max(0, $0)) : 1 }
        set(line, to: bounded)
    }

    private mutating func set(_ line: Int, to sound: LineSound) {
        lines.set(line, to: sound)
        (mixer.hasProgramme, second.hasProgramme) = (lines.hasProgramme, lines.hasProgramme)
    }

    /// Ends a line: no frame sounds on it any more, not even one that waits. The number may then belong to another
    /// channel.
    package mutating func closeLine(_ line: Int) {
        for index in 0..<VoiceLimits.talkersMax { talkers[index].close(.line(line)) }
        set(line, to: LineSound())
    }

    /// Sets the listener's volume for this peer, bounded to 0 … 4; 0 mutes. The volume in use changes by 1 in 10 ms.
    package mutating func setGain(_ slot: PeerSlot, to gain: Float) {
        guard case .open = occupancy[slot.index] else { return }
        mixer.setGain(slot.index, to: gain)
        second.setGain(slot.index, to: gain)
    }

    /// Sets the peer's place, -1 left … 1 right; has no effect on an output of one channel.
    package mutating func setPan(_ slot: PeerSlot, to pan: Float) {
        guard case .open = occupancy[slot.index] else { return }
        mixer.setPan(slot.index, to: pan)
        second.setPan(slot.index, to: pan)
    }

    /// Sets whether other talkers are lowered by 15 dB while this peer speaks.
    package mutating func setPriority(_ slot: PeerSlot, to hasPriority: Bool) {
        guard case .open = occupancy[slot.index] else { return }
        mixer.setPriority(slot.index, to: hasPriority)
        second.setPriority(slot.index, to: hasPriority)
    }

    /// Mixes a beep in, from the next block on.
    package mutating func startBeep(_ kind: Beep.Kind) { mixer.startBeep(kind) }

    /// Sets the gain of the whole mix, bounded to 0 … 1. The gain in use moves to it by 1 in 10 ms.
    package mutating func setMaster(to gain: Float) {
        mixer.masterTarget = gain.isFinite ? min(1, max(0, gain)) : 1
        second.masterTarget = mixer.masterTarget * secondGain
    }

    /// Mixes for a second output too, from the next block on.
    /// - Parameter gain: the factor of its mix, 0 … 4.
    package mutating func openSecond(gain: Float) {
        (hasSecond, secondGain) = (true, Mixer.bounded(gain))
        second.masterTarget = mixer.masterTarget * secondGain
    }

    /// Passes the latest block of the second output to `take`, left and right.
    package func passOnSecond(_ take: (UnsafePointer<Float>, UnsafePointer<Float>) -> Void) {
        if hasSecond { second.passOn(take) }
    }
}
