import Synchronization
package import Voice

/// The talk key as the capture thread sees it: the node loop moves it, the thread looks once a period.
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

    package init() {}

    package func move(to position: Position) { self.position.store(position.rawValue, ordering: .relaxed) }

    /// The cough switch silences the microphone whatever the key says.
    package func setCough(_ isDown: Bool) { coughs.store(isDown, ordering: .relaxed) }

    package var isCoughing: Bool { coughs.load(ordering: .relaxed) }

    /// What the position means for the next period.
    package var gateKey: TalkGate.Key {
        switch Position(rawValue: position.load(ordering: .relaxed)) {
        case .released, nil: .up
        case .held, .latched, .open: .down
        case .voice: .voice
        }
    }
}
