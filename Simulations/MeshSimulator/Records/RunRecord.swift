import Mesh
package import Primitives

/// A record of one run that answers questions: how each node saw each other node and since when, and what happened
/// between them. Only runs that are explained have one, because it looks at every node after every event.
package final class RunRecord {
    package struct Note: Sendable {
        package enum Kind: String, Sendable {
            case fault, dial, dialFailed, carrierOpened, carrierClosed, negotiation, event
        }

        package var at: Instant
        package var kind: Kind
        /// The node whose input or output this is; nil for a fault.
        package var node: Int?
        /// The peer that this is about; nil if none is named.
        package var peer: Int?
        /// Number of the dial; nil if the note concerns no dial.
        package var dial: UInt64?
        package var text: String
    }

    package struct Change: Hashable, Sendable {
        package var at: Instant
        package var look: Look
    }

    /// A request for the full state of a pair at an instant.
    package struct Question: Hashable, Sendable {
        package var at: Instant
        package var observer: Int
        package var peer: Int

        package init(at: Instant, observer: Int, peer: Int) {
            self.at = at
            self.observer = observer
            self.peer = peer
        }
    }

    package private(set) var names: [String] = []
    package private(set) var notes: [Note] = []
    /// The answer to the question, taken from the state at that instant.
    package private(set) var answer: PairState?
    private let question: Question?
    private var changes: [[Change]] = []
    /// By node, the peer that each dial is for.
    private var dialPeers: [[UInt64: Int]] = []

    package init(question: Question? = nil) { self.question = question }

    /// Returns how `observer` saw `peer`, in the order of time.
    package func looks(of observer: Int, at peer: Int) -> [Change] { changes[observer * names.count + peer] }

    // MARK: Recording

    func begin(_ world: World) {
        names = (0..<world.nodeCount).map { world.name($0) }
        changes = Array(repeating: [Change(at: .zero, look: .off)], count: names.count * names.count)
        dialPeers = Array(repeating: [:], count: names.count)
    }

    /// Takes the answer before time passes beyond the question's instant.
    func timePasses(to next: Instant, in world: World) {
        guard answer == nil, let question, question.at < next else { return }
        answer = PairState(question, at: question.at, in: world)
    }

    /// Takes the answer if the run ended before the question's instant.
    func end(_ world: World) {
        guard answer == nil, let question else { return }
        answer = PairState(question, at: min(question.at, world.now), in: world)
    }

    /// Notes how each node sees each other node. A node's entry for itself is never a link: it shows whether the node
    /// ran when it was last looked at.
    func look(at world: World) {
        for observer in names.indices {
            let process = world.process(of: observer)
            guard case .running = process else {
                let look: Look = if case .paused = process { .paused } else { .off }
                for peer in names.indices { note(look, of: observer, at: peer, now: world.now) }
                continue
            }
            if changes[observer * names.count + observer].last?.look != .unknown {
                for peer in names.indices { note(.unknown, of: observer, at: peer, now: world.now) }
            }
            world.visitLinks(of: observer) { peer, state, path in
                note(Look(state, path: path), of: observer, at: peer, now: world.now)
            }
        }
    }

    private func note(_ look: Look, of observer: Int, at peer: Int, now: Instant) {
        let index = observer * names.count + peer
        guard let last = changes[index].last, last.look != look else { return }
        // Only the last of several looks at one instant counts.
        if last.at == now, 1 < changes[index].count { changes[index].removeLast() }
        if changes[index].last?.look != look { changes[index].append(Change(at: now, look: look)) }
    }

    func note(_ fault: Fault, in world: World) {
        if case .start(let node) = fault, world.isOff(node) { dialPeers[node] = [:] }
        // A partition is drawn for any number of nodes, so it may name nodes that this world does not have.
        let text = fault.text { names.indices.contains($0) ? names[$0] : "" }
        add(.fault, node: nil, peer: nil, text, world)
    }

    func dialled(_ dial: DialID, to endpoint: Endpoint, for peer: Int?, by node: Int, in world: World) {
        dialled(dial, "dials \(endpoint)", for: peer, by: node, in: world)
    }

    func dialledThroughNeighbour(_ dial: DialID, for peer: Int?, by node: Int, in world: World) {
        dialled(dial, "dials through a neighbour", for: peer, by: node, in: world)
    }

    private func dialled(_ dial: DialID, _ text: String, for peer: Int?, by node: Int, in world: World) {
        if let peer { dialPeers[node][dial.number] = peer }
        add(.dial, node: node, peer: peer, dial: dial.number, text, world)
    }

    func note(_ input: MeshInput, at node: Int, in world: World) {
        switch input {
        case .carrierOpened(let carrier, let peer, let dial, let remote):
            let how = dial == nil ? "accepted" : "dialled"
            add(
                .carrierOpened, node: node, peer: world.number(of: peer), dial: dial?.number,
                "carrier \(carrier.number) opens to \(remote), \(how)", world)
        case .tunnelledCarrierOpened(let carrier, let peer, _):
            add(
                .carrierOpened, node: node, peer: world.number(of: peer),
                dial: world.dial(of: carrier, at: node)?.number,
                "carrier \(carrier.number) opens in a tunnel", world)
        case .carrierClosed(let carrier, let end):
            let peer = world.carriers.peer(of: carrier) ?? world.farEnd(of: carrier, at: node)
            add(.carrierClosed, node: node, peer: peer, "carrier \(carrier.number) ends: \(end)", world)
        case .dialFailed(let dial, let failure):
            add(
                .dialFailed, node: node, peer: dialPeers[node][dial.number], dial: dial.number,
                "dial failed: \(failure)", world)
        default:
            break
        }
    }

    func negotiated(_ step: String, with peer: Int?, by node: Int, in world: World) {
        add(.negotiation, node: node, peer: peer, "sends \(step)", world)
    }

    func note(_ event: MeshEvent, at node: Int, in world: World) {
        guard let text = Transcript.text(of: event, in: world) else { return }
        add(.event, node: node, peer: event.peer.flatMap { world.number(of: $0) }, text, world)
    }

    private func add(
        _ kind: Note.Kind, node: Int?, peer: Int?, dial: UInt64? = nil, _ text: String, _ world: World
    ) {
        notes.append(Note(at: world.now, kind: kind, node: node, peer: peer, dial: dial, text: text))
    }
}

extension MeshEvent {
    /// The peer that the event is about; nil if it is about none.
    fileprivate var peer: NodeID? {
        switch self {
        case .peerUp(_, let peer, _, _), .pathChanged(_, let peer, _, _), .peerVerifying(_, let peer),
            .peerDown(_, let peer, _, _), .peerChannels(_, let peer, _), .peerTalking(_, let peer, _),
            .peerRecording(_, let peer, _),
            .peerAdvanced(_, let peer, _), .ghostDropped(let peer, _), .holeRepaired(let peer),
            .quarantined(let peer, _), .duplicateIdentity(let peer), .refused(let peer, _),
            .admissionAsked(let peer, _), .probeAnswered(_, let peer, _), .peerProfile(let peer, _),
            .peerSuspected(let peer), .peerDead(let peer, _), .peerFlapping(let peer, _):
            peer
        default: nil
        }
    }
}
