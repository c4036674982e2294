import Mesh
import MeshTestKit
import Primitives
import TestKit
import Trust
import Wire

/// A path on which a puppet and the node exchange datagrams.
enum ScriptedRoute: Hashable {
    case direct
    case carrier
    /// Inside datagrams of this neighbour.
    case through(NodeID)
}

/// A peer that sends only what a test asks for. It answers the handshake, the probes and new keys by itself.
final class ScriptedPeer {
    let sealing: TransparentSealing
    let id: NodeID
    let boot: BootNonce
    let endpoint: Endpoint
    fileprivate let number: UInt64
    fileprivate(set) var carrier: CarrierID
    var record: NodeRecord
    /// The digest in its control blocks; nil where it agrees with the node.
    var digest: UInt32?
    /// The node's views that it holds; `holdsViews` is false where it holds none.
    fileprivate(set) var held = HeldGenerations()
    var holdsViews = true
    /// The generations of its own views.
    fileprivate(set) var advertised = HeldGenerations()
    /// The time from a datagram of the node to its arrival; the other direction takes no time.
    var latency = Interval.zero
    /// Paths that work in both directions.
    var routes: (ScriptedRoute) -> Bool = { _ in true }
    /// If false, the puppet does not echo, so that its session stays a candidate.
    var isEchoing = true
    /// If true, a puppet that leads offers new keys.
    var renewsKeys = true
    fileprivate var keyedAt = Instant.zero
    fileprivate var generation: UInt32 = 1
    fileprivate var attempt: UInt32 = 1
    /// Messages that the node sent to it.
    var messages: [CarrierMessage] = []
    var bodies: [(at: Instant, route: ScriptedRoute, body: DatagramBody)] = []
    private(set) var isClosed = false
    fileprivate var media: MediaSession?
    fileprivate var newest: [ScriptedRoute: (sequence: UInt32, at: Instant)] = [:]
    fileprivate var sequence: UInt32 = 100
    fileprivate var keyIDs: UInt32

    fileprivate init(seed: UInt64, number: UInt64, instance: UInt64, boot: UInt64) {
        sealing = TransparentSealing(seed: seed, boot: boot)
        id = sealing.nodeID
        self.boot = BootNonce(number: boot)
        self.number = number
        carrier = CarrierID(number: number)
        keyIDs = UInt32(number) * 100
        endpoint = Endpoint(address: IPAddress(v4: 10, 0, 0, UInt8(100 + number)), port: 7400)
        record = NodeRecord(
            node: id, instance: Instance(exactly: instance) ?? .max, bootNonce: self.boot, sequence: 1, endpoints: [],
            profile: NodeProfile(name: SafeText("puppet")), isLeaving: false)
    }

    var signed: SignedRecord { SignedRecord(signing: record, with: sealing) }

    fileprivate func nextKeyID() -> UInt32 {
        keyIDs += 1
        return keyIDs
    }

    fileprivate func close() { isClosed = true }

    /// The messages of the node since the last call.
    func take() -> [CarrierMessage] {
        defer { messages = [] }
        return messages
    }
}

/// One node among puppets, on virtual time.
final class ScriptedMesh {
    private(set) var node: MeshNode
    private(set) var now = Instant.zero + .seconds(10_000)
    private(set) var puppets: [ScriptedPeer] = []
    /// Each wake-up by a deadline: its reason, and the outputs that followed.
    var wakes: [(at: Instant, reason: MeshTimer, outputs: [MeshOutput])] = []
    /// All outputs of the node.
    var log: [(at: Instant, what: MeshOutput)] = []
    let own: NodeID
    /// The failure of each dial, at once; nil if dials stay open.
    var dialFailure: DialFailure?
    /// The last record that the node announced.
    private(set) var announced: NodeRecord
    private let boot: BootNonce
    private var queue: [(at: Instant, what: () -> Void)] = []
    private var nextBeat: Instant
    private var isBusy = false

    init(seed: UInt64 = 1, _ change: (inout MeshConfiguration) -> Void = { _ in }) {
        var configuration = MeshCluster.configuration(index: 0, seed: seed)
        change(&configuration)
        boot = configuration.bootNonce
        let sealing = TransparentSealing(seed: seed)
        own = sealing.nodeID
        announced = OwnRecord(configuration, sealing: sealing).record
        node = MeshNode(configuration, sealing: sealing, seed: 7, now: now)
        nextBeat = now + .milliseconds(300)
        drain()
    }

