#if PARTYLINE_MUTANTS
import Primitives

/// Which events the link machine has met in which of its states, over all nodes of this process: for
/// the simulator's coverage, and in no other build.
package enum LinkCoverage {
    package static let states = [
        "down", "connecting", "inviting", "awaitingInvite", "awaitingDecision", "up", "verifying", "quarantined",
    ]
    package static let events = [
        "opening", "scheduled", "invited", "awaits", "undecided", "refused", "failed", "echoed", "doubted", "lost",
        "ended",
    ]
    nonisolated(unsafe) private static var counts = Array(repeating: UInt64(0), count: states.count * events.count)

    static func note(_ state: LinkState, _ event: LinkEvent) {
        counts[index(of: state) * events.count + index(of: event)] += 1
    }

    /// Every pair that the machine allows, with how often it was met.
    package static var pairs: [(state: String, event: String, count: UInt64)] {
        var pairs: [(state: String, event: String, count: UInt64)] = []
        for state in exampleStates {
            for event in exampleEvents where state.next(event) != nil {
                let (s, e) = (index(of: state), index(of: event))
                pairs.append((states[s], events[e], counts[s * events.count + e]))
            }
        }
        return pairs
    }

    private static let negotiation = LinkNegotiation(carrier: CarrierID(number: 1), deadline: .zero)
    private static let exampleStates: [LinkState] = [
        .down(dialAt: .zero), .connecting(since: .zero), .inviting(negotiation), .awaitingInvite(negotiation),
        .awaitingDecision(until: .zero), .up(since: .zero),
        .verifying(LinkVerification(upSince: .zero, since: .zero)), .quarantined(until: .zero),
    ]
    private static let exampleEvents: [LinkEvent] = [
        .opening(now: .zero), .scheduled(dialAt: .zero), .invited(negotiation), .awaits(negotiation),
        .undecided(until: .zero), .refused(dialAt: .zero), .failed(.backoff(until: .zero)), .echoed(now: .zero),
        .doubted(now: .zero), .lost(.backoff(until: .zero)), .ended(dialAt: .zero),
    ]

    private static func index(of state: LinkState) -> Int {
        switch state {
        case .down: 0
        case .connecting: 1
        case .inviting: 2
        case .awaitingInvite: 3
        case .awaitingDecision: 4
        case .up: 5
        case .verifying: 6
        case .quarantined: 7
        }
    }

    private static func index(of event: LinkEvent) -> Int {
        switch event {
        case .opening: 0
        case .scheduled: 1
        case .invited: 2
        case .awaits: 3
        case .undecided: 4
        case .refused: 5
        case .failed: 6
        case .echoed: 7
        case .doubted: 8
        case .lost: 9
        case .ended: 10
        }
    }
}
#endif
