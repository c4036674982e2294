import Mesh
import MeshTestKit
import Primitives
import Testing
import Trust
import Wire

/// One node on virtual time, with a record of everything that it sends. Its peers are puppets that the test moves.
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
    private(set) var advances: [Instance] = []
    private(set) var remembered: [(node: NodeID, endpoints: [Endpoint])] = []
    private(set) var voices: [[UInt8]] = []
    /// The newest views that the node has sent on each carrier.
    private(set) var held: [UInt64: HeldGenerations] = [:]
    private var advertised = HeldGenerations()
    /// Called for each dial; by default nobody answers.
    var onDial: (DialID, Endpoint) -> Void = { _, _ in }
    let configuration: MeshConfiguration
    let sealing = TransparentSealing(seed: 1)
    private var puppets: [LinkPuppet] = []
    private var waiting: [() -> Void] = []
    private var isHandling = false

    init(
        instance: UInt64 = 1, admissionPolicy: AdmissionPolicy = .open, blocked: [LinkPuppet] = [],
        staticPeers: [Endpoint] = [], suspicion: SuspicionPolicy = .standard
    ) {
        var configuration = MeshCluster.configuration(
            index: 0, seed: 1, admissionPolicy: admissionPolicy, instance: instance,
            blocked: blocked.map(\.id), staticPeers: staticPeers)
        configuration.suspicion = suspicion
        self.configuration = configuration
        node = MeshNode(configuration, sealing: sealing, seed: 1, now: now)
        drain()
    }

    // MARK: Peers

    /// A peer that this node leads or follows. The node with the greater NodeID leads.
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

    // MARK: Inputs and time

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

    /// A peer sends other link states.
    func advertise(_ entries: [AdvertisedLink], on carrier: UInt64) { frame(advertised.next(entries), on: carrier) }

    /// A peer sends another channel list.
    func advertise(channels: [ChannelID], on carrier: UInt64) {
        frame(advertised.next(channels: channels), on: carrier)
    }

    func bytes(_ bytes: [UInt8], on carrier: UInt64) { input(.carrierFrame(CarrierID(number: carrier), bytes)) }

    func close(_ carrier: UInt64, _ end: CarrierEnd = .reset) {
        input(.carrierClosed(CarrierID(number: carrier), end))
    }

    /// From now on each dial fails at once, because nobody listens at the address.
    func refuseDials() { onDial = { [unowned self] dial, _ in input(.dialFailed(dial, .refused)) } }

    func command(_ command: MeshCommand) { input(.command(command)) }

    /// Time passes, and the node handles every deadline in time.
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

    /// Time stops one nanosecond before the end of `interval`; `tick` passes that nanosecond.
    func passAlmost(_ interval: Interval) { pass(interval - Interval(nanoseconds: 1)) }

    func tick() { pass(Interval(nanoseconds: 1)) }

    /// Only the clock moves; due deadlines are not handled yet.
    func jump(_ interval: Interval) { now += interval }

    /// Clears the record of outputs, for long tests.
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
            case .advanceInstance(let instance): advances.append(instance)
            case .remember(let node, _, let endpoints): remembered.append((node, endpoints))
            case .voice(let payload, _): voices.append(payload)
            case .peerTakesPlain(let takesPlain, _): plainTold.append(takesPlain)
            default: break
            }
        }
    }

    private func take(_ message: CarrierMessage, on carrier: UInt64) {
        sent.append((now, carrier, message))
        held[carrier, default: HeldGenerations()].hold(message)
        if case .hello(let hello) = message { nonces[carrier] = hello.nonce }
        if case .admission(.proof(let proof)) = message { proofNonces[carrier] = proof.nonce }
    }

    // MARK: Observations

    /// The node's next deadline.
    var due: Instant? { node.nextDeadline?.at }

    /// The nonce of the node's own HELLO on each carrier.
    private(set) var nonces: [UInt64: [UInt8]] = [:]
    /// The nonce of the node's PROOF on each carrier.
    private(set) var proofNonces: [UInt64: [UInt8]] = [:]

    func messages(on carrier: UInt64) -> [CarrierMessage] { sent.filter { $0.carrier == carrier }.map(\.message) }

    func isClosed(_ carrier: UInt64) -> Bool { closed.contains(carrier) }

    func counter(_ name: MeshCounter) -> UInt64 { node.counted([name]) }

    func peer(_ puppet: LinkPuppet) -> PeerStatus? { node.status(now: now).peers.first { $0.node == puppet.id } }

    func state(_ puppet: LinkPuppet) -> PeerStatus.State? { peer(puppet)?.state }

    func link(_ puppet: LinkPuppet) -> PeerSnapshot.Link? { node.peerSnapshot(of: puppet.id, now: now).link }

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
        /// Nil for a DECLINE, which names no time.
        var milliseconds: UInt32?

        init(_ reason: RefusalReason, _ milliseconds: UInt32?) {
            (self.reason, self.milliseconds) = (reason, milliseconds)
        }
    }
}

/// The role of the node under test towards a peer.
enum LinkSide: CaseIterable { case leads, follows }
