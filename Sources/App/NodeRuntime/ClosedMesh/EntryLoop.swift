import Carrier
import Discovery
import Dispatch
import Mesh
import NIOCore
import Primitives
import SystemClock
import Trust
import TrustCrypto
import Wire

/// The node of `MeshEntry`: the mesh protocol as a newcomer, and the adapters that a search needs. It belongs to its
/// event loop.
final class EntryLoop: NodeInboxOwner, @unchecked Sendable {
    enum End: Sendable {
        case granted(MeshGrant, to: NodeID)
        case refused(RefusalCounts)
        case stopped
    }

    /// The nodes of a search without success, by the reasons of their refusals.
    struct RefusalCounts: Sendable {
        /// Nodes that showed another code.
        let wrongCode: Int
        /// Members without a code of this kind.
        let noProof: Int
        /// Nodes of open meshes.
        let otherMesh: Int
        /// Nodes that take no connections from here.
        let offLink: Int
        /// All nodes of closed meshes that were noticed or have answered.
        let found: Int
    }

    private let loop: any EventLoop
    private let inbox: NodeInbox<EntryLoop>
    private let carrier: CarrierService
    private let slowWork: DispatchQueue
    private let beacon: BeaconSocket?
    private let avahi: AvahiDiscovery?
    private let kind: CodeKind
    private var mesh: MeshNode
    private var onEnd: ((End) -> Void)?
    /// `stop` may come before `begin`.
    private var isStopped = false
    private var wakeUp = WakeUp()
    private var timeLimit: (timer: Scheduled<Void>, at: Instant)?
    private var refusing: [RefusalReason: Set<NodeID>] = [:]
    /// The addresses that the person has named.
    private let named: [GivenAddress]
    /// The nodes that have answered at these addresses.
    private var answering: [GivenAddress: NodeID] = [:]
    /// Whether the search ends early where every named node has refused.
    private let endsEarly: Bool
    /// The salts of members that announce themselves: one for each node.
    private var noticed: Set<[UInt8]> = []
    private var tells: @Sendable (EntryProgress) -> Void = { _ in }

    var isLeaving: Bool { onEnd == nil }

    /// - Throws: the error of `CryptoSealing` if the identity is no key.
    init(
        _ options: RunOptions, identity: [UInt8], instance: Instance, codeKey: [UInt8], kind: CodeKind,
        endsEarly: Bool, loop: any EventLoop, inbox: NodeInbox<EntryLoop>,
        carrier: CarrierService, slowWork: DispatchQueue
    ) throws {
        let sealing = try CryptoSealing(privateKey: identity, randomBytes: OSRandom.bytes(count:))
        (self.loop, self.inbox, self.carrier, self.slowWork) = (loop, inbox, carrier, slowWork)
        self.kind = kind
        self.endsEarly = endsEarly
        named = options.peers
        var configuration = MeshConfiguration(
            mesh: options.mesh, profile: options.startProfile(), instance: instance,
            bootNonce: BootNonce(number: OSRandom.number()), port: ListenChoice.portDefault,
            interfaces: (NetworkInterface.current() ?? []).advertised(listen: nil), admissionPolicy: .open, blocked: [],
            reachablePrefixes: options.reach, staticPeers: options.peers.map(\.endpoint), channels: [],
            beaconEnabled: false)
        configuration.standing = .newcomer(codeKey: codeKey, by: kind)
        mesh = MeshNode(configuration, sealing: sealing, seed: OSRandom.number(), now: .monotonicNow())
        beacon =
            options.discovery.usesBeacon
            ? BeaconSocket(loop: loop) { bytes, source in
                inbox.deliverIfOpen { $0.arrivedBeacon(bytes, from: source) }
            } : nil
        avahi =
            options.discovery.usesAvahi
            ? AvahiDiscovery(loop: loop) { service in inbox.deliverHint { $0.arrived(service) } } : nil
    }

    /// Starts the search. `onEnd` is called once, and `tells` before it, as often as more is known.
    func begin(
        within limit: Interval, tells: @escaping @Sendable (EntryProgress) -> Void, _ onEnd: @escaping (End) -> Void
    ) {
        loop.preconditionInEventLoop()
        self.onEnd = onEnd
        self.tells = tells
        guard !isStopped else { return finish(.stopped) }
        // A node that the person has not named may be of another mesh, so its other code does not shorten the search.
        // The right mesh may need time: a mesh in which nothing changes sends a beacon about every 30 s.
        limitTime(until: .monotonicNow() + limit)
        // The mesh has outputs from the moment it was made, and the watcher reports the interfaces at once.
        performOutputs()
        inbox.watcher = InterfaceWatcher(loop: loop) { [weak self] interfaces in self?.interfacesChanged(interfaces) }
        inbox.open(self)
    }

    /// Ends the search before its time.
    func stop() {
        loop.preconditionInEventLoop()
        isStopped = true
        finish(.stopped)
    }

    func arrived(_ event: CarrierEvent) {
        switch event {
        case .opened(let carrier, let peer, let dial, let remote):
            if let address = named.first(where: { $0.present() == remote }) { answering[address] = peer }
            feed(.carrierOpened(carrier, peer: peer, dial: dial, remote: remote))
        case .frame(let carrier, let frame): feed(.carrierFrame(carrier, frame))
        case .closed(let carrier, let reason): feed(.carrierClosed(carrier, CarrierEnd(reason)))
        case .dialFailed(let dial, let failure): feed(.dialFailed(dial, DialFailure(failure)))
        // A tunnel needs a neighbour, and a newcomer has none.
        case .openedThrough, .tunnelPiece, .tunnelTook, .tunnelFinished: break
        }
    }

