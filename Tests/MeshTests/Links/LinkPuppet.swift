import Mesh
import Primitives
import TestKit
import Testing
import Trust
import Wire

/// A peer of the node under test. It sends what the test asks for, with real keys, and answers probes at once.
final class LinkPuppet {
    /// The agreement with the node over one carrier.
    final class Agreement {
        let carrier: UInt64
        var media: MediaSession
        /// Datagram bodies that the node has sent, the newest last.
        var bodies: [DatagramBody] = []
        /// The key id of each of these datagrams.
        var keyIDsHeard: [UInt32] = []

        init(carrier: UInt64, media: MediaSession) { (self.carrier, self.media) = (carrier, media) }
    }

    let seed: UInt64
    let side: LinkSide
    let sealing: TransparentSealing
    unowned var stage: LinkStage!
    var instance: UInt64 = 1
    var boot: UInt64
    var recordSequence: UInt32 = 1
    /// Endpoints in its record besides its own; `isNowhere` leaves out all endpoints.
    var extraEndpoints: [Endpoint] = []
    var isNowhere = false
    /// Whether the puppet echoes datagrams of the node.
    var isAnswering = true
    /// Whether echoes may take UDP; otherwise they take only the carrier.
    var hasUDP = true
    private(set) var agreements: [Agreement] = []
    /// The carriers on which it has sent PROOF, once each.
    private var proved: Set<UInt64> = []
    private var dialledByNode: Set<UInt64> = []
    private var sequence: UInt32 = 100
    private var nextKeyID: UInt32 = 1

    init(seed: UInt64, side: LinkSide) {
        (self.seed, self.side, boot) = (seed, side, seed)
        sealing = TransparentSealing(seed: seed)
    }

    var id: NodeID { sealing.nodeID }
    var endpoint: Endpoint { Endpoint(address: IPAddress(v4: 10, 0, 0, UInt8(100 + seed % 100)), port: 7400) }
    var nonce: [UInt8] { [UInt8](repeating: UInt8(truncatingIfNeeded: seed), count: 32) }
    var agreed: Agreement? { agreements.last }

    // MARK: Beacons and frames

    /// Sends a beacon with its record to the node.
    func sendBeacon() {
        stage.input(.beacon(Beacon(mesh: TestMesh.name, record: record()).encoded(), from: endpoint))
    }

    func open(_ carrier: UInt64, dial: DialID? = nil, from remote: Endpoint? = nil) {
        if dial != nil { dialledByNode.insert(carrier) }
        stage.input(
            .carrierOpened(CarrierID(number: carrier), peer: id, dial: dial, remote: remote ?? endpoint))
    }

    func record(isLeaving: Bool = false) -> SignedRecord {
        SignedRecord(
            signing: NodeRecord(
                node: id, instance: Instance(exactly: instance) ?? .max, bootNonce: BootNonce(number: boot),
                sequence: recordSequence, endpoints: isNowhere ? [] : extraEndpoints + [endpoint],
                profile: NodeProfile(name: SafeText("p")),
                isLeaving: isLeaving), with: sealing)
    }

    /// Sends PROOF, if the carrier has not had it.
    func prove(on carrier: UInt64) {
        if proved.insert(carrier).inserted { stage.frame(TestProof.open(), on: carrier) }
    }

    func hello(
        on carrier: UInt64, mesh: String = TestMesh.name, meshID: MeshID? = nil,
        versionMin: UInt32 = WireLimits.version, record: SignedRecord? = nil, yourRecord: SignedRecord? = nil,
        boot: UInt64? = nil, seen: Instance? = nil
    ) {
        prove(on: carrier)
        stage.frame(
            .hello(
                Hello(
                    versionMin: versionMin, versionMax: max(versionMin, WireLimits.version), mesh: mesh,
                    meshID: meshID ?? MeshID(ofOpenMesh: mesh, sealing: sealing),
                    record: record ?? self.record(), yourRecord: yourRecord, nonce: nonce,
                    bootNonce: BootNonce(number: boot ?? self.boot), mediaPort: 7400, yourInstanceSeen: seen)),
            on: carrier)
    }

    func greet(_ carrier: UInt64, dial: DialID? = nil) {
        open(carrier, dial: dial)
        hello(on: carrier)
    }

    /// The session of this side, for an INVITE that came or for one that the puppet makes.
    private func makeMedia(attempt: UInt32, on carrier: UInt64) -> MediaSession {
        let (ownNonce, nodeNonce) = (TestProof.nonce, stage.proofNonces[carrier] ?? [])
        let (own, theirs) = (Instance(exactly: instance) ?? .max, stage.configuration.instance)
        let link = LinkID(
            leaderInstance: side == .leads ? theirs : own, followerInstance: side == .leads ? own : theirs,
            attempt: attempt)
        let (boot, other) = (BootNonce(number: boot), stage.configuration.bootNonce)
        let node = stage.sealing.nodeID
        return MediaSession(
            context: SessionContext(
                leader: side == .leads ? node : id, follower: side == .leads ? id : node, link: link,
                leaderBoot: side == .leads ? other : boot, followerBoot: side == .leads ? boot : other,
                nonces: dialledByNode.contains(carrier) ? nodeNonce + ownNonce : ownNonce + nodeNonce,
                isLeader: side == .follows), sealing: sealing)
    }

    /// Skips numbers of control blocks, as if those blocks were lost.
    func skip(_ count: UInt32) { sequence += count }

