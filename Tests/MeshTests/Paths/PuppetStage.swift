import Mesh
import MeshTestKit
import Primitives
import TestKit
import Testing
import Trust
import Wire

/// One node, and peers that the test plays. The test decides each datagram and each instant. Nothing is lost or late by
/// itself, and the stage takes the outputs after each input.
final class PuppetStage {
    private(set) var node: MeshNode
    var now = Instant.zero + .seconds(100)
    private(set) var puppets: [Puppet] = []
    private(set) var outputs: [(at: Instant, output: MeshOutput)] = []
    /// Actions of puppets that follow when the node's outputs have been taken.
    private var postponed: [() -> Void] = []

    init(_ change: (inout MeshConfiguration) -> Void = { _ in }) {
        var configuration = MeshCluster.configuration(index: 0, seed: 1)
        change(&configuration)
        node = MeshNode(configuration, sealing: TransparentSealing(seed: 1), seed: 7, now: now)
        drain()
    }

    static let home = Endpoint(address: IPAddress(v4: 10, 0, 0, 1), port: 7400)

    static func interface(
        _ address: IPAddress, _ medium: InterfaceAddress.Medium = .wired, length: Int = 24, isAdvertised: Bool = true,
        index: UInt32 = 2
    ) -> InterfaceAddress {
        InterfaceAddress(
            interfaceIndex: index, prefix: AddressPrefix(address: address, length: length), medium: medium,
            isAdvertised: isAdvertised)
    }

    /// A peer that leads or follows the node. Its carrier has a HELLO, and the pair has agreed on keys.
    func agree(
        leads: Bool = false, remote: IPAddress? = nil, scope: UInt32 = 0, endpoints: [Endpoint] = []
    ) -> Puppet {
        let own = TransparentSealing(seed: 1).nodeID
        var seed = (puppets.map(\.seed).max() ?? 1) + 1
        while (own < TransparentSealing(seed: seed).nodeID) != leads { seed += 1 }
        let puppet = Puppet(
            seed: seed, leads: leads, place: puppets.count, remote: remote, scope: scope, endpoints: endpoints)
        puppets.append(puppet)
        puppet.stage = self
        open(puppet)
        return puppet
    }

    /// The same over a further carrier of a known peer.
    func open(_ puppet: Puppet) {
        puppet.carrier = CarrierID(number: puppet.carrier.number + 100)
        input(
            .carrierOpened(
                puppet.carrier, peer: puppet.id, dial: nil,
                remote: Endpoint(address: puppet.home.address, port: 40_000, scope: puppet.home.scope)))
    }

    /// The same, with a first echo that brings the link up.
    func link(
        leads: Bool = false, remote: IPAddress? = nil, scope: UInt32 = 0, endpoints: [Endpoint] = []
    ) -> Puppet {
        let puppet = agree(leads: leads, remote: remote, scope: scope, endpoints: endpoints)
        puppet.send(.control())
        precondition(puppet.status?.state == .up, "an echo makes a link")
        return puppet
    }

    func input(_ input: MeshInput) {
        node.handle(input, now: now)
        drain()
    }

    /// Handles every deadline in time, to the nanosecond.
    func pass(_ interval: Interval) {
        let end = now + interval
        while let deadline = nextDeadline, deadline.at <= end {
            now = max(now, deadline.at)
            input(.deadline)
        }
        now = end
    }

    var events: [MeshEvent] {
        outputs.compactMap { if case .event(let event) = $0.output { event } else { nil } }
    }

    /// Outputs of the node since `body` began.
    func outputs(of body: () -> Void) -> [MeshOutput] {
        let before = outputs.count
        body()
        return outputs.dropFirst(before).map(\.output)
    }

    var nextDeadline: MeshDeadline? { node.nextDeadline }
    func counter(_ name: MeshCounter) -> UInt64 { node.counted([name]) }

    private func drain() {
        while let output = node.nextOutput() {
            outputs.append((now, output))
            switch output {
            case .send(let bytes, let endpoint): deliver(bytes, by: .address(endpoint))
            case .carrierSendVoice(let carrier, let frame), .carrierSend(let carrier, let frame):
                guard let puppet = puppets.first(where: { $0.carrier == carrier }),
                    let message = try? CarrierMessage(parsing: frame, isBeforeHello: false)
                else { continue }
                if case .datagram(let bytes) = message { deliver(bytes, by: .carrier) } else { puppet.take(message) }
            default: break
            }
        }
        guard !postponed.isEmpty else { return }
        postponed.removeFirst()()
        drain()
    }

