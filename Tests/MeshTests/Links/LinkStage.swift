import Mesh
import MeshTestKit
import Primitives
import Testing
import Trust
import Wire

/// One node on exact time, and every word that it says. Its peers are puppets: the test moves them.
final class LinkStage {
    private(set) var node: MeshNode
    private(set) var now = Instant.zero + .seconds(1_000)
    private(set) var sent: [(at: Instant, carrier: UInt64, message: CarrierMessage)] = []
    private(set) var closed: [UInt64] = []
    private(set) var events: [MeshEvent] = []
    private(set) var dials: [(at: Instant, id: DialID, endpoint: Endpoint)] = []
    private(set) var cancelled: [DialID] = []
    private(set) var outgoing: [(at: Instant, to: Endpoint, bytes: [UInt8])] = []
    private(set) var plainTold: [Bool] = []
    private(set) var raises: [Instance] = []
    private(set) var remembered: [(node: NodeID, endpoints: [Endpoint])] = []
    private(set) var voices: [[UInt8]] = []
    /// What happens to a dial; by default nobody answers.
    var onDial: (DialID, Endpoint) -> Void = { _, _ in }
    let configuration: MeshConfiguration
    let sealing = TransparentSealing(seed: 1)
    private var puppets: [LinkPuppet] = []
    private var waiting: [() -> Void] = []
    private var isHandling = false

    init(
        instance: UInt64 = 1, invitations: InvitationPolicy = .open, blocked: [LinkPuppet] = [],
        staticPeers: [Endpoint] = [], suspicion: SuspicionPolicy = .standard
    ) {
        var configuration = MeshCluster.configuration(
            index: 0, seed: 1, invitations: invitations, instance: instance,
            blocked: blocked.map(\.id), staticPeers: staticPeers)
        configuration.suspicion = suspicion
        self.configuration = configuration
        node = MeshNode(configuration, sealing: sealing, seed: 1, now: now)
        drain()
    }

    // MARK: Peers

    /// A peer that this node leads, or follows: the greater NodeID leads.
    func puppet(_ side: LinkSide, _ place: Int = 0) -> LinkPuppet {
        let puppet = LinkPuppet(seed: LinkStage.seed(side, place), side: side)
        puppet.stage = self
        puppets.append(puppet)
        return puppet
    }

    static func seed(_ side: LinkSide, _ place: Int = 0) -> UInt64 {
        let own = TransparentSealing(seed: 1).nodeID
        let fitting = (2...).lazy.filter { (TransparentSealing(seed: $0).nodeID < own) == (side == .leads) }
        return Array(fitting.prefix(place + 1))[place]
    }

    // MARK: What happens

    func input(_ input: MeshInput) {
        waiting.append { [unowned self] in
            node.handle(input, now: now)
            drain()
        }
        guard !isHandling else { return }
        isHandling = true
        while !waiting.isEmpty { waiting.removeFirst()() }
        isHandling = false
    }

    func frame(_ message: CarrierMessage, on carrier: UInt64) { bytes(message.encoded(), on: carrier) }

    func bytes(_ bytes: [UInt8], on carrier: UInt64) { input(.carrierFrame(CarrierID(number: carrier), bytes)) }

    func close(_ carrier: UInt64, _ end: CarrierEnd = .reset) {
        input(.carrierClosed(CarrierID(number: carrier), end))
    }

    func command(_ command: MeshCommand) { input(.command(command)) }

    /// Time passes, and every deadline is kept.
    func pass(_ interval: Interval) {
        let end = now + interval
        var count = 0
        while let deadline = node.nextDeadline, deadline.at <= end {
            now = max(now, deadline.at)
            input(.deadline)
            count += 1
            guard count < 20_000 else {
                Issue.record("a deadline that is never over: \(deadline)")
                break
            }
        }
        now = end
    }

    /// Time stops just before the end of `interval`; `tick` is the rest.
    func passAlmost(_ interval: Interval) { pass(interval - Interval(nanoseconds: 1)) }

    func tick() { pass(Interval(nanoseconds: 1)) }