    /// This node looks for a closed mesh, so it ignores services of open ones.
    private func arrived(_ service: DiscoveredService) {
        guard let sealed = service.sealed else { return }
        notice(sealed.salt)
        feed(.serviceFound(sealed, at: [service.endpoint]))
    }

    private func arrivedBeacon(_ bytes: [UInt8], from source: Endpoint) {
        if let beacon = try? SealedBeacon(parsing: bytes) { notice(beacon.salt) }
        feed(.beacon(bytes, from: source))
    }

    private func notice(_ salt: [UInt8]) {
        guard !isLeaving, noticed.count < EntryLimits.countedNodesMax, noticed.insert(salt).inserted else { return }
        tells(progress)
    }

    private func interfacesChanged(_ interfaces: [NetworkInterface]) {
        carrier.setNetworks(interfaces.localNetworks)
        beacon?.update(interfaces)
        feed(.addressesChanged(interfaces.advertised(listen: nil)))
    }

    private func feed(_ input: MeshInput) {
        guard !isLeaving else { return }
        mesh.handle(input, now: .monotonicNow())
        performOutputs()
    }

    private func performOutputs() {
        while !isLeaving, let output = mesh.nextOutput() { interpret(output) }
        if !isLeaving { rearm() }
    }

    private func interpret(_ output: MeshOutput) {
        switch output {
        case .dial(let dial, let endpoint, let peer): carrier.dial(dial, named.target(of: endpoint), expecting: peer)
        case .cancelDial(let dial): carrier.cancelDial(dial)
        case .carrierSend(let id, let frame): carrier.send(frame, on: id)
        case .carrierClose(let id): carrier.close(id)
        case .carrierAdmitFrame(let id): carrier.admitFrame(id)
        case .proveCode(let id, let task):
            slowWork.async {
                let result = task.result(with: SodiumCode())
                self.loop.execute { self.feed(.codeProved(id, result)) }
            }
        case .enteredMesh(let grant): finish(.granted(grant, to: mesh.node))
        case .event(.refused(let node, let reason)): count(node, reason)
        // A newcomer has no session and no neighbour, and it announces nothing.
        case .send, .dialThrough, .acceptThrough, .tunnelBytes, .tunnelReady, .tunnelClose, .carrierSendVoice,
            .carrierTrust, .sendBeacon, .announce, .announceSealed, .voice, .peerMediaClock, .peerReport,
            .peerTakesPlain, .sessionBegan, .table, .tableDigests, .call, .channelJoin, .peerListens,
            .channelsAdvertised, .peerHoldsChannels, .event, .advanceInstance, .storeMesh, .remember:
            break
        }
    }

    private func count(_ node: NodeID, _ reason: RefusalReason) {
        guard [.wrongCode, .noProof, .otherMesh, .coolingDown, .offLink].contains(reason),
            refusing[reason, default: []].count < EntryLimits.countedNodesMax
        else { return }
        if reason == .wrongCode, kind == .pairing, refusing[.wrongCode] == nil { shorten() }
        guard refusing[reason, default: []].insert(node).inserted else { return }
        tells(progress)
        if endsEarly, haveNamedRefused { shorten() }
    }

    /// Whether each node that the person has named has another code, or takes no connections from here.
    private var haveNamedRefused: Bool {
        guard kind == .mesh, !named.isEmpty else { return false }
        let refused = refusing[.wrongCode, default: []].union(refusing[.offLink, default: []])
        return named.allSatisfy { answering[$0].map(refused.contains) ?? false }
    }

    /// A node that was noticed may be one that has answered, so the greater of both numbers counts.
    private var progress: EntryProgress {
        let closed = refusing.filter { $0.key != .otherMesh && $0.key != .offLink }
        let answered = closed.values.reduce(into: Set<NodeID>()) { $0.formUnion($1) }
        var progress = EntryProgress()
        progress.foundCount = max(noticed.count, answered.count)
        progress.otherCodeCount = refusing[.wrongCode]?.count ?? 0
        return progress
    }

    /// Ends the search soon. The person has most likely mistyped the code, or must name another node, and should not
    /// wait.
    private func shorten() {
        let canFindMore = kind == .pairing || beacon != nil || avahi != nil
        let end = Instant.monotonicNow() + (canFindMore ? EntryLimits.afterRefusal : .zero)
        if let timeLimit, end < timeLimit.at { limitTime(until: end) }
    }

    // MARK: Time

    private func limitTime(until end: Instant) {
        timeLimit?.timer.cancel()
        let timer = loop.scheduleTask(in: .nanoseconds((end - .monotonicNow()).nanoseconds)) { self.giveUp() }
        timeLimit = (timer, end)
    }

    private func giveUp() {
        func count(_ reason: RefusalReason) -> Int { refusing[reason]?.count ?? 0 }
        finish(
            .refused(
                RefusalCounts(
                    wrongCode: count(.wrongCode), noProof: count(.noProof), otherMesh: count(.otherMesh),
                    offLink: count(.offLink), found: progress.foundCount)))
    }

    private func finish(_ end: End) {
        guard let onEnd else { return }
        self.onEnd = nil
        timeLimit?.timer.cancel()
        timeLimit = nil
        wakeUp.cancel()
        beacon?.close()
        inbox.close()
        guard let avahi else { return onEnd(end) }
        let ended = NIOLoopBound(onEnd, eventLoop: loop)
        avahi.close().whenComplete { _ in ended.value(end) }
    }

    private func rearm() {
        wakeUp.set(for: mesh.nextDeadline?.at ?? .distantFuture, on: loop) {
            self.wakeUp.forget()
            self.feed(.deadline)
        }
    }
}
