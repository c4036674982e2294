package import Handover
package import Primitives
import SystemClock
package import Voice

/// The talk keys as the capture thread sees them. The node loop moves them. The thread reads them once a period, or is
/// woken by them.
package final class PressedKeys: Sendable {
    /// Bits 0 to 7: the keys that are down. Bits 8 to 15: the voice-operated keys.
    private let position = SharedNumber()
    private let coughs = SharedFlag()
    /// By key: when it last went down. A voice-operated key is down while its mode lets the voice open it.
    private let pressedAtNanoseconds = (0..<TalkLimits.keysMax).map { _ in SharedNumber() }
    /// By key: when it last went up, if it is not voice-operated.
    private let releasedAtNanoseconds = (0..<TalkLimits.keysMax).map { _ in SharedNumber() }
    private let uncoughedAtNanoseconds = SharedNumber()
    private let wakeUpEvent: WakeUpEvent

    package init(wakeUpEvent: WakeUpEvent) { self.wakeUpEvent = wakeUpEvent }

    package func move(to keys: TalkGate.Keys, at now: Instant = .monotonicNow()) {
        let before = gateKeys
        let (pressed, released) = (keys.all.subtracting(before.all), before.down.subtracting(keys.all))
        // The instants are stored before the keys to which they belong, and both before the event is signalled.
        for key in pressedAtNanoseconds.indices where pressed.contains(.key(key)) {
            pressedAtNanoseconds[key].value = UInt64(now.nanoseconds)
        }
        for key in releasedAtNanoseconds.indices where released.contains(.key(key)) {
            releasedAtNanoseconds[key].value = UInt64(now.nanoseconds)
        }
        position.value = UInt64(keys.down.rawValue) | UInt64(keys.voice.rawValue) << 8
        wakeUpEvent.ring()
    }

    /// Sets the cough switch. It silences the microphone whatever keys are down.
    package func setCough(_ isDown: Bool, at now: Instant = .monotonicNow()) {
        if !isDown, isCoughing { uncoughedAtNanoseconds.value = UInt64(now.nanoseconds) }
        coughs.isOn = isDown
        wakeUpEvent.ring()
    }

    package var isCoughing: Bool { coughs.isOn }

    /// The keys for the talk gate, for the next period.
    package var gateKeys: TalkGate.Keys {
        let bits = position.value
        return TalkGate.Keys(
            down: KeySet(rawValue: UInt8(truncatingIfNeeded: bits)),
            voice: KeySet(rawValue: UInt8(truncatingIfNeeded: bits >> 8)))
    }

    /// Whether sound may be sent, now or as soon as a voice is heard.
    package var mayOpen: Bool { !gateKeys.isEmpty && !isCoughing }

    /// Whether sound that is processed late, and ended at `end`, must be silenced because of a cough.
    package func wasCoughing(at end: Instant) -> Bool {
        isCoughing || end.nanoseconds <= Int64(uncoughedAtNanoseconds.value)
    }

    /// The keys for sound that is processed late, and ended at `end`: those that were down then. Of a key that went
    /// down again since, only the latest press counts.
    package func gateKeys(at end: Instant) -> TalkGate.Keys {
        // The keys are read first: a thread that sees a key move also sees its instant.
        var keys = gateKeys
        for key in pressedAtNanoseconds.indices {
            if end.nanoseconds <= Int64(pressedAtNanoseconds[key].value) {
                keys.down.remove(.key(key))
                keys.voice.remove(.key(key))
            } else if end.nanoseconds <= Int64(releasedAtNanoseconds[key].value), !keys.all.contains(.key(key)) {
                keys.down.insert(.key(key))
            }
        }
        return keys
    }
}
