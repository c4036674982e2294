package import Primitives
package import Wire

/// Names a call: by its caller, and by the number that the caller gave it.
package struct CallKey: Hashable, Sendable {
    package var caller: NodeID
    package var id: CallID

    package init(caller: NodeID, id: CallID) {
        self.caller = caller
        self.id = id
    }
}

/// A call of a peer.
///
///     shown ──a person answers──► accepted, declined
///       ├─────the caller ends it─► withdrawn
///       └─────its time is over───► expired
///     quiet: it came under do-not-disturb; the caller was told that it is declined
///
/// It is kept for `CallLimits.memory` after its time, so that a late copy finds it.
package struct IncomingCall: Hashable, Sendable {
    package enum State: UInt8, CaseIterable, Hashable, Sendable {
        case shown
        case accepted
        case declined
        case withdrawn
        case expired
        case quiet

        /// The answer that a copy of the call gets; nil if it gets none.
        var answer: CallAnswer? {
            switch self {
            case .shown: .shown
            case .accepted: .accepted
            case .declined, .quiet: .declined
            case .withdrawn, .expired: nil
            }
        }
    }

    package let key: CallKey
    package let target: CallTarget
    package let text: SafeText
    package let isUrgent: Bool
    package let arrivedAt: Instant
    package let expiresAt: Instant
    package internal(set) var state: State
    /// When the caller was last told the state.
    var answeredAt: Instant

    init(_ frame: CallFrame, by caller: NodeID, state: State, now: Instant) {
        key = CallKey(caller: caller, id: frame.id)
        target = frame.target
        text = frame.text
        isUrgent = frame.isUrgent
        arrivedAt = now
        expiresAt = now + .milliseconds(Int64(frame.expiresMilliseconds))
        self.state = state
        answeredAt = now
    }

    /// Whether a person may still answer.
    package var isOpen: Bool { state == .shown }

    /// When it is forgotten.
    var forgottenAt: Instant { expiresAt + CallLimits.memory }
    /// The next instant at which something happens to it.
    var dueAt: Instant { isOpen ? expiresAt : forgottenAt }
}
