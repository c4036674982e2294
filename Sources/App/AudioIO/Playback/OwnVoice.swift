import Handover
import Primitives
import Voice

/// The data that the capture thread and the playback thread of one person exchange directly, without the node loop.
package struct OwnVoiceLinks: Sendable {
    let floor = TalkFloor()
    /// The user's own voice, for the side tone.
    let sideTone = SampleRing(capacity: AudioLimits.sideToneSamples)
    /// The final mix, for the echo canceller. It takes hardly any memory if there is no canceller.
    let reference: FrameRing

    package init(_ configuration: SpeakingConfiguration) {
        let isUsed = configuration.isEchoCancelled
        reference = FrameRing(
            capacity: isUsed ? AudioLimits.referenceSlots : 1,
            slotBytesMax: (isUsed ? AudioLimits.renderSamplesMax : 1) * MemoryLayout<Float>.size)
    }
}

/// Which side talks now, for half-duplex: this node or the others.
///
/// The flag of a thread that hangs in its device does not count: it may be out of date, and would silence the other
/// direction until the device answers.
struct TalkFloor: Sendable {
    private let others = SharedFlag()
    private let own = SharedFlag()
    private let isPlaybackStuck = SharedFlag()
    private let isCaptureStuck = SharedFlag()

    /// Whether another talker is heard in the present block. Playback writes it. Capture reads it once a period.
    var isOtherHeard: Bool {
        get { others.isOn && !isPlaybackStuck.isOn }
        nonmutating set { others.isOn = newValue }
    }

    /// Whether voice is being sent. Capture writes it. Playback reads it once a block.
    var isTalking: Bool {
        get { own.isOn && !isCaptureStuck.isOn }
        nonmutating set { own.isOn = newValue }
    }

    /// Notes which threads hang in their devices. For the node loop.
    func watched(isCaptureStuck: Bool, isPlaybackStuck: Bool) {
        self.isCaptureStuck.isOn = isCaptureStuck
        self.isPlaybackStuck.isOn = isPlaybackStuck
    }
}

/// The effects of the user's own talking on the output, on the playback thread: the side tone, the beeps of the own
/// talk, the muting of the others with half-duplex, and the final mix for the echo canceller.
struct OwnVoice: ~Copyable {
    private let floor: TalkFloor
    private let sideTone: SampleRingConsumer
    private let hasSideTone: Bool
    private let reference: FrameRingProducer
    private let hasReference: Bool
    private let isHalfDuplex: Bool
    private var line = SideToneLine()
    private var beep = Beep()
    private var mute = FloorMute()
    private let capturePeriodSamples: Int
    private let mono: UnsafeMutablePointer<Float>

    init(_ configuration: AudioConfiguration, links: OwnVoiceLinks) {
        floor = links.floor
        sideTone = links.sideTone.takeConsumer()
        hasSideTone = 0 < configuration.speaking.sideToneGain
        reference = links.reference.takeProducer()
        hasReference = configuration.speaking.isEchoCancelled
        isHalfDuplex = configuration.speaking.isHalfDuplex
        capturePeriodSamples = configuration.captureRequest.periodSamples
        mono = .allocate(capacity: AudioLimits.renderSamplesMax)
        mono.initialize(repeating: 0, count: AudioLimits.renderSamplesMax)
    }

    deinit { mono.deallocate() }

    /// Processes the mix of the others in place: `count` samples of each channel, interleaved. The first one sounds at
    /// `playsAt`.
    /// - Parameter isOtherHeard: whether another talker sounds in the mix; used with half-duplex.
    mutating func process(
        _ mix: UnsafeMutablePointer<Float>, count: Int, channels: Int, playsAt: Instant, isOtherHeard: Bool
    ) {
        if isHalfDuplex {
            floor.isOtherHeard = isOtherHeard
            mute.process(mix, count: count, channels: channels, isMute: floor.isTalking)
        }
        if hasSideTone { addSideTone(mix, count: count, channels: channels) }
        beep.add(to: mix, count: count, channels: channels)
        if hasReference { handOver(mix, count: count, channels: channels, playsAt: playsAt) }
    }

    /// Adds a beep of the own talk, from the next block on.
    mutating func startBeep(_ kind: Beep.Kind) { beep.start(kind) }

    /// Call it before a time without blocks, in which nobody is heard.
    func pause() { floor.isOtherHeard = false }

    private mutating func addSideTone(_ mix: UnsafeMutablePointer<Float>, count: Int, channels: Int) {
        let plan = line.plan(waiting: sideTone.count, count: count, period: capturePeriodSamples)
        guard plan.from != 0 || plan.to != 0 else { return }
        sideTone.drop(plan.skipping)
        sideTone.add(to: mix, channels: channels, count: count, from: plan.from, to: plan.to)
    }

    /// Passes the mean of all channels to the echo canceller, since one microphone hears all loudspeakers. If the ring
    /// is full, the block is dropped, and the canceller aligns reference and capture anew.
    private func handOver(_ mix: UnsafePointer<Float>, count: Int, channels: Int, playsAt: Instant) {
        for index in 0..<count {
            var sum: Float = 0
            for channel in 0..<channels { sum += mix[index * channels + channel] }
            mono[index] = sum / Float(channels)
        }
        let bytes = UnsafeRawBufferPointer(start: mono, count: count * MemoryLayout<Float>.size)
        _ = reference.push(RingHeader(kind: 0, instant: playsAt), bytes)
    }
}