    /// The clock alone moves on: what is due has yet to be handled.
    func jump(_ interval: Interval) { now += interval }

    /// A long test keeps no record of what was said.
    func forget() { (sent, closed, events, outgoing, remembered) = ([], [], [], [], []) }

    private func drain() {
        while let output = node.nextOutput() {
            switch output {
            case .carrierSend(let carrier, let bytes):
                let message = try? CarrierMessage(parsing: bytes, isBeforeHello: false)
                if let message { take(message, on: carrier.number) }
            case .carrierSendVoice(let carrier, let bytes):
                if case .datagram(let inner)? = try? CarrierMessage(parsing: bytes, isBeforeHello: false) {
                    for puppet in puppets { waiting.append { puppet.hear(inner, on: carrier.number) } }
                }
            case .carrierClose(let carrier): closed.append(carrier.number)
            case .event(let event): events.append(event)
            case .dial(let id, let endpoint, _):
                dials.append((now, id, endpoint))
                waiting.append { [unowned self] in onDial(id, endpoint) }
            case .cancelDial(let id): cancelled.append(id)
            case .send(let bytes, let endpoint):
                outgoing.append((now, endpoint, bytes))
                for puppet in puppets where puppet.endpoint == endpoint { waiting.append { puppet.hear(bytes) } }
            case .advanceInstance(let instance): raises.append(instance)
            case .remember(let node, _, let endpoints): remembered.append((node, endpoints))
            case .voice(let payload, _): voices.append(payload)
            case .peerTakesPlain(let takesPlain, _): plainTold.append(takesPlain)
            default: break
            }
        }
    }

    private func take(_ message: CarrierMessage, on carrier: UInt64) {
        sent.append((now, carrier, message))
        if case .hello(let hello) = message { nonces[carrier] = hello.nonce }
    }

    // MARK: What can be seen

    /// When the node wants to be woken.
    var due: Instant? { node.nextDeadline?.at }

    /// Of the own HELLO on each carrier.
    private(set) var nonces: [UInt64: [UInt8]] = [:]

    func messages(on carrier: UInt64) -> [CarrierMessage] { sent.filter { $0.carrier == carrier }.map(\.message) }

    func isClosed(_ carrier: UInt64) -> Bool { closed.contains(carrier) }

    func counter(_ name: MeshCounter) -> UInt64 { node.counted([name]) }

    func peer(_ puppet: LinkPuppet) -> PeerStatus? { node.status(now: now).peers.first { $0.node == puppet.id } }

    func state(_ puppet: LinkPuppet) -> PeerStatus.State? { peer(puppet)?.state }

    func link(_ puppet: LinkPuppet) -> PeerSnapshot.Link? { node.peerSnapshot(into: puppet.id, now: now).link }

    /// From now until the next attempt.
    func wait(for puppet: LinkPuppet) -> Interval? { peer(puppet)?.retryAt.map { $0 - now } }

    /// The last REFUSE or DECLINE on a carrier: its reason, and the wait that it asks for.
    func refusal(on carrier: UInt64) -> Refusal? {
        for message in messages(on: carrier).reversed() {
            if case .refuse(let reason, let milliseconds) = message { return Refusal(reason, milliseconds) }
            if case .decline(let reason) = message { return Refusal(reason, nil) }
        }
        return nil
    }

    func invites(on carrier: UInt64) -> [Invite] {
        messages(on: carrier).compactMap { if case .invite(let invite) = $0 { invite } else { nil } }
    }

    func accepts(on carrier: UInt64) -> [Accept] {
        messages(on: carrier).compactMap { if case .accept(let accept) = $0 { accept } else { nil } }
    }

    struct Refusal: Equatable {
        var reason: RefusalReason
        /// Nil of a DECLINE, which names no time.
        var milliseconds: UInt32?

        init(_ reason: RefusalReason, _ milliseconds: UInt32?) {
            (self.reason, self.milliseconds) = (reason, milliseconds)
        }
    }
}

/// Which part the node on the stage has with a peer.
enum LinkSide: CaseIterable { case leads, follows }
