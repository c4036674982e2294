/// Whether a captured period is sent: the key, the voice where it works the key, the cough switch
/// and the floor, in one decision a period.
package struct TalkGate: BitwiseCopyable {
    /// What the talk key says.
    package enum Key: BitwiseCopyable {
        case up
        case down
        /// The voice decides.
        case voice
    }

    package private(set) var detector: VoiceDetector
    package private(set) var duplex: HalfDuplex?

    /// - Parameters:
    ///   - detection: of a voice-operated key.
    ///   - isHalfDuplex: whether the key waits until the others are silent.
    package init(detection: VoiceDetector.Settings, isHalfDuplex: Bool) {
        detector = VoiceDetector(detection)
        duplex = isHalfDuplex ? HalfDuplex() : nil
    }

    /// - Parameter othersHeard: whether any other was heard lately in the own output.
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
        // A cough is no voice, and teaches nothing about the room.
        if !isCoughing, key == .voice { return detector.measure(samples, count: count) }
        // A word that was cut short does not go on where the voice gets the key back.
        detector.end()
        return !isCoughing && key == .down
    }
}
