/// Half-duplex: sound goes in one direction at a time, because the microphone would pick up the loudspeaker. The side
/// that has begun to talk keeps the floor.
///
/// ```
///             key down, others silent
///        ┌───────────────────────────▶ talking       the mix is muted
///        │                              │ │ ▲
///      idle ◀───────────────────────────┘ │ │
///      │  ▲     key up, others silent     │ │
///      │  │ others silent for 200 ms      │ │
///      ▼  │                               │ │
///   listening ◀── key up, others heard ───┘ │        the key does not open
///          └───── key down for 5 s ─────────┘
/// ```
/// If the key is down when the others have been silent for 200 ms, it opens at once. A key that was down for five
/// seconds, in which the others never paused for 200 ms, opens too: a peer may send sound without end that nobody
/// hears. The voice alone opens no key then, since it may be that of the loudspeaker.
///
/// If two people begin at the same moment, both talk: neither node has heard the other yet.
package struct HalfDuplex: Hashable, Sendable, BitwiseCopyable {
    /// The side that has the floor.
    package enum State: Hashable, Sendable, BitwiseCopyable {
        case idle
        case talking
        /// The others have the floor; `left` is the number of samples until they count as silent.
        case listening(left: Int)
    }

    package private(set) var state = State.idle

    /// Samples for which the key has been down while the others had the floor.
    private var waited = 0

    package init() {}

    /// Advances by `samples`; returns whether the voice may be sent in them. `wants`: a key is down, or the voice has
    /// opened one. `isHeld`: a key is down, held or latched. `othersHeard`: another talker has sounded lately in the
    /// output.
    @_noAllocation @_noLocks
    package mutating func mayTalk(wants: Bool, isHeld: Bool, othersHeard: Bool, samples: Int) -> Bool {
        if case .listening = state, isHeld { waited += samples } else { waited = 0 }
        switch state {
        case .listening where TalkLimits.floorWaitSamples <= waited: state = .talking
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
