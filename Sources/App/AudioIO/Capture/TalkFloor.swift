import Synchronization

/// What the two audio threads tell each other of who talks, for half-duplex.
final class TalkFloor: Sendable {
    private let others = Atomic<Bool>(false)
    private let own = Atomic<Bool>(false)

    /// Playback: whether anybody sounds in the present block. Capture reads it once a period.
    var isOtherHeard: Bool {
        get { others.load(ordering: .relaxed) }
        set { others.store(newValue, ordering: .relaxed) }
    }

    /// Capture: whether voice is being sent. Playback reads it once a block.
    var isTalking: Bool {
        get { own.load(ordering: .relaxed) }
        set { own.store(newValue, ordering: .relaxed) }
    }
}
