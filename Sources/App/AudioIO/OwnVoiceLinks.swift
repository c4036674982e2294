import Handover

/// What a capture thread and the playback thread of the same person tell each other without the node loop.
struct OwnVoiceLinks: Sendable {
    let floor = TalkFloor()
    /// The own voice, for the own ears.
    let sideTone = SampleRing(capacity: AudioLimits.sideToneSamples)
    /// The final mix, for the echo canceller; hardly any memory where there is none.
    let reference: FrameRing

    init(_ configuration: SpeakingConfiguration) {
        let isUsed = configuration.isEchoCancelled
        reference = FrameRing(
            capacity: isUsed ? AudioLimits.referenceSlots : 1,
            slotBytesMax: (isUsed ? AudioLimits.renderSamplesMax : 1) * MemoryLayout<Float>.size)
    }
}

/// Which of the talking parties sound now, for half-duplex.
struct TalkFloor: Sendable {
    private let others = SharedFlag()
    private let own = SharedFlag()

    /// Playback: whether anybody sounds in the present block. Capture reads it once a period.
    var isOtherHeard: Bool {
        get { others.isOn }
        nonmutating set { others.isOn = newValue }
    }

    /// Capture: whether voice is being sent. Playback reads it once a block.
    var isTalking: Bool {
        get { own.isOn }
        nonmutating set { own.isOn = newValue }
    }
}
