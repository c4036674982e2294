import Primitives

/// Nodes whose beacons or Avahi services this node cannot read: the *senders*. Each may be a member of the mesh that
/// this node looks for, so this node dials it without a NodeID: a few senders at once, but only one of each source.
///
///     waits ── dial ──► is dialled ── TLS ──► answers ── refusal, or the carrier ends ──► gone
///       └── 5 s ──► gone     └── fails ──► gone   └── 3 s ──► gone
///
/// A sender that has answered is a peer with a NodeID, and all further attempts are those of a peer. A sender of
/// beacons comes again with its next beacon. A service comes again when this node takes up its kept services.
struct WaitingRoom {
    private struct Waiting {
        let endpoint: Endpoint
        let until: Instant
    }

    private struct Tried {
        enum Phase: Equatable {
            case isDialled(DialID)
            case answers(until: Instant)
        }

        let endpoint: Endpoint
        let source: IPAddress
        var phase: Phase
    }

    private var waiting = SourceQueue<Waiting>(countMax: MeshLimits.sendersWaitingMax)
    private var tried: [Tried] = []
    private var services = SourceQueue<Endpoint>(countMax: MeshLimits.servicesKeptMax)
    /// When the nodes of all services come again; `.distantFuture` while there is none.
    private(set) var servicesDueAt = Instant.distantFuture

    /// Keeps the address of a service. Returns the address that had no room, perhaps this one; nil if none.
    mutating func addService(
        _ endpoint: Endpoint, from source: IPAddress, random: inout SeededRandom, now: Instant
    ) -> Endpoint? {
        guard !services.elements.contains(endpoint) else { return nil }
        if servicesDueAt == .distantFuture { servicesDueAt = now + MeshLimits.servicesInterval }
        return services.add(endpoint, from: source, random: &random)
    }

    /// Returns the addresses of all services.
    mutating func takeServices(now: Instant) -> [Endpoint] {
        servicesDueAt = now + MeshLimits.servicesInterval
        return services.elements
    }

    /// Keeps a sender for a while. One that waits already, or is being tried, is not kept twice.
    mutating func add(_ endpoint: Endpoint, from source: IPAddress, random: inout SeededRandom, now: Instant) {
        forgetLate(now: now)
        guard !waiting.elements.contains(where: { $0.endpoint == endpoint }),
            !tried.contains(where: { $0.endpoint == endpoint })
        else { return }
        let sender = Waiting(endpoint: endpoint, until: now + MeshLimits.sendersWaitMax)
        _ = waiting.add(sender, from: source, random: &random)
    }

    /// When the next sender may be dialled. That is `now`, or the instant at which some sender that has answered no
    /// longer counts as tried (`MeshLimits.sendersAnswerMax`). `.distantFuture` if no sender waits, or if a dial of
    /// another sender has to end first.
    mutating func nextDialAt(now: Instant) -> Instant {
        // This runs after every input, and a sender seldom waits.
        guard waiting.count != 0 else { return .distantFuture }
        forgetLate(now: now)
        guard waiting.count != 0 else { return .distantFuture }
        let busy = tried.map(\.source)
        if mayTryMore, waiting.hasNext(where: { !busy.contains($0) }) { return now }
        var next = Instant.distantFuture
        for case .answers(let until) in tried.map(\.phase) { next = min(next, until) }
        return next
    }

    /// Removes and returns the next sender to be dialled; nil if there is none now.
    mutating func takeNext(now: Instant) -> (endpoint: Endpoint, source: IPAddress)? {
        forgetLate(now: now)
        guard mayTryMore else { return nil }
        let busy = tried.map(\.source)
        return waiting.takeNext { !busy.contains($0) }.map { ($0.element.endpoint, $0.source) }
    }

    mutating func began(_ dial: DialID, to endpoint: Endpoint, from source: IPAddress) {
        tried.append(Tried(endpoint: endpoint, source: source, phase: .isDialled(dial)))
    }

    /// Notes that TLS with a sender has opened. The sender counts as tried until its carrier has ended, but for
    /// `MeshLimits.sendersAnswerMax` at most.
    mutating func answered(_ dial: DialID, now: Instant) {
        guard let index = tried.firstIndex(where: { $0.phase == .isDialled(dial) }) else { return }
        tried[index].phase = .answers(until: now + MeshLimits.sendersAnswerMax)
    }

    mutating func failed(_ dial: DialID) { tried.removeAll { $0.phase == .isDialled(dial) } }

    /// Notes that the carrier to this address has ended.
    mutating func ended(_ endpoint: Endpoint) { tried.removeAll { $0.endpoint == endpoint } }

    private var mayTryMore: Bool { tried.count < MeshLimits.sendersTriedMax }

    private mutating func forgetLate(now: Instant) {
        waiting.removeAll { $0.until <= now }
        tried.removeAll { if case .answers(let until) = $0.phase { until <= now } else { false } }
    }
}

/// How a node tries the senders in its waiting room: nodes whose beacons or services it cannot read.
enum SenderSearch {
    case off
    /// The node is linked, but has no link to some known member: it tries one sender in each
    /// `MeshLimits.slowSenderInterval`.
    case slow
    /// The node has no link.
    case full
}