    /// One entry of its link states.
    func entry(of node: NodeID) -> AdvertisedLink {
        AdvertisedLink(
            peer: node, instance: stage.configuration.instance, path: .direct, rttClass: 0, lossClass: 0)
    }

    func makeKeyID() -> UInt32 {
        nextKeyID += 1
        return UInt32(seed) << 12 + nextKeyID
    }

    /// Answers the last INVITE on a carrier.
    func acceptance(on carrier: UInt64) throws -> Accept {
        let invite = try #require(stage.invites(on: carrier).last)
        var media = makeMedia(attempt: invite.attempt, on: carrier)
        let offer = media.makeOffer(generation: 1, keyID: makeKeyID())
        let isInstalled = media.install(peer: invite.keys, now: stage.now)
        #expect(isInstalled)
        agreements.append(Agreement(carrier: carrier, media: media))
        return Accept(attempt: invite.attempt, nonceEcho: stage.nonces[carrier] ?? [], keys: offer)
    }

    /// An INVITE of this leader; `install` adds the node's keys.
    func invitation(_ attempt: UInt32, on carrier: UInt64) -> Invite {
        var media = makeMedia(attempt: attempt, on: carrier)
        let offer = media.makeOffer(generation: 1, keyID: makeKeyID())
        agreements.append(Agreement(carrier: carrier, media: media))
        return Invite(attempt: attempt, nonceEcho: stage.nonces[carrier] ?? [], keys: offer)
    }

    /// Installs the node's half of the keys, and seals with them from now on.
    func install(_ accept: Accept) throws {
        let agreed = try #require(agreed)
        let isInstalled = agreed.media.install(peer: accept.keys, now: stage.now)
        #expect(isInstalled)
        agreed.media.startSending(generation: 1, now: stage.now)
    }

    /// From INVITE to keys on both sides, on a carrier with a HELLO. The echo follows if the puppet answers.
    func agree(on carrier: UInt64, attempt: UInt32 = 1) throws {
        if side == .leads {
            let accept = try acceptance(on: carrier)
            agreed?.media.startSending(generation: 1, now: stage.now)
            stage.frame(.accept(accept), on: carrier)
        } else {
            stage.frame(.invite(invitation(attempt, on: carrier)), on: carrier)
            try install(try #require(stage.accepts(on: carrier).last))
            stage.frame(.mediaKeyConfirm(generation: 1), on: carrier)
        }
    }

    /// Opens a carrier, sends HELLO, agrees on keys, and expects the link to be up.
    func link(on carrier: UInt64, attempt: UInt32 = 1) throws {
        greet(carrier)
        try agree(on: carrier, attempt: attempt)
        #expect(stage.state(self) == .up)
    }

    /// New keys of this leader for the last agreement, half a second after the former ones.
    func renewKeys(generation: UInt32, isConfirmed: Bool) throws {
        let agreed = try #require(agreed)
        stage.pass(.milliseconds(500))
        stage.frame(.mediaKey(agreed.media.makeOffer(generation: generation, keyID: makeKeyID())), on: agreed.carrier)
        guard isConfirmed, case .mediaKeyAnswer(let answer)? = stage.messages(on: agreed.carrier).last else { return }
        let isInstalled = agreed.media.install(peer: answer, now: stage.now)
        #expect(isInstalled)
        agreed.media.startSending(generation: generation, now: stage.now)
        agreed.media.expire(now: stage.now)
        stage.frame(.mediaKeyConfirm(generation: generation), on: agreed.carrier)
    }

    // MARK: Datagrams

    /// Opens what the node has sent, and echoes its control block over the path on which it came.
    func hear(_ bytes: [UInt8], on carrier: UInt64? = nil) {
        guard let sealed = try? SealedDatagram(parsing: bytes) else { return }
        let keyID = sealed.header.keyID
        guard let agreed = agreements.last(where: { $0.media.openingKeyIDs.contains(keyID) }),
            let opened = try? agreed.media.open(sealed, now: stage.now),
            let body = try? DatagramBody(parsing: opened.body)
        else { return }
        agreed.bodies.append(body)
        agreed.keyIDsHeard.append(keyID)
        guard isAnswering, let control = body.control, carrier != nil || hasUDP else { return }
        let block = block(echo: control.sequence, digest: control.digest, in: agreed)
        say(DatagramBody(control: block), by: agreed, on: carrier)
    }

    func block(
        echo: UInt32? = nil, digest: UInt32 = 0, flags: ControlFlags = [], in agreement: Agreement? = nil
    ) -> ControlBlock {
        sequence += 1
        let carrier = (agreement ?? agreed)?.carrier
        return ControlBlock(
            sequence: sequence, echo: echo, echoDelayMicroseconds: 0, digest: digest,
            held: carrier.flatMap { stage.held[$0] } ?? HeldGenerations(), sampleTime: SampleTime(samples: 0),
            report: nil, flags: flags)
    }

    /// Sends a datagram of the puppet over UDP, or inside the carrier.
    func say(_ body: DatagramBody, by agreement: Agreement? = nil, on carrier: UInt64? = nil) {
        guard let agreed = agreement ?? agreed, let bytes = agreed.media.seal(body.encoded()) else { return }
        if let carrier { return stage.frame(.datagram(bytes), on: carrier) }
        stage.input(.datagram(bytes, from: endpoint))
    }
}
