import Mesh
import Primitives
import Testing

/// The whole state machine as a table: seven states, eleven events, and the result of each pair.
@Suite("Link state")
struct LinkStateTests {
    static let t0 = Instant.zero + .seconds(10)
    static let t1 = Instant.zero + .seconds(20)
    static let negotiation = LinkNegotiation(carrier: CarrierID(number: 1), deadline: t1)
    static let other = LinkNegotiation(carrier: CarrierID(number: 2), deadline: t1)

    enum StateName: String, CaseIterable {
        case down, connecting, inviting, awaitingInvite, awaitingDecision, up, verifying

        var state: LinkState {
            switch self {
            case .down: .down(dialAt: t0)
            case .connecting: .connecting(since: t0)
            case .inviting: .inviting(negotiation)
            case .awaitingInvite: .awaitingInvite(negotiation)
            case .awaitingDecision: .awaitingDecision(until: t0)
            case .up: .up(since: t0)
            case .verifying: .verifying(LinkVerification(upSince: t0, since: t0))
            }
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let event: LinkEvent
        /// The states in which the event may come, each with the next state. In all other states the event is illegal.
        let legal: [StateName: LinkState]
        var testDescription: String { "\(event)" }
    }

    private static func all(_ names: [StateName], _ state: LinkState) -> [StateName: LinkState] {
        Dictionary(uniqueKeysWithValues: names.map { ($0, state) })
    }

    static let rows: [Row] = [
        Row(
            event: .opening(now: t1),
            legal: all([.down, .awaitingDecision], .connecting(since: t1))),
        Row(
            event: .scheduled(dialAt: t1),
            legal: all([.down, .awaitingDecision], .down(dialAt: t1))),
        Row(event: .invited(other), legal: all([.connecting, .inviting, .awaitingDecision], .inviting(other))),
        Row(
            event: .awaits(other),
            legal: all([.connecting, .awaitingInvite, .awaitingDecision], .awaitingInvite(other))),
        Row(
            event: .undecided(until: t1),
            legal: all([.connecting, .inviting, .awaitingInvite, .awaitingDecision], .awaitingDecision(until: t1))),
        Row(
            event: .refused(dialAt: t1),
            legal: all([.connecting, .inviting, .awaitingInvite, .awaitingDecision], .down(dialAt: t1))),
        Row(
            event: .failed(dialAt: t1),
            legal: all([.connecting, .inviting, .awaitingInvite], .down(dialAt: t1))),
        Row(
            event: .echoed(now: t1),
            legal: all(
                [.down, .connecting, .inviting, .awaitingInvite, .awaitingDecision], .up(since: t1)
            ).merging([.verifying: .up(since: t0)]) { first, _ in first }),
        Row(event: .doubted(now: t1), legal: [.up: .verifying(LinkVerification(upSince: t0, since: t1))]),
        Row(event: .lost(dialAt: t1), legal: [.verifying: .down(dialAt: t1)]),
        Row(event: .ended(dialAt: t1), legal: all(StateName.allCases, .down(dialAt: t1))),
    ]

    @Test("each event leads to the state in the table, and is illegal in every other state", arguments: rows)
    func transition(_ row: Row) {
        for name in StateName.allCases {
            #expect(name.state.next(row.event) == row.legal[name], "\(row.event) in \(name)")
        }
    }

    @Test("only up and verifying carry voice", arguments: StateName.allCases)
    func linked(_ name: StateName) {
        #expect(name.state.isLinked == (name == .up || name == .verifying))
    }

    @Test("an illegal event stops the program")
    func illegal() async {
        await #expect(processExitsWith: .failure) {
            var state = LinkState.up(since: .zero)
            state.apply(.lost(dialAt: .zero))
        }
    }
}
