/// Half-duplex: sound goes in one direction at a time, because the microphone would pick up the loudspeaker. The side
/// that has begun to talk keeps the floor.
///
/// ```
///             key down, others silent
///        ┌───────────────────────────▶ talking       the mix is muted
///        │                              │   │
///      idle ◀───────────────────────────┘   │ key up, others heard
///      │  ▲     key up, others silent       │
///      │  │ others silent for 200 ms        │
///      ▼  │                                 │
///   listening ◀─────────────────────────────┘        the key does not open
/// ```
/// If the key is down when the others have been silent for 200 ms, it opens at once. If two people begin at the same
/// moment, both talk: neither node has heard the other yet.
package struct HalfDuplex: Hashable, Sendable, BitwiseCopyable {
    /// The side that has the floor.
    package enum State: Hashable, Sendable, BitwiseCopyable {
        case idle
        case talking
        /// The others have the floor; `left` is the number of samples until they count as silent.
        case listening(left: Int)
    }

    package private(set) var state = State.idle

    package init() {}

    /// Advances by `samples`; returns whether the voice may be sent in them. `wants`: the key is down.
    /// `othersHeard`: another talker has sounded lately in the output.
    @_noAllocation @_noLocks
    package mutating func mayTalk(wants: Bool, othersHeard: Bool, samples: Int) -> Bool {
        switch state {
        case .talking where wants: break
        case .idle, .talking:
            state = othersHeard ? .listening(left: TalkLimits.floorHangSamples) : wants ? .talking : .idle
        case .listening(let left):
            let rest = othersHeard ? TalkLimits.floorHangSamples : left - samples
            state = 0 < rest ? .listening(left: rest) : wants ? .talking : .idle
        }
        if case .talking = state { return true }
        return false
    }
}
