/// Decides for each captured period whether it is sent, from the talk key, the voice detector (if the key is
/// voice-operated), the cough switch and the half-duplex floor.
package struct TalkGate: BitwiseCopyable {
    /// State of the talk key.
    package enum Key: BitwiseCopyable {
        case up
        case down
        /// The key is voice-operated.
        case voice
    }

    package private(set) var detector: VoiceDetector
    package private(set) var duplex: HalfDuplex?

    /// - Parameters:
    ///   - detection: settings of the voice detector, used while the key is voice-operated.
    ///   - isHalfDuplex: whether the key waits until the others are silent.
    package init(detection: VoiceDetector.Settings, isHalfDuplex: Bool) {
        detector = VoiceDetector(detection)
        duplex = isHalfDuplex ? HalfDuplex() : nil
    }

    /// Returns whether this period of `count` samples is sent.
    /// - Parameter othersHeard: whether another talker has sounded lately in this node's output.
    @_noAllocation @_noLocks
    package mutating func isOpen(
        _ samples: UnsafePointer<Float>, count: Int, key: Key, isCoughing: Bool, othersHeard: Bool
    ) -> Bool {
        let wants = wantsTalk(samples, count: count, key: key, isCoughing: isCoughing)
        guard var floor = duplex else { return wants }
        let may = floor.mayTalk(wants: wants, othersHeard: othersHeard, samples: count)
        duplex = floor
        return may
    }

    private mutating func wantsTalk(
        _ samples: UnsafePointer<Float>, count: Int, key: Key, isCoughing: Bool
    ) -> Bool {
        // While the cough switch is held, the detector measures nothing: a cough is neither speech nor room noise.
        if !isCoughing, key == .voice { return detector.measure(samples, count: count) }
        // Detected speech ends here. Otherwise it would still count when the key becomes voice-operated again.
        detector.end()
        return !isCoughing && key == .down
    }
}
