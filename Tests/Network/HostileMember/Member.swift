import Channels
import Mesh
import NIOCore
import Primitives
import SystemClock
import Trust
import Wire

/// An honest node without sound, and a hand on the bytes that it sends: what a modified client is.
///
/// Touched on its loop alone.
final class Member: @unchecked Sendable {
    /// The carrier of its link, while there is one.
    private(set) var linkCarrier: RawCarrier?
    /// The victim's place in its tables, while linked.
    private(set) var slot: PeerSlot?
    /// The generation of the victim's list of channels; 0 before the first one.
    private var generation: UInt8 = 0
    private(set) var linkCount = 0
    let name: String
    /// The member as its record describes it.
    let claim: ClaimedNode
    /// Writes its control blocks.
    var pen: ForgingSealing.Pen { sealing.pen }
    private let sealing: ForgingSealing
    private let identity: MemberIdentity
    private let loop: any EventLoop
    private let media: MediaPort
    /// Further ports, from which every other datagram of voice comes in turn; none for `media` alone.
    private let strayPorts: [MediaPort]
    private var spokenCount = 0
    /// Its latest INVITE, where it leads the link.
    private var invitation: Invite?
    private var mesh: MeshNode
    private var carriers: [CarrierID: RawCarrier] = [:]
    private var dials: [DialID: CarrierID] = [:]
    private var carriersMade: UInt64 = 0
    private var fedAt: Instant
    private let startedAt: Instant

    /// - Parameters:
    ///   - channel: the name of the channel to which it claims to listen.
    ///   - strayPortCount: the number of further ports from which it sends. If there are any, the member has a great
    ///     NodeID, so that most probably it leads the link.
    init(
        named name: String, of meshName: String, on channel: ChannelName, to victim: Endpoint,
        strayPortCount: Int = 0, loop: any EventLoop
    ) throws {
        guard let media = MediaPort() else { throw MemberError.noPort }
        (self.name, self.loop, self.media) = (name, loop, media)
        strayPorts = (0..<strayPortCount).compactMap { _ in MediaPort() }
        identity = try strayPortCount == 0 ? MemberIdentity() : MemberIdentity.great()
        claim = try ClaimedNode(seed: identity.seed)
        let sealing = ForgingSealing(claim.sealing)
        self.sealing = sealing
        let now = Instant.monotonicNow()
        (fedAt, startedAt) = (now, now)
        var generator = SystemRandomNumberGenerator()
        // Without interfaces it tells no address: nobody but the victim is drawn in.
        let configuration = MeshConfiguration(
            mesh: meshName, profile: NodeProfile(name: SafeText(name)), instance: ClaimedNode.instance,
            bootNonce: claim.bootNonce, port: media.port, interfaces: [], admissionPolicy: .open,
            blocked: [], reachablePrefixes: [], staticPeers: [victim],
            channels: [ChannelID(of: channel, in: MeshID(ofOpenMesh: meshName, sealing: sealing), sealing: sealing)],
            beaconEnabled: false)
        mesh = MeshNode(configuration, sealing: sealing, seed: generator.next(), now: now)
        drain()
    }

    /// Takes what has come, and does what is due. To be called every few milliseconds.
    func tick() {
        while let datagram = media.receive() { feed(.datagram(datagram.bytes, from: datagram.from)) }
        if let deadline = mesh.nextDeadline, deadline.at <= .monotonicNow() { feed(.deadline) }
    }

    /// Seals `count` datagrams of voice with a frame each, and then sends them at once.
    /// - Parameter place: the channel, as its place in the list of channels to which the victim listens.
    func speak(_ count: Int, sound: [UInt8], isStart: Bool, place: Int) {
        guard let slot, generation != 0 else { return }
        var held: [(bytes: [UInt8], to: Endpoint)] = []
        let begin = Int64((.monotonicNow() - startedAt).microseconds) * 48 / 1_000
        for number in 0..<count {
            let time = UInt32(truncatingIfNeeded: begin + Int64(number * FrameDuration.ms20.samples))
            mesh.handle(
                .voice(payload(sound, at: time, isStart: isStart && number == 0, place), to: slot),
                now: advance())
            while let output = mesh.nextOutput() {
                if case .send(let bytes, let endpoint) = output {
                    held.append((bytes, endpoint))
                } else {
                    perform(output)
                }
            }
        }
        for datagram in held {
            spokenCount += 1
            let isStray = !strayPorts.isEmpty && spokenCount % 2 == 0
            let port = isStray ? strayPorts[spokenCount / 2 % strayPorts.count] : media
            port.send(datagram.bytes, to: datagram.to)
        }
    }