    fileprivate func postpone(_ action: @escaping () -> Void) { postponed.append(action) }

    private func deliver(_ bytes: [UInt8], by route: Puppet.Way) {
        guard let datagram = try? SealedDatagram(parsing: bytes),
            let puppet = puppets.first(where: { $0.keyID == datagram.header.keyID }),
            let body = puppet.open(datagram)
        else { return }
        puppet.inbox.append((now, route, body, bytes.count))
        if let relayed = body.relayed, case .toward = relayed.leg { deliver(relayed.datagram, by: .neighbour(puppet)) }
        if let control = body.control, puppet.answers(route) {
            postpone { puppet.send(.control(echo: control.sequence), by: route) }
        }
    }

    func say(_ message: CarrierMessage, of puppet: Puppet) {
        input(.carrierFrame(puppet.carrier, message.encoded()))
    }
}

/// A peer that acts only for the test.
final class Puppet {
    /// The path of a datagram: from or to an address, inside the carrier, through another puppet.
    enum Way {
        case address(Endpoint)
        case carrier
        case neighbour(Puppet)

        var isCarrier: Bool { if case .carrier = self { true } else { false } }
        var endpoint: Endpoint? { if case .address(let endpoint) = self { endpoint } else { nil } }
        var neighbour: Puppet? { if case .neighbour(let puppet) = self { puppet } else { nil } }
    }

    let seed: UInt64
    let leads: Bool
    let home: Endpoint
    let id: NodeID
    let keyID: UInt32
    fileprivate(set) var carrier: CarrierID
    fileprivate weak var stage: PuppetStage!
    private let sealing: TransparentSealing
    private let record: SignedRecord
    private var media: MediaSession?
    private var hello: Hello?
    private var attempt: UInt32 = 0
    /// The number of the next control block.
    var sequence: UInt32 = 1_000
    /// The digest of its records.
    var digest: UInt32?
    /// The node's views that it holds.
    private var held = HeldGenerations()
    private var advertised = HeldGenerations()
    /// Whether it echoes a control block that came over this path at once.
    var answers: (Way) -> Bool = { _ in false }
    var inbox: [(at: Instant, route: Way, body: DatagramBody, size: Int)] = []
    private(set) var frames: [CarrierMessage] = []

    fileprivate init(
        seed: UInt64, leads: Bool, place: Int, remote: IPAddress?, scope: UInt32, endpoints: [Endpoint]
    ) {
        (self.seed, self.leads) = (seed, leads)
        home = Endpoint(address: remote ?? IPAddress(v4: 10, 0, 0, UInt8(place + 10)), port: 7400, scope: scope)
        carrier = CarrierID(number: UInt64(place + 1))
        keyID = UInt32(place + 1)
        sealing = TransparentSealing(seed: seed)
        id = sealing.nodeID
        let record = NodeRecord(
            node: id, instance: Instance(exactly: 1)!, bootNonce: BootNonce(number: seed), sequence: 1,
            endpoints: endpoints, profile: NodeProfile(name: SafeText("puppet")), isLeaving: false)
        self.record = SignedRecord(signing: record, with: sealing)
    }

    // MARK: What the node knows of it

    var status: PeerStatus? { link?.status }
    var link: PeerSnapshot.Link? { stage.node.peerSnapshot(of: id, now: stage.now).link }
    var slot: PeerSlot { status!.slot! }
    func path(_ route: PathRoute) -> Path? { link?.paths.first { $0.route == route } }
    var chosenPath: Path? { link.flatMap { link in link.chosenPath.map { link.paths[$0] } } }

    /// Control blocks that the node has sent to it.
    var blocks: [(at: Instant, route: Way, block: ControlBlock)] {
        inbox.compactMap { entry in entry.body.control.map { (entry.at, entry.route, $0) } }
    }

    // MARK: What it sends

    struct Words {
        var control: ControlBlock?
        var body = DatagramBody()

        /// - Parameter echo: nil for the newest block that came; 0 for none.
        static func control(
            echo: UInt32? = nil, delay: UInt32 = 0, flags: ControlFlags = [], sampleTime: UInt32 = 0,
            report: ReceptionReport? = nil
        ) -> Words {
            Words(
                control: ControlBlock(
                    sequence: 0, echo: echo, echoDelayMicroseconds: delay, digest: 0, held: HeldGenerations(),
                    sampleTime: SampleTime(samples: sampleTime), report: report, flags: flags))
        }

