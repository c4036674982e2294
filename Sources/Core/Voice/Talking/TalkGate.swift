/// Decides for each captured period by which keys it is sent: from the talk keys, the voice detector (for those that
/// are voice-operated), the cough switch and the half-duplex floor.
package struct TalkGate: BitwiseCopyable {
    /// The keys that may open the gate, or have opened it.
    package struct Keys: Hashable, Sendable, BitwiseCopyable {
        /// Keys that are down.
        package var down: KeySet
        /// Voice-operated keys; as a result, those that the voice has opened.
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
    /// - Parameter othersHeard: whether another talker has sounded lately in this node's output.
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