    // MARK: Observations

    var status: MeshStatus { node.status(now: now) }
    func count(_ name: MeshCounter) -> UInt64 { node.counted([name]) }
    func peer(_ puppet: ScriptedPeer) -> PeerStatus? { status.peers.first { $0.node == puppet.id } }
    func peerSnapshot(_ peer: NodeID) -> PeerSnapshot { node.peerSnapshot(of: peer, now: now) }
    var deadline: MeshDeadline? { node.nextDeadline }
    var events: [MeshEvent] { log.compactMap { if case .event(let event) = $0.what { event } else { nil } } }

    // MARK: Inputs and time

    func input(_ input: MeshInput) {
        node.handle(input, now: now)
        drain()
        // Answers of puppets come after the input that they answer.
        guard !isBusy else { return }
        isBusy = true
        while let place = queue.firstIndex(where: { $0.at <= now }) { queue.remove(at: place).what() }
        isBusy = false
    }

    func command(_ command: MeshCommand) { input(.command(command)) }

    func say(_ message: CarrierMessage, by puppet: ScriptedPeer) {
        input(.carrierFrame(puppet.carrier, message.encoded()))
    }

    func send(_ body: DatagramBody, from puppet: ScriptedPeer, over route: ScriptedRoute = .direct) {
        guard let bytes = puppet.media?.seal(body.encoded()) else { return }
        switch route {
        case .direct: input(.datagram(bytes, from: puppet.endpoint))
        case .carrier: say(.datagram(bytes), by: puppet)
        case .through(let neighbour):
            guard let neighbour = puppets.first(where: { $0.id == neighbour }) else { return }
            send(DatagramBody(relayed: RelayedDatagram(.from(puppet.id), bytes)), from: neighbour)
        }
    }

    func seal(_ body: DatagramBody, by puppet: ScriptedPeer) -> [UInt8] { puppet.media?.seal(body.encoded()) ?? [] }

    /// Time passes; puppets with a session send a control block every 300 ms.
    func pass(_ interval: Interval) {
        let end = now + interval
        while true {
            let at = min(node.nextDeadline?.at ?? .distantFuture, queue.map(\.at).min() ?? .distantFuture, nextBeat)
            guard at <= end else { break }
            now = max(now, at)
            if let due = node.nextDeadline, due.at <= now {
                let before = log.count
                input(.deadline)
                wakes.append((now, due.reason, log[before...].map(\.what)))
            } else if nextBeat <= now {
                nextBeat = now + .milliseconds(300)
                beat()
            } else if let place = queue.firstIndex(where: { $0.at <= now }) {
                queue.remove(at: place).what()
            }
        }
        now = end
    }

    /// A puppet opens a carrier and sends HELLO.
    func enter(
        _ seed: UInt64, instance: UInt64 = 1, boot: UInt64? = nil, _ change: (ScriptedPeer) -> Void = { _ in }
    ) -> ScriptedPeer {
        let number = UInt64(puppets.count + 1)
        let puppet = ScriptedPeer(seed: seed, number: number, instance: instance, boot: boot ?? seed)
        change(puppet)
        puppets.append(puppet)
        puppet.attempt = UInt32(puppets.count { $0.id == puppet.id })
        puppet.keyedAt = now
        input(.carrierOpened(puppet.carrier, peer: puppet.id, dial: nil, remote: puppet.endpoint))
        return puppet
    }

    /// A puppet that is linked at once.
    func link(
        _ seed: UInt64, instance: UInt64 = 1, boot: UInt64? = nil, _ change: (ScriptedPeer) -> Void = { _ in }
    ) -> ScriptedPeer {
        let puppet = enter(seed, instance: instance, boot: boot, change)
        for _ in 0..<200 where peer(puppet)?.state != .up { pass(.milliseconds(10)) }
        precondition(peer(puppet)?.state == .up, "a puppet links")
        pass(.zero)
        return puppet
    }

    /// Puppets that are linked and have sent their whole link states. Earlier messages of the node are forgotten.
    func clique(_ seeds: [UInt64]) -> [ScriptedPeer] {
        let linked = seeds.map { link($0) }
        for puppet in linked { advertiseLinks(of: puppet, with: linked.filter { $0 !== puppet }.map(\.id)) }
        pass(.seconds(5))
        forget()
        return linked
    }

    /// The addresses that the node dialled.
    var dialled: [Endpoint] { log.compactMap { if case .dial(_, let endpoint, _) = $0.what { endpoint } else { nil } } }

