import Handover
package import Primitives
import SystemClock
package import Voice

/// The talk key as the capture thread sees it: the node loop moves it, the thread looks once a period, or is woken.
package final class TalkKey: Sendable {
    /// Where the key is, and what holds it there.
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

    /// The cough switch silences the microphone whatever the key says.
    package func setCough(_ isDown: Bool) {
        if !isDown, isCoughing {
            uncoughedAtNanoseconds.value = Self.nanosecondsNow()
        }
        change(mayOpen: !isDown && Self.meaning(of: position.value) != .up) {
            coughs.isOn = isDown
        }
    }

    package var isCoughing: Bool { coughs.isOn }

    /// What the position means for the next period.
    package var gateKey: TalkGate.Key { Self.meaning(of: position.value) }

    /// Whether anything may be sent, now or when a voice is heard.
    package var mayOpen: Bool { gateKey != .up && !isCoughing }

    /// When it last came to be so; true of what `gateKey` and `isCoughing` said before.
    package var openedAt: Instant { Instant(nanoseconds: Int64(openedAtNanoseconds.value)) }

    /// Whether sound that is looked at late, and ended at `end`, was to be silenced.
    package func wasCoughing(at end: Instant) -> Bool {
        isCoughing || end.nanoseconds <= Int64(uncoughedAtNanoseconds.value)
    }

    /// What the key meant for sound that is looked at late, and ended at `end`.
    package func gateKey(at end: Instant) -> TalkGate.Key {
        // In this order: a thread that sees the position sees its instant.
        let key = gateKey
        return end <= openedAt ? .up : key
    }

    /// The instant is there before what it belongs to, and both before the event is signalled.
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
