import Mesh
import Primitives
import Wire

/// The protocol that the project grew from, taken at its word, to be measured beside ours in the same world.
///
/// The greater NodeID invites, the other waits. Heartbeats every 10 s list whom the sender is connected to; whoever
/// is missing is invited. Failures wait `min(0.5·2^(f−1), 30)` s, five in a row restart everything. An instance lower
/// than the latest is a ghost. Nothing but the transport notices a death.
///
/// Where the description is silent, the kinder reading is taken: an address that refuses is forgotten (its advert was
/// withdrawn), adverts of a vanished machine end after two minutes, a restart forgets the failures too, a list of
/// nodes comes with their addresses.
struct BaselineNode {
    let node: NodeID
    let instance: Instance
    private(set) var restartCount = 0

    private var endpoint: Endpoint
    private let bootNonce: BootNonce
    /// A peer's place is its slot.
    private var peers: [BaselinePeer] = []
    private var outputs: [MeshOutput] = []
    private var nextOutputIndex = 0
    private var dialCount: UInt64 = 0
    private var advertisesAt: Instant
    private var heartbeatAt: Instant
    private var hasLeft = false

    init(node: NodeID, instance: Instance, bootNonce: BootNonce, endpoint: Endpoint, now: Instant) {
        self.node = node
        self.instance = instance
        self.bootNonce = bootNonce
        self.endpoint = endpoint
        advertisesAt = now + BaselineLimits.advertiseDelay
        heartbeatAt = now + BaselineLimits.heartbeatInterval
    }

    // MARK: The door, as Core's

    mutating func handle(_ input: MeshInput, now: Instant) {
        guard !hasLeft else { return }
        switch input {
        case .deadline: runDeadlines(now: now)
        case .discovered(let hint): discover(hint, now: now)
        case .carrierOpened(let carrier, let peer, let dial, let remote):
            open(carrier, of: peer, at: remote.address, dial: dial, now: now)
        case .carrierFrame(let carrier, let bytes): receive(bytes, on: carrier, now: now)
        case .carrierClosed(let carrier, _):
            if let index = peers.firstIndex(where: { $0.carrier == carrier }) {
                drop(index, .silent, now: now)
                fail(index, now: now)
            }
        case .dialFailed(let dial, let failure): endDial(dial, failure, now: now)
        case .addressesChanged(let interfaces):
            guard let address = interfaces.first?.prefix.address else { return }
            endpoint = Endpoint(address: address, port: endpoint.port)
            advertisesAt = now
        case .command(.leave): leave(now: now)
        case .datagram, .beacon, .voice, .receptionReport, .mediaClock, .talking, .resumed, .instanceRaised, .command,
            .tunnelledCarrierOpened, .tunnelSend, .tunnelTook, .tunnelFinished:
            return
        }
    }

    mutating func nextOutput() -> MeshOutput? {
        guard nextOutputIndex < outputs.count else {
            outputs.removeAll(keepingCapacity: true)
            nextOutputIndex = 0
            return nil
        }
        defer { nextOutputIndex += 1 }
        return outputs[nextOutputIndex]
    }

    var nextDeadline: MeshDeadline? {
        if hasLeft { return nil }
        var at = min(advertisesAt, heartbeatAt)
        for peer in peers { at = min(at, peer.retryAt, peer.greetsAt, peer.stableAt) }
        return MeshDeadline(at: at, reason: .retry)
    }

    private mutating func runDeadlines(now: Instant) {
        if advertisesAt <= now {
            advertisesAt = .distantFuture
            advertise()
        }
        if heartbeatAt <= now {
            heartbeatAt = now + BaselineLimits.heartbeatInterval
            sendHeartbeats()
        }
        for index in peers.indices {
            if peers[index].greetsAt <= now {
                peers[index].greetsAt = .distantFuture
                if let carrier = peers[index].carrier {
                    outputs.append(.carrierSend(carrier, BaselineMessage.handshake(instance).bytes))
                }
            }
            if peers[index].stableAt <= now {
                peers[index].stableAt = .distantFuture
                peers[index].failures = 0
            }
            if peers[index].retryAt <= now {
                peers[index].retryAt = .distantFuture
                invite(index, now: now)
            }
        }
    }

    // MARK: Discovery and invitation

    private mutating func advertise() {
        // The advert's text holds the instance; a simulated one has room for it in the scope alone.
        let advertised = Endpoint(
            address: endpoint.address, port: endpoint.port, scope: UInt32(truncatingIfNeeded: instance.number))
        outputs.append(
            .announce(
                NodeRecord(
                    node: node, instance: instance, bootNonce: bootNonce, sequence: 0, endpoints: [advertised],
                    name: SafeText(""), role: SafeText(""), colour: 0, isLeaving: false)))
    }

    private mutating func discover(_ hint: PeerHint, now: Instant) {
        guard let subject = hint.node, subject != node, let advertised = hint.endpoints.first,
            let index = index(of: subject, now: now)
        else { return }
        peers[index].endpoint = Endpoint(address: advertised.address, port: advertised.port)
        peers[index].advertEndsAt = now + BaselineLimits.advertLifetime
        if let latest = peers[index].latestInstance, latest.number < UInt64(advertised.scope) {
            // A new instance: a fresh start for it, and the old connection is a ghost.
            peers[index].cooldownUntil = now
            peers[index].failures = 0
            drop(index, .newerInstance, now: now)
        }
        seek(index, now: now)
    }

    /// Only the leader invites, after the cooldown.
    private mutating func seek(_ index: Int, now: Instant) {
        guard peers[index].node < node, peers[index].isIdle, peers[index].endpoint != nil else { return }
        if peers[index].cooldownUntil <= now {
            invite(index, now: now)
        } else {
            peers[index].retryAt = peers[index].cooldownUntil
        }
    }