    func forget() {
        log = []
        for puppet in puppets { (puppet.messages, puppet.bodies) = ([], []) }
    }

    func advertiseLinks(of puppet: ScriptedPeer, with others: [NodeID], path: PathKind = .direct) {
        let own = ScriptedMesh.entry(own)
        advertise([own] + others.map { ScriptedMesh.entry($0, path) }, by: puppet)
    }

    /// A puppet sends other link states.
    func advertise(_ entries: [AdvertisedLink], by puppet: ScriptedPeer) {
        say(puppet.advertised.next(entries), by: puppet)
    }

    /// A puppet sends another channel list.
    func advertise(channels: [ChannelID], by puppet: ScriptedPeer) {
        say(puppet.advertised.next(channels: channels), by: puppet)
    }

    static func entry(
        _ node: NodeID, _ path: PathKind = .direct, rtt: UInt8 = 0, loss: UInt8 = 0, instance: UInt64 = 1
    ) -> AdvertisedLink {
        AdvertisedLink(
            peer: node, instance: Instance(exactly: instance) ?? .max, path: path, rttClass: rtt, lossClass: loss)
    }

    // MARK: Puppets

    /// The leader's offer of new keys; the node answers.
    private func renewKeys() {
        for puppet in puppets where own < puppet.id && puppet.renewsKeys && puppet.isEchoing && !puppet.isClosed {
            guard puppet.media != nil, puppet.keyedAt + .seconds(100) <= now else { continue }
            puppet.keyedAt = now
            puppet.generation += 1
            if let offer = puppet.media?.makeOffer(generation: puppet.generation, keyID: puppet.nextKeyID()) {
                say(.mediaKey(offer), by: puppet)
            }
        }
    }

    private func beat() {
        renewKeys()
        for puppet in puppets where puppet.media != nil && puppet.isEchoing && !puppet.isClosed {
            for route in [ScriptedRoute.direct, .carrier] + puppets.map({ .through($0.id) })
            where puppet.newest[route] != nil && puppet.routes(route) {
                send(DatagramBody(control: control(of: puppet, over: route)), from: puppet, over: route)
            }
        }
    }

    /// The next control block of a puppet; it echoes the last block that came over this path.
    func control(of puppet: ScriptedPeer, over route: ScriptedRoute = .direct, flags: ControlFlags = []) -> ControlBlock
    {
        puppet.sequence += 1
        let heard = puppet.newest[route]
        let delay = heard.map { (now - $0.at).microseconds } ?? 0
        return ControlBlock(
            sequence: puppet.sequence, echo: heard?.sequence, echoDelayMicroseconds: UInt32(delay),
            digest: puppet.digest ?? node.summary.digest,
            held: puppet.holdsViews ? puppet.held : HeldGenerations(), sampleTime: SampleTime(samples: 0), report: nil,
            flags: flags)
    }

    private func drain() {
        while let output = node.nextOutput() {
            log.append((now, output))
            switch output {
            case .carrierSend(let carrier, let frame), .carrierSendVoice(let carrier, let frame):
                guard let puppet = puppets.first(where: { $0.carrier == carrier }) else { continue }
                guard let message = try? CarrierMessage(parsing: frame, isBeforeHello: false) else { continue }
                if case .datagram(let bytes) = message {
                    receive(bytes, puppet, .carrier)
                } else {
                    hear(message, puppet)
                }
            case .send(let bytes, let endpoint):
                if let puppet = puppets.first(where: { $0.endpoint == endpoint }) { receive(bytes, puppet, .direct) }
            case .dial(let dial, _, _):
                if let dialFailure { reply { [self] in input(.dialFailed(dial, dialFailure)) } }
            case .announce(let record): announced = record
            case .carrierClose(let carrier): puppets.first { $0.carrier == carrier }?.close()
            default: break
            }
        }
    }

    private func reply(after wait: Interval = .zero, _ what: @escaping () -> Void) { queue.append((now + wait, what)) }

    private func receive(_ bytes: [UInt8], _ puppet: ScriptedPeer, _ route: ScriptedRoute) {
        if puppet.latency == .zero { return hear(bytes, puppet, route) }
        reply(after: puppet.latency) { [self] in hear(bytes, puppet, route) }
    }