    /// Begins one more session on the carrier of the link, which it does not mean to end.
    func inviteAgain() {
        guard var next = invitation else { return }
        next.attempt &+= 1
        invitation = next
        linkCarrier?.send(CarrierMessage.invite(next).encoded())
    }

    /// Reports how it receives the victim's voice.
    func report(_ report: ReceptionReport) {
        if let slot { feed(.receptionReport(report, of: slot)) }
    }

    private func payload(_ sound: [UInt8], at time: UInt32, isStart: Bool, _ place: Int) -> [UInt8] {
        let header = VoicePayloadHeader(
            flags: isStart ? .spurtStart : [], address: VoiceAddress(label: .place(place), generation: generation),
            spurt: 1, sampleTime: SampleTime(samples: time), bundling: .single)
        var bytes = [UInt8](repeating: 0, count: header.byteCount + 3 + sound.count)
        bytes.withUnsafeMutableBytes { buffer in
            var writer = VoicePayloadWriter(into: buffer, header: header)
            sound.withUnsafeBytes { _ = writer.append(VoiceBlock(age: 0, duration: .ms20, sound: $0)) }
        }
        return bytes
    }
}

enum MemberError: Error { case noPort }

// MARK: - The shell around the mesh

extension Member {
    private func advance() -> Instant {
        fedAt = max(fedAt, .monotonicNow())
        return fedAt
    }

    private func feed(_ input: MeshInput) {
        mesh.handle(input, now: advance())
        drain()
    }

    private func drain() {
        var outputs: [MeshOutput] = []
        while let output = mesh.nextOutput() { outputs.append(output) }
        for output in outputs { perform(output) }
    }

    private func feedLater(_ input: MeshInput) {
        loop.execute { self.feed(input) }
    }

    private func perform(_ output: MeshOutput) {
        switch output {
        case .send(let bytes, let endpoint): media.send(bytes, to: endpoint)
        case .dial(let dial, let endpoint, _): open(dial, endpoint)
        case .cancelDial(let dial):
            if let id = dials.removeValue(forKey: dial) { carriers.removeValue(forKey: id)?.close() }
        case .dialThrough(let dial, _, _): feedLater(.dialFailed(dial, .unreachable))
        case .carrierSend(let id, let frame), .carrierSendVoice(let id, let frame): say(frame, on: id)
        case .carrierClose(let id): carriers[id]?.close()
        case .event(.peerUp(let slot, _, _, _)):
            self.slot = slot
            linkCount += 1
        case .event(.peerDown): (slot, linkCarrier, generation) = (nil, nil, 0)
        case .peerListens(_, let generation, _): self.generation = generation
        default: break
        }
    }

    private func say(_ frame: [UInt8], on id: CarrierID) {
        if FrameKind(of: frame) == .accept { linkCarrier = carriers[id] }
        if FrameKind(of: frame) == .invite,
            case .invite(let invite)? = try? CarrierMessage(parsing: frame, isBeforeHello: false)
        {
            invitation = invite
        }
        carriers[id]?.send(frame)
    }

    private func open(_ dial: DialID, _ endpoint: Endpoint) {
        carriersMade += 1
        let id = CarrierID(number: carriersMade)
        dials[dial] = id
        carriers[id] = RawCarrier(to: endpoint, as: identity, on: loop) { step in
            self.loop.execute { self.note(step, of: id, dial, endpoint) }
        }
    }

    private func note(_ step: RawCarrier.Step, of id: CarrierID, _ dial: DialID, _ endpoint: Endpoint) {
        switch step {
        case .opened(let peer):
            guard dials.removeValue(forKey: dial) != nil else { return }
            feed(.carrierOpened(id, peer: peer, dial: dial, remote: endpoint))
        case .frame(let frame):
            guard let carrier = carriers[id] else { return }
            if FrameKind(of: frame) == .accept { linkCarrier = carrier }
            feed(.carrierFrame(id, frame))
        case .closed:
            guard carriers.removeValue(forKey: id) != nil else { return }
            if dials.removeValue(forKey: dial) != nil { return feed(.dialFailed(dial, .refused)) }
            feed(.carrierClosed(id, .closed))
        }
    }
}
