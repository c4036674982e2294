/// One direction at a time, for loudspeakers that the microphone would hear: who has begun goes on.
///
/// ```
///               key, nobody heard                  key up
///   idle ─────────────────────────▶ talking ────────────────▶ idle    the others are mute meanwhile
///    │ ▲                              │
///    │ └── others silent for 200 ms ──┐ │ key up, others heard
///    └────── others heard ──▶ listening ◀──────────┘                  the key does not open: busy
/// ```
/// A key that waits opens as soon as the others have been silent. Two who begin in the same moment
/// both talk: neither could know.
package struct HalfDuplex: Hashable, Sendable, BitwiseCopyable {
    /// Whose turn it is.
    package enum State: Hashable, Sendable, BitwiseCopyable {
        case idle
        case talking
        /// Samples until the others count as silent.
        case listening(left: Int)
    }

    package private(set) var state = State.idle

    package init() {}

    /// Whether the key may open for the next `samples`.
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
