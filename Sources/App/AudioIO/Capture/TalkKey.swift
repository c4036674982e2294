package import Primitives
import Synchronization
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

    private let position = Atomic<UInt8>(Position.released.rawValue)
    private let coughs = Atomic<Bool>(false)
    private let openedAtNanoseconds = Atomic<Int64>(0)
    private let uncoughedAtNanoseconds = Atomic<Int64>(0)
    private let wakeUpEvent: CaptureWakeUpEvent

    package init(wakeUpEvent: CaptureWakeUpEvent) { self.wakeUpEvent = wakeUpEvent }

    package func move(to position: Position) {
        change(mayOpen: position != .released && !isCoughing) {
            self.position.store(position.rawValue, ordering: .releasing)
        }
    }

    /// The cough switch silences the microphone whatever the key says.
    package func setCough(_ isDown: Bool) {
        if !isDown, isCoughing {
            uncoughedAtNanoseconds.store(Instant.monotonicNow().nanoseconds, ordering: .relaxed)
        }
        change(mayOpen: !isDown && Self.meaning(of: position.load(ordering: .relaxed)) != .up) {
            coughs.store(isDown, ordering: .releasing)
        }
    }

    package var isCoughing: Bool { coughs.load(ordering: .acquiring) }

    /// What the position means for the next period.
    package var gateKey: TalkGate.Key { Self.meaning(of: position.load(ordering: .acquiring)) }

    /// Whether anything may be sent, now or when a voice is heard.
    package var mayOpen: Bool { gateKey != .up && !isCoughing }

    /// When it last came to be so; true of what `gateKey` and `isCoughing` said before.
    package var openedAt: Instant { Instant(nanoseconds: openedAtNanoseconds.load(ordering: .relaxed)) }

    /// Whether sound that is looked at late, and ended at `end`, was to be silenced.
    package func wasCoughing(at end: Instant) -> Bool {
        isCoughing || end.nanoseconds <= uncoughedAtNanoseconds.load(ordering: .relaxed)
    }

    /// What the key meant for sound that is looked at late, and ended at `end`.
    package func gateKey(at end: Instant) -> TalkGate.Key {
        // In this order: who sees the position sees its instant.
        let key = gateKey
        return end <= openedAt ? .up : key
    }

    /// The instant is there before what it belongs to, and both before the bell rings.
    private func change(mayOpen: Bool, _ store: () -> Void) {
        if mayOpen, !self.mayOpen {
            openedAtNanoseconds.store(Instant.monotonicNow().nanoseconds, ordering: .relaxed)
        }
        store()
        wakeUpEvent.ring()
    }

    private static func meaning(of position: UInt8) -> TalkGate.Key {
        switch Position(rawValue: position) {
        case .released, nil: .up
        case .held, .latched, .open: .down
        case .voice: .voice
        }
    }
}