        static func voice(_ bytes: [UInt8]) -> Words { Words(body: DatagramBody(voice: bytes)) }
        static func body(_ body: DatagramBody) -> Words { Words(body: body) }
    }

    func seal(_ words: Words) -> [UInt8] {
        var body = words.body
        if var control = words.control {
            control.sequence = sequence
            sequence &+= 1
            control.digest = digest ?? stage.node.summary.digest
            control.held = held
            control.echo = control.echo == 0 ? nil : control.echo ?? blocks.last?.block.sequence
            body.control = control
        }
        return seal(body.encoded())
    }

    func seal(_ plaintext: [UInt8]) -> [UInt8] { media!.seal(plaintext)! }

    /// Sends from its own address if no path is named.
    func send(_ words: Words, by route: Way? = nil) { deliver(seal(words), by: route ?? .address(home)) }

    func deliver(_ bytes: [UInt8], by route: Way) {
        switch route {
        case .address(let endpoint): stage.input(.datagram(bytes, from: endpoint))
        case .carrier: stage.say(.datagram(bytes), of: self)
        case .neighbour(let other): other.send(.body(DatagramBody(relayed: RelayedDatagram(.from(id), bytes))))
        }
    }

    /// Its link states: direct links to these peers.
    func advertiseLinks(_ peers: [Puppet], path: PathKind = .direct) {
        let entries = peers.map {
            AdvertisedLink(peer: $0.id, instance: Instance(exactly: 1)!, path: path, rttClass: 0, lossClass: 0)
        }
        stage.say(advertised.next(entries), of: self)
    }

    func closeCarrier(_ end: CarrierEnd = .reset) { stage.input(.carrierClosed(carrier, end)) }

    fileprivate func open(_ datagram: SealedDatagram) -> DatagramBody? {
        guard let opened = try? media?.open(datagram, now: stage.now) else { return nil }
        return try? DatagramBody(parsing: opened.body)
    }

    // MARK: The handshake (docs/WIRE.md, "Carrier frames")

    fileprivate func take(_ message: CarrierMessage) {
        frames.append(message)
        held.hold(message)
        let stage = stage!
        switch message {
        case .hello(let hello): greet(hello, stage)
        case .invite(let invite): accept(invite, stage)
        case .accept(let accept):
            _ = media!.install(peer: accept.keys, now: stage.now)
            media!.startSending(generation: 1, now: stage.now)
            later(.mediaKeyConfirm(generation: 1), stage)
        default: break
        }
    }

    private func later(_ message: CarrierMessage, _ stage: PuppetStage) {
        stage.postpone { stage.say(message, of: self) }
    }

    private func greet(_ hello: Hello, _ stage: PuppetStage) {
        self.hello = hello
        later(TestProof.open(), stage)
        later(
            .hello(
                Hello(
                    versionMin: WireLimits.version, versionMax: WireLimits.version, mesh: hello.mesh,
                    meshID: hello.meshID, record: record, yourRecord: nil,
                    nonce: [UInt8](repeating: 9, count: 32), bootNonce: BootNonce(number: seed), mediaPort: home.port,
                    yourInstanceSeen: nil)), stage)
        guard leads else { return }
        attempt += 1
        media = MediaSession(context: context(hello), sealing: sealing)
        let offer = media!.makeOffer(generation: 1, keyID: keyID)
        later(.invite(Invite(attempt: attempt, nonceEcho: hello.nonce, keys: offer)), stage)
    }

    private func accept(_ invite: Invite, _ stage: PuppetStage) {
        attempt = invite.attempt
        media = MediaSession(context: context(hello!), sealing: sealing)
        let offer = media!.makeOffer(generation: 1, keyID: keyID)
        _ = media!.install(peer: invite.keys, now: stage.now)
        media!.startSending(generation: 1, now: stage.now)
        later(.accept(Accept(attempt: attempt, nonceEcho: hello!.nonce, keys: offer)), stage)
    }

    private func context(_ hello: Hello) -> SessionContext {
        let own = TransparentSealing(seed: 1).nodeID
        let one = Instance(exactly: 1)!
        let nodeNonce = TestProof.lastNonce(among: frames)
        let boot = BootNonce(number: seed)
        return SessionContext(
            leader: leads ? id : own, follower: leads ? own : id,
            link: LinkID(leaderInstance: one, followerInstance: one, attempt: attempt),
            leaderBoot: leads ? boot : hello.bootNonce, followerBoot: leads ? hello.bootNonce : boot,
            nonces: TestProof.nonce + nodeNonce, isLeader: leads)
    }
}