    private mutating func invite(_ index: Int, now: Instant) {
        guard peers[index].isIdle, let target = peers[index].endpoint else { return }
        guard now < peers[index].advertEndsAt else {
            peers[index].endpoint = nil
            return
        }
        dialCount += 1
        let dial = DialID(number: dialCount)
        peers[index].link = .inviting(dial)
        outputs.append(.dial(dial, target, expecting: peers[index].node))
    }

    private mutating func open(
        _ carrier: CarrierID, of peer: NodeID, at address: IPAddress, dial: DialID?, now: Instant
    ) {
        guard let index = index(of: peer, now: now) else {
            outputs.append(.carrierClose(carrier))
            return
        }
        if let dial {
            guard case .inviting(let own) = peers[index].link, own == dial else {
                outputs.append(.carrierClose(carrier))
                return
            }
        } else {
            // Half-open fix: whoever invites us while we think that we are connected is believed.
            drop(index, .replaced, now: now)
            peers[index].endpoint = Endpoint(address: address, port: endpoint.port)
        }
        peers[index].link = .greeting(carrier)
        peers[index].retryAt = .distantFuture
        peers[index].greetsAt = now + BaselineLimits.handshakeDelay
    }

    private mutating func endDial(_ dial: DialID, _ failure: DialFailure, now: Instant) {
        let found = peers.firstIndex { peer in
            if case .inviting(let own) = peer.link { own == dial } else { false }
        }
        guard let index = found else { return }
        peers[index].link = .none
        if failure == .refused {
            peers[index].endpoint = nil
        } else {
            fail(index, now: now)
        }
    }

    // MARK: Messages

    private mutating func receive(_ bytes: [UInt8], on carrier: CarrierID, now: Instant) {
        guard let index = peers.firstIndex(where: { $0.carrier == carrier }), let message = BaselineMessage(bytes)
        else { return }
        switch message {
        case .handshake(let theirs):
            if let latest = peers[index].latestInstance, theirs < latest {
                outputs.append(.event(.ghostDropped(peers[index].node, theirs)))
                drop(index, .silent, now: now)
                return
            }
            peers[index].latestInstance = theirs
            guard !peers[index].isConnected else { return }
            peers[index].link = .connected(carrier, theirs, since: now)
            peers[index].stableAt = now + BaselineLimits.stableAfter
            outputs.append(
                .event(.peerUp(PeerSlot(index: index), peers[index].node, theirs, name: SafeText(""))))
        case .heartbeat(let theirs, let connected):
            guard theirs == peers[index].latestInstance else { return }
            for listed in connected where listed.node != node {
                guard let other = self.index(of: listed.node, now: now), peers[other].isIdle else { continue }
                peers[other].endpoint = listed.endpoint
                peers[other].advertEndsAt = now + BaselineLimits.advertLifetime
                seek(other, now: now)
            }
        }
    }

    private mutating func sendHeartbeats() {
        let connected = peers.filter(\.isConnected)
        let list = connected.compactMap { peer in
            peer.endpoint.map { BaselineMessage.Listed(node: peer.node, endpoint: $0) }
        }
        let bytes = BaselineMessage.heartbeat(instance, connected: list).bytes
        for peer in connected {
            if let carrier = peer.carrier { outputs.append(.carrierSend(carrier, bytes)) }
        }
    }

    // MARK: Failures

    private mutating func fail(_ index: Int, now: Instant) {
        peers[index].failures += 1
        guard peers[index].failures < BaselineLimits.failuresBeforeReset else {
            restartEverything(now: now)
            return
        }
        let doublings = Int64(1) << Int64(peers[index].failures - 1)
        let cooldown = min(BaselineLimits.cooldownFirst * doublings, BaselineLimits.cooldownMax)
        peers[index].cooldownUntil = now + cooldown
        seek(index, now: now)
    }

    /// "Poisoned state": a new peer identity, and every connection, cooldown and count is gone.
    private mutating func restartEverything(now: Instant) {
        restartCount += 1
        for index in peers.indices {
            if case .inviting(let dial) = peers[index].link {
                outputs.append(.cancelDial(dial))
                peers[index].link = .none
            }
            drop(index, .localLeave, now: now)
            peers[index].failures = 0
            peers[index].latestInstance = nil
            peers[index].cooldownUntil = now + BaselineLimits.advertiseDelay
            seek(index, now: now)
        }
        advertisesAt = now + BaselineLimits.advertiseDelay
    }

    /// Ends what there is with a peer; its place stays.
    private mutating func drop(_ index: Int, _ reason: DownReason, now: Instant) {
        if case .inviting(let dial) = peers[index].link { outputs.append(.cancelDial(dial)) }
        if let carrier = peers[index].carrier { outputs.append(.carrierClose(carrier)) }
        if case .connected(_, let instance, _) = peers[index].link {
            outputs.append(.event(.peerDown(PeerSlot(index: index), peers[index].node, instance, reason)))
            peers[index].advertEndsAt = now + BaselineLimits.advertLifetime
        }
        peers[index].link = .none
        peers[index].greetsAt = .distantFuture
        peers[index].stableAt = .distantFuture
    }

    private mutating func leave(now: Instant) {
        for index in peers.indices { drop(index, .localLeave, now: now) }
        hasLeft = true
    }

    private mutating func index(of peer: NodeID, now: Instant) -> Int? {
        if let index = peers.firstIndex(where: { $0.node == peer }) { return index }
        guard peers.count < MeshScale.peersMax else { return nil }
        peers.append(BaselinePeer(node: peer, now: now))
        return peers.count - 1
    }
}
