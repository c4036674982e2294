import Handover
package import Primitives
import SpeechProcessing
package import Voice

/// The processing between the capture device and `VoiceSender`, on the capture thread: echo cancellation, noise
/// suppression, `InputChain`, effects, cough, side tone and talk gate. The diagram of `InputChain` shows this order.
package struct InputPath: ~Copyable {
    private let keys: PressedKeys
    private let floor: TalkFloor
    private let sideTone: SampleRingProducer
    private let sideToneGain: Float
    private let echo: EchoPath?
    private let speech: SpeechPath?
    private var chain: InputChain
    private var effects: VoiceEffects
    private var gate: TalkGate
    private var mute = CoughMute()
    /// The keys that were down at the end of the period before.
    private var formerlyDown = KeySet()
    private var levelBefore = LevelMeter()
    private let own: UnsafeMutablePointer<Float>
    /// Whether captured sound is heard or processed even while the key is up, so that the thread must not rest.
    let isNeededInTime: Bool

    package init(_ configuration: SpeakingConfiguration, keys: PressedKeys, links: OwnVoiceLinks) {
        self.keys = keys
        floor = links.floor
        sideToneGain = configuration.sideToneGain
        sideTone = links.sideTone.takeProducer()
        echo = configuration.isEchoCancelled ? EchoPath(reference: links.reference) : nil
        speech = configuration.isNoiseSuppressed ? SpeechPath() : nil
        chain = InputChain(configuration.stages)
        effects = VoiceEffects(configuration.effects)
        gate = TalkGate(detection: configuration.detection, isHalfDuplex: configuration.isHalfDuplex)
        isNeededInTime =
            0 < configuration.sideToneGain || configuration.isEchoCancelled || configuration.isNoiseSuppressed
            || configuration.isVoiceOperated || configuration.isHalfDuplex
        own = .allocate(capacity: VoiceLimits.blockSamplesMax)
        own.initialize(repeating: 0, count: VoiceLimits.blockSamplesMax)
    }

    deinit { own.deallocate() }

    /// Processes a period in place. Its first sample was captured at `capturedAt`. Returns the keys by which the period
    /// is to be sent: those that were down when its last sample was captured, not those that are down now. The period
    /// may have waited in the device, while the thread rested or was late, and echo cancellation or noise suppression
    /// may have delayed it. `VoiceSender.preRollSamples` says how much sound from before a press is sent.
    package mutating func process(
        _ samples: UnsafeMutablePointer<Float>, count: Int, capturedAt: Instant
    ) -> TalkGate.Keys {
        levelBefore.measure(UnsafeBufferPointer(start: samples, count: count))
        echo?.process(samples, count: count, capturedAt: capturedAt)
        speech?.process(samples, count: count)
        chain.process(samples, count: count)
        let end = capturedAt + Interval(samples: count - delaySamples)
        let pressed = keys.gateKeys(at: end)
        // The effects delay sound and let it die away, so those to whom the key speaks would hear what was said before.
        if !pressed.down.isSubset(of: formerlyDown) { effects.forget() }
        formerlyDown = pressed.down
        effects.process(samples, count: count)
        let isCoughing = keys.wasCoughing(at: end)
        // A closed key is not enough: the pre-roll of the next word must not hold the cough.
        mute.process(samples, count: count, isCoughing: isCoughing)
        if isCoughing { effects.forget() }
        passOn(samples, count: count)
        return gate.keysOpened(
            samples, count: count, keys: pressed, isCoughing: isCoughing, othersHeard: floor.isOtherHeard)
    }

    /// Tells the playback thread whether voice is being sent, so that it mutes the others with half-duplex.
    func tell(isTalking: Bool) { floor.isTalking = isTalking }

    func report(into report: inout CaptureReport) {
        report.levelBeforeDecibels = levelBefore.decibels
        report.isVoiceHeard = gate.detector.isSpeaking
        report.isGateClosed = chain.stages.contains(.gate) && chain.gate.isClosed
        report.automaticGain = chain.gain.gain
        report.speechFailures = speech?.failures ?? 0
        report.processingSamples = Int32(truncatingIfNeeded: delaySamples + effects.delaySamples)
        report.howls = chain.howlGuard.howls
        report.howlGain = chain.howlGuard.gain
        if case .listening = gate.duplex?.state { report.isFloorTaken = true } else { report.isFloorTaken = false }
    }

    /// Samples by which sound is late before the effects.
    private var delaySamples: Int { (echo?.delaySamples ?? 0) + (speech?.delaySamples ?? 0) }

    private func passOn(_ samples: UnsafePointer<Float>, count: Int) {
        guard 0 < sideToneGain else { return }
        for index in 0..<count { own[index] = samples[index] * sideToneGain }
        sideTone.push(own, count: count)
    }
}

/// Noise suppression on the capture thread. It cuts periods into blocks of 10 ms. Here the audio threads do not keep
/// their promise to allocate nothing, since the library allocates.
final class SpeechPath {
    private let processor: SpeechProcessor
    private var reblocking = Reblocking(
        blockSamples: SpeechProcessor.blockSamples, periodSamplesMax: VoiceLimits.blockSamplesMax)

    /// Nil if the library is not built in.
    init?() {
        guard let processor = SpeechProcessor() else { return nil }
        self.processor = processor
    }

    /// Processes a period in place.
    func process(_ samples: UnsafeMutablePointer<Float>, count: Int) {
        reblocking.process(samples, count: count) { block, _ in processor.process(block) }
    }

    /// The delay of the voice in samples.
    var delaySamples: Int { reblocking.delaySamples + SpeechProcessor.delaySamples }

    /// Blocks that the library refused. They were passed on unchanged.
    var failures: UInt64 { processor.failures }
}
