import Handover

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
struct TalkFloor: Sendable {
    private let others = SharedFlag()
    private let own = SharedFlag()

    /// Whether another talker is heard in the present block. Playback writes it. Capture reads it once a period.
    var isOtherHeard: Bool {
        get { others.isOn }
        nonmutating set { others.isOn = newValue }
    }

    /// Whether voice is being sent. Capture writes it. Playback reads it once a block.
    var isTalking: Bool {
        get { own.isOn }
        nonmutating set { own.isOn = newValue }
    }
}
