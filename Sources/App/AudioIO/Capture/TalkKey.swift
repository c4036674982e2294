import Handover
package import Primitives
import SystemClock
package import Voice

/// The talk key as the capture thread sees it. The node loop moves it. The thread reads it once a period, or is woken
/// by it.
package final class TalkKey: Sendable {
    /// The position of the key, and the reason for it.
    package enum Position: UInt8, CaseIterable, Sendable {
        case released
        /// Push to talk: down as long as the key is held.
        case held
        /// Stays down until it is pressed again.
        case latched
        /// Always talks.
        case open
        /// The voice decides.
        case voice
    }

    private let position = SharedNumber(UInt64(Position.released.rawValue))
    private let coughs = SharedFlag()
    private let openedAtNanoseconds = SharedNumber()
    private let uncoughedAtNanoseconds = SharedNumber()
    private let wakeUpEvent: WakeUpEvent

    package init(wakeUpEvent: WakeUpEvent) { self.wakeUpEvent = wakeUpEvent }

    package func move(to position: Position) {
        change(mayOpen: position != .released && !isCoughing) {
            self.position.value = UInt64(position.rawValue)
        }
    }

    /// Sets the cough switch. It silences the microphone in every position of the key.
    package func setCough(_ isDown: Bool) {
        if !isDown, isCoughing {
            uncoughedAtNanoseconds.value = Self.nanosecondsNow()
        }
        change(mayOpen: !isDown && Self.meaning(of: position.value) != .up) {
            coughs.isOn = isDown
        }
    }

    package var isCoughing: Bool { coughs.isOn }

    /// The meaning of the position for the talk gate, for the next period.
    package var gateKey: TalkGate.Key { Self.meaning(of: position.value) }

    /// Whether sound may be sent, now or as soon as a voice is heard.
    package var mayOpen: Bool { gateKey != .up && !isCoughing }

    /// The instant at which `mayOpen` last became true. Read it after `gateKey` and `isCoughing`: then it matches what
    /// they returned.
    package var openedAt: Instant { Instant(nanoseconds: Int64(openedAtNanoseconds.value)) }

    /// Whether sound that is processed late, and ended at `end`, must be silenced because of a cough.
    package func wasCoughing(at end: Instant) -> Bool {
        isCoughing || end.nanoseconds <= Int64(uncoughedAtNanoseconds.value)
    }

    /// The meaning of the key for sound that is processed late, and ended at `end`.
    package func gateKey(at end: Instant) -> TalkGate.Key {
        // The position is read first: a thread that sees a position also sees its instant.
        let key = gateKey
        return end <= openedAt ? .up : key
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

    private static func meaning(of position: UInt64) -> TalkGate.Key {
        switch Position(rawValue: UInt8(truncatingIfNeeded: position)) {
        case .released, nil: .up
        case .held, .latched, .open: .down
        case .voice: .voice
        }
    }
}
