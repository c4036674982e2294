import Carrier
import NIOCore
import NIOPosix
import Primitives
import Synchronization
import Testing

/// A carrier service on loopback whose events can be awaited.
final class CarrierRig: Sendable {
    let service: CarrierService
    let events: EventLog
    let endpoints: [Endpoint]
    var node: NodeID { service.node }
    var endpoint: Endpoint { endpoints[0] }

    private init(service: CarrierService, events: EventLog, endpoints: [Endpoint]) {
        self.service = service
        self.events = events
        self.endpoints = endpoints
    }

    static func start(
        key: [UInt8] = freshKey(), limits: CarrierLimits = .standard, at addresses: [String] = ["127.0.0.1"]
    ) async throws -> CarrierRig {
        let events = EventLog()
        let service = try CarrierService(
            identity: key, nodeLoop: MultiThreadedEventLoopGroup.singleton.next(), limits: limits
        ) { events.add($0) }
        let wanted = addresses.compactMap { IPAddress($0) }.map { Endpoint(address: $0, port: 0) }
        let endpoints = try await service.listen(on: wanted)
        return CarrierRig(service: service, events: events, endpoints: endpoints)
    }

    /// Two services and a carrier from one to the other, which nobody has trusted yet.
    static func connected() async throws -> (a: CarrierRig, b: CarrierRig, out: CarrierID, into: CarrierID) {
        let (a, b) = (try await CarrierRig.start(), try await CarrierRig.start())
        let out = try #require(await a.dial(1, b.endpoint).carrier)
        return (a, b, out, await b.accepted().id)
    }

    /// Dials and waits for what comes of it, told by `dial`.
    func dial(_ number: UInt64, _ endpoint: Endpoint, expecting peer: NodeID? = nil) async -> DialOutcome {
        service.dial(DialID(number: number), endpoint, expecting: peer)
        return await outcome(of: number)
    }

    func outcome(of number: UInt64) async -> DialOutcome {
        await events.first { event in
            switch event {
            case .opened(let id, let peer, DialID(number: number), _): .opened(id, peer)
            case .dialFailed(DialID(number: number), let failure): .failed(failure)
            default: nil
            }
        }
    }

    /// The next accepted carrier that nobody has asked for yet, and who it is.
    func accepted() async -> (id: CarrierID, peer: NodeID) {
        await events.first { event in
            guard case .opened(let id, let node, nil, _) = event else { return nil }
            return (id, node)
        }
    }

    func closed(_ id: CarrierID) async -> CarrierCloseReason {
        await events.first { event in
            if case .closed(id, let reason) = event { reason } else { nil }
        }
    }

    func frame(on id: CarrierID) async -> [UInt8] {
        await events.first { event in
            if case .frame(id, let bytes) = event { bytes } else { nil }
        }
    }

    static func freshKey() -> [UInt8] { (0..<32).map { _ in UInt8.random(in: 0...255) } }
}

enum DialOutcome: Equatable, Sendable {
    case opened(CarrierID, NodeID)
    case failed(CarrierDialFailure)

    var carrier: CarrierID? { if case .opened(let id, _) = self { id } else { nil } }
}

/// Events in order; each is taken once, by the first waiter that it suits.
final class EventLog: Sendable {
    private struct State {
        var events: [CarrierEvent] = []
        var waiters: [@Sendable (CarrierEvent) -> Bool] = []
    }

    private let state = Mutex(State())

    func add(_ event: CarrierEvent) {
        state.withLock { state in
            for (index, waiter) in state.waiters.enumerated() where waiter(event) {
                state.waiters.remove(at: index)
                return
            }
            state.events.append(event)
        }
    }

    /// What `match` makes of the first event that it does not refuse; waits for one.
    func first<Found: Sendable>(_ match: @escaping @Sendable (CarrierEvent) -> Found?) async -> Found {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                for (index, event) in state.events.enumerated() {
                    guard let found = match(event) else { continue }
                    state.events.remove(at: index)
                    return continuation.resume(returning: found)
                }
                state.waiters.append { event in
                    guard let found = match(event) else { return false }
                    continuation.resume(returning: found)
                    return true
                }
            }
        }
    }

    /// Whether something that nobody took suits.
    func contains(_ match: (CarrierEvent) -> Bool) -> Bool {
        state.withLock { $0.events.contains(where: match) }
    }
}
