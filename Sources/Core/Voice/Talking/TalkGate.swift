/// Decides for each captured period by which keys it is sent: from the talk keys, the voice detector (for those that
/// are voice-operated), the cough switch and the half-duplex floor.
package struct TalkGate: BitwiseCopyable {
    /// The keys that may open the gate, or have opened it.
    package struct Keys: Hashable, Sendable, BitwiseCopyable {
        /// Keys that are down.
        package var down: KeySet
        /// As an argument of `keysOpened`: the voice-operated keys. In its result: those of them that the voice has
        /// opened.
        package var voice: KeySet

        package init(down: KeySet = [], voice: KeySet = []) {
            self.down = down
            self.voice = voice
        }

        package static let none = Keys()
        package var isEmpty: Bool { all.isEmpty }
        package var all: KeySet { down.union(voice) }
    }

    package private(set) var detector: VoiceDetector
    package private(set) var duplex: HalfDuplex?

    /// - Parameters:
    ///   - detection: settings of the voice detector, used while a key is voice-operated.
    ///   - isHalfDuplex: whether the keys wait until the others are silent.
    package init(detection: VoiceDetector.Settings, isHalfDuplex: Bool) {
        detector = VoiceDetector(detection)
        duplex = isHalfDuplex ? HalfDuplex() : nil
    }

    /// Returns the keys by which this period of `count` samples is sent; none if it is not sent.
    /// - Parameter othersHeard: whether another talker has sounded lately in this node's output. With half-duplex no
    ///   key opens then, except one that was down for five seconds; a key that is open stays so.
    @_noAllocation @_noLocks
    package mutating func keysOpened(
        _ samples: UnsafePointer<Float>, count: Int, keys: Keys, isCoughing: Bool, othersHeard: Bool
    ) -> Keys {
        let wanted = wantedKeys(samples, count: count, keys: keys, isCoughing: isCoughing)
        guard var floor = duplex else { return wanted }
        let may = floor.mayTalk(
            wants: wanted.down.rawValue | wanted.voice.rawValue != 0, isHeld: wanted.down.rawValue != 0,
            othersHeard: othersHeard, samples: count)
        duplex = floor
        return may ? wanted : Keys(down: KeySet(rawValue: 0), voice: KeySet(rawValue: 0))
    }

    @_noAllocation @_noLocks
    private mutating func wantedKeys(
        _ samples: UnsafePointer<Float>, count: Int, keys: Keys, isCoughing: Bool
    ) -> Keys {
        var wanted = keys
        // While the cough switch is held, the detector measures nothing: a cough is neither speech nor room noise.
        if !isCoughing, keys.voice.rawValue != 0 {
            if !detector.measure(samples, count: count) { wanted.voice = KeySet(rawValue: 0) }
        } else {
            // Detected speech ends here. Otherwise it would still count when a key becomes voice-operated again.
            detector.end()
        }
        return isCoughing ? Keys(down: KeySet(rawValue: 0), voice: KeySet(rawValue: 0)) : wanted
    }
}

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

/// Mutes the mix while this node talks in half-duplex. The gain changes without a click, within 10 ms or one block,
/// whichever is longer.
package struct FloorMute: BitwiseCopyable {
    private var gain: Float = 1

    package init() {}

    /// Works in place on `count` samples of each of `channels` interleaved channels.
    @_noAllocation @_noLocks
    package mutating func process(
        _ samples: UnsafeMutablePointer<Float>, count: Int, channels: Int, isMute: Bool
    ) {
        let reach = Float(count) / 480
        let end = Ramp.step(gain, towards: isMute ? 0 : 1, by: reach)
        guard gain != 1 || end != 1 else { return }
        Ramp.apply(to: samples, count: count * channels, from: gain, to: end)
        gain = end
    }
}
