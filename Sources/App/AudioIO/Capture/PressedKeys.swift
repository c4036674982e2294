import Handover
package import Primitives
import SystemClock
package import Voice

/// The talk keys as the capture thread sees them. The node loop moves them. The thread reads them once a period, or is
/// woken by them.
package final class PressedKeys: Sendable {
    /// Bits 0 to 7: the keys that are down. Bits 8 to 15: the voice-operated keys.
    private let position = SharedNumber()
    private let coughs = SharedFlag()
    private let openedAtNanoseconds = SharedNumber()
    private let uncoughedAtNanoseconds = SharedNumber()
    private let wakeUpEvent: WakeUpEvent

    package init(wakeUpEvent: WakeUpEvent) { self.wakeUpEvent = wakeUpEvent }

    package func move(to keys: TalkGate.Keys) {
        change(mayOpen: !keys.isEmpty && !isCoughing) {
            position.value = UInt64(keys.down.rawValue) | UInt64(keys.voice.rawValue) << 8
        }
    }

    /// Sets the cough switch. It silences the microphone whatever keys are down.
    package func setCough(_ isDown: Bool) {
        if !isDown, isCoughing {
            uncoughedAtNanoseconds.value = Self.nanosecondsNow()
        }
        change(mayOpen: !isDown && !gateKeys.isEmpty) {
            coughs.isOn = isDown
        }
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

    /// The instant at which `mayOpen` last became true. Read it after `gateKeys` and `isCoughing`: then it matches what
    /// they returned.
    package var openedAt: Instant { Instant(nanoseconds: Int64(openedAtNanoseconds.value)) }

    /// Whether sound that is processed late, and ended at `end`, must be silenced because of a cough.
    package func wasCoughing(at end: Instant) -> Bool {
        isCoughing || end.nanoseconds <= Int64(uncoughedAtNanoseconds.value)
    }

    /// The keys for sound that is processed late, and ended at `end`.
    package func gateKeys(at end: Instant) -> TalkGate.Keys {
        // The keys are read first: a thread that sees them also sees their instant.
        let keys = gateKeys
        return end <= openedAt ? .none : keys
    }

    /// Stores the instant before the change to which it belongs, and both before it signals the event.
    private func change(mayOpen: Bool, _ store: () -> Void) {
        if mayOpen, !self.mayOpen {
            openedAtNanoseconds.value = Self.nanosecondsNow()
        }
        store()
        wakeUpEvent.ring()
    }

    /// CLOCK_MONOTONIC is never negative.
    private static func nanosecondsNow() -> UInt64 { UInt64(Instant.monotonicNow().nanoseconds) }
}