    private func hear(_ bytes: [UInt8], _ puppet: ScriptedPeer, _ route: ScriptedRoute) {
        guard puppet.routes(route), let sealed = try? SealedDatagram(parsing: bytes),
            let opened = try? puppet.media?.open(sealed, now: now), let body = try? DatagramBody(parsing: opened.body)
        else { return }
        puppet.bodies.append((now, route, body))
        if let control = body.control {
            puppet.newest[route] = (control.sequence, now)
            if control.flags.contains(.probe), puppet.isEchoing {
                reply { [self] in
                    send(DatagramBody(control: self.control(of: puppet, over: route)), from: puppet, over: route)
                }
            }
        }
        if case .toward(let far) = body.relayed?.leg, let other = puppets.first(where: { $0.id == far }) {
            hear(body.relayed?.datagram ?? [], other, .through(puppet.id))
        }
    }

    private func hear(_ message: CarrierMessage, _ puppet: ScriptedPeer) {
        puppet.messages.append(message)
        puppet.held.hold(message)
        switch message {
        case .hello(let hello): greet(puppet, hello)
        case .invite(let invite): accept(invite, puppet)
        case .accept(let accept):
            guard puppet.media?.install(peer: accept.keys, now: now) == true else { return }
            puppet.media?.startSending(generation: 1, now: now)
            reply { [self] in say(.mediaKeyConfirm(generation: 1), by: puppet) }
        case .mediaKey(let offer):
            guard let own = puppet.media?.makeOffer(generation: offer.generation, keyID: puppet.nextKeyID()),
                puppet.media?.install(peer: offer, now: now) == true
            else { return }
            reply { [self] in say(.mediaKeyAnswer(own), by: puppet) }
        case .mediaKeyAnswer(let answer):
            guard puppet.media?.install(peer: answer, now: now) == true else { return }
            puppet.media?.startSending(generation: answer.generation, now: now)
            reply { [self] in say(.mediaKeyConfirm(generation: answer.generation), by: puppet) }
        case .mediaKeyConfirm(let generation): puppet.media?.startSending(generation: generation, now: now)
        default: break
        }
    }

    private var nonce: [UInt8] { [UInt8](repeating: 7, count: 32) }

    private func greet(_ puppet: ScriptedPeer, _ hello: Hello) {
        let greeting = CarrierMessage.hello(
            Hello(
                versionMin: WireLimits.version, versionMax: WireLimits.version, mesh: hello.mesh, meshID: hello.meshID,
                record: puppet.signed, yourRecord: nil, nonce: nonce, bootNonce: puppet.boot,
                mediaPort: puppet.endpoint.port,
                yourInstanceSeen: nil))
        reply { [self] in
            say(TestProof.open(), by: puppet)
            say(greeting, by: puppet)
            guard own < puppet.id else { return }
            var media = MediaSession(context: context(puppet, attempt: puppet.attempt), sealing: puppet.sealing)
            let keys = media.makeOffer(generation: 1, keyID: puppet.nextKeyID())
            puppet.media = media
            say(.invite(Invite(attempt: puppet.attempt, nonceEcho: hello.nonce, keys: keys)), by: puppet)
        }
    }

    private func accept(_ invite: Invite, _ puppet: ScriptedPeer) {
        var media = MediaSession(context: context(puppet, attempt: invite.attempt), sealing: puppet.sealing)
        let keys = media.makeOffer(generation: 1, keyID: puppet.nextKeyID())
        guard media.install(peer: invite.keys, now: now),
            case .hello(let hello)? = puppet.messages.first(where: { if case .hello = $0 { true } else { false } })
        else { return }
        puppet.media = media
        let accept = Accept(attempt: invite.attempt, nonceEcho: hello.nonce, keys: keys)
        reply { [self] in say(.accept(accept), by: puppet) }
    }

    private func context(_ puppet: ScriptedPeer, attempt: UInt32) -> SessionContext {
        let isLeader = own < puppet.id
        let instance = Instance(exactly: 1) ?? .max
        let nodeNonce = TestProof.lastNonce(among: puppet.messages)
        let link = LinkID(
            leaderInstance: isLeader ? puppet.record.instance : instance,
            followerInstance: isLeader ? instance : puppet.record.instance, attempt: attempt)
        return SessionContext(
            leader: isLeader ? puppet.id : own, follower: isLeader ? own : puppet.id, link: link,
            leaderBoot: isLeader ? puppet.boot : boot, followerBoot: isLeader ? boot : puppet.boot,
            nonces: TestProof.nonce + nodeNonce, isLeader: isLeader)
    }
}
