import Mesh
import Wire

/// The state in which one node sees another, as read from outside.
package enum Look: Hashable, Sendable {
    /// The observer's process is off, or is paused.
    case off, paused
    /// The observer has never heard of the peer.
    case unknown
    case down, quarantined
    case connecting, negotiating
    /// The observer waits for a person's decision.
    case undecided
    case direct, relayed, throughCarrier
    case verifying

    init(_ state: PeerStatus.State, path: PathKind?) {
        switch state {
        case .down: self = .down
        case .quarantined: self = .quarantined
        case .connecting: self = .connecting
        case .inviting, .awaitingInvite: self = .negotiating
        case .awaitingDecision: self = .undecided
        case .verifying: self = .verifying
        case .up:
            switch path {
            case .relay: self = .relayed
            case .carrier: self = .throughCarrier
            case .direct, nil: self = .direct
            }
        }
    }

    package var isLinked: Bool {
        switch self {
        case .direct, .relayed, .throughCarrier, .verifying: true
        case .off, .paused, .unknown, .down, .quarantined, .connecting, .negotiating, .undecided: false
        }
    }
}
