import Channels
import Mesh
import Node
import Primitives
import Trust
import Voice
import Wire

/// The deeds of a hostile member. Beside its node, which goes on as an honest one, it forges what the script says.
struct HostileMember {
    /// Frames, datagrams and beacons that it remembers, to send them again.
    static let tapeMax = 48

    /// A carrier with the hostile member's own hand at its end.
    private struct Puppet {
        var end: HostileMesh.End
        var identity: TransparentSealing
        var peerHello: Hello?
    }

    private final class Puppets {
        var all: [Puppet] = []
    }

    private let mesh: HostileMesh
    private let puppets = Puppets()
    /// It has as many identities as it likes. The first is that of its node.
    private let identities = (0..<UInt64(identityCount)).map { TransparentSealing(seed: 3 + $0) }
    static let identityCount = 4

    init(in mesh: HostileMesh) {
        self.mesh = mesh
        mesh.heard = { [puppets] end, frame in
            guard case .hello(let hello)? = try? CarrierMessage(parsing: frame, isBeforeHello: true) else { return }
            for index in puppets.all.indices where puppets.all[index].end == end {
                puppets.all[index].peerHello = hello
            }
        }
    }

    func act(by script: inout HostileScript) {
        let choice = script.byte()
        let target = Int(choice >> 7)
        switch choice & 0x1F {
        case 0...2: mesh.drive(for: .milliseconds(1 + Int64(script.byte()) * 4))
        case 3: mesh.drive(for: .milliseconds(Int64(script.byte() & 0xF) * 250))
        case 4...6: forgeOnLink(script.bytes(naming: ids), to: target)
        case 7...9: forgeOnLink(script.edited(mesh.tape), to: target)
        case 10: forgeOnPuppet(script.bytes(naming: ids))
        case 11: forgeOnPuppet(script.edited(mesh.tape))
        case 12: openPuppet(script.byte(), to: target)
        case 13: closeCarrier(script.byte(), at: target)
        case 14, 15: forgeBody(script.bytes(naming: ids), to: target)
        case 16, 17: forgeBody(script.edited(hand.made), to: target)
        case 18: forgeDatagram(&script, to: target)
        case 19: mesh.forgeBeacon(script.edited(mesh.beacons), to: target)
        case 20: forgeRecord(&script, to: target)
        case 21: forgeHello(&script)
        case 22: forgeAgreement(&script, to: target)
        case 23: forgeEntry(&script, to: target)
        case 24: forgeEpoch(&script, to: target)
        case 25: forgeConnectRequest(&script, to: target)
        case 26: speak(at: target, &script)
        case 27, 28: forgeTunnel(&script, to: target)
        default: command(&script, to: target)
        }
    }

    private var hand: ForgingSealing.Hand {
        guard let sealing = mesh.members[HostileMesh.hostile].sealing as? ForgingSealing else {
            preconditionFailure("the last node is the hostile one's")
        }
        return sealing.hand
    }

    private var ids: [NodeID] { mesh.members.map(\.sealing.nodeID) }

    // MARK: Raw bytes

    private func forgeOnLink(_ frame: [UInt8], to target: Int) {
        guard !frame.isEmpty, let end = mesh.hostileEnds(at: target).first else { return }
        mesh.forge(frame, on: end)
    }

    private func forgeOnPuppet(_ frame: [UInt8]) {
        guard !frame.isEmpty, let puppet = puppets.all.last else { return }
        mesh.forge(frame, on: puppet.end)
    }

    /// Opens a carrier, and shows the PROOF of an open mesh or of a newcomer if the choice says so.
    private func openPuppet(_ choice: UInt8, to target: Int) {
        let identity = identities[Int(choice & 3)]
        puppets.all.append(Puppet(end: mesh.openCarrier(to: target, as: identity.nodeID), identity: identity))
        if choice & 4 == 0 {
            let forms: [ProofForm] = [.open, .newcomer, .pairing, .pairing]
            let proof = Proof(
                nonce: [UInt8](repeating: choice, count: 32), form: forms[Int(choice >> 3 & 3)],
                versionMin: WireLimits.version, versionMax: WireLimits.version)
            forgeOnPuppet(CarrierMessage.admission(.proof(proof)).encoded())
        }
    }

    private func closeCarrier(_ choice: UInt8, at target: Int) {
        if choice & 1 == 0 {
            if let puppet = puppets.all.popLast() { mesh.reset(puppet.end) }
        } else if let end = mesh.hostileEnds(at: target).last {
            mesh.reset(end)
        }
    }

    /// Seals a body for an honest node, as far as there is a link.
    private func forgeBody(_ body: [UInt8], to target: Int) {
        guard let peer = mesh.peer(ids[target], at: HostileMesh.hostile), peer.state == .up else { return }
        hand.forged = [Array(body.prefix(1_170))]
        mesh.input(HostileMesh.hostile, .command(.probe(peer.slot)))
        hand.forged = []
    }

    private func forgeDatagram(_ script: inout HostileScript, to target: Int) {
        let choice = script.byte()
        let address = choice & 1 == 0 ? mesh.endpoint(of: HostileMesh.hostile).address : IPAddress(v4: 10, 0, 0, choice)
        let bytes = script.bytes(Int(script.byte()))
        mesh.forge(bytes, to: target, from: Endpoint(address: address, port: 7_400))
    }

    // MARK: What it signs

    private func record(_ script: inout HostileScript, of identity: TransparentSealing) -> SignedRecord {
        let choice = script.byte()
        let endpoints = (0..<Int(choice & 7)).map { place in
            Endpoint(address: IPAddress(v4: 10, 0, 0, UInt8(place + 1)), port: 7_400)
        }
        return SignedRecord(
            signing: NodeRecord(
                node: identity.nodeID, instance: Instance(exactly: script.number(bits: 48)) ?? .max,
                bootNonce: BootNonce(number: UInt64(script.byte())), sequence: UInt32(script.number(bits: 32)),
                endpoints: endpoints, profile: NodeProfile(name: SafeText("node \(choice >> 4)")),
                isLeaving: choice & 8 != 0),
            with: identity)
    }

    private func forgeRecord(_ script: inout HostileScript, to target: Int) {
        let choice = script.byte()
        // Members that nobody has met, as many as it likes.
        let identity = choice & 0x80 == 0 ? identities[Int(choice & 3)] : TransparentSealing(seed: UInt64(choice) << 8)
        forgeOnLink(CarrierMessage.records([record(&script, of: identity)]).encoded(), to: target)
    }

    private func forgeHello(_ script: inout HostileScript) {
        guard let puppet = puppets.all.last else { return }
        let choice = script.byte()
        let hello = Hello(
            versionMin: 1, versionMax: WireLimits.version, mesh: "test", meshID: mesh.meshID,
            record: record(&script, of: puppet.identity), yourRecord: choice & 1 == 0 ? nil : puppet.peerHello?.record,
            nonce: [UInt8](repeating: 4, count: 32), bootNonce: BootNonce(number: UInt64(script.byte())),
            mediaPort: 7_400, yourInstanceSeen: choice & 2 == 0 ? nil : Instance(exactly: script.number(bits: 48)))
        forgeOnPuppet(CarrierMessage.hello(hello).encoded())
    }

    /// INVITE or ACCEPT with the right echo, or a step of a new key on the carrier of the link.
    private func forgeAgreement(_ script: inout HostileScript, to target: Int) {
        let choice = script.byte()
        let offer = MediaKeyOffer(
            generation: UInt32(script.number(bits: 32)), keyID: UInt32(script.number(bits: 32)),
            ephemeralPublicKey: [UInt8](repeating: choice >> 4, count: 32), secret: [UInt8](repeating: 1, count: 32))
        let attempt = UInt32(script.number(bits: 32))
        let echo = puppets.all.last?.peerHello?.nonce ?? [UInt8](repeating: 0, count: 32)
        switch choice & 7 {
        case 0, 1:
            forgeOnPuppet(CarrierMessage.invite(Invite(attempt: attempt, nonceEcho: echo, keys: offer)).encoded())
        case 2, 3:
            forgeOnPuppet(CarrierMessage.accept(Accept(attempt: attempt, nonceEcho: echo, keys: offer)).encoded())
        case 4, 5: forgeOnLink(CarrierMessage.mediaKey(offer).encoded(), to: target)
        case 6: forgeOnLink(CarrierMessage.mediaKeyAnswer(offer).encoded(), to: target)
        default: forgeOnLink(CarrierMessage.mediaKeyConfirm(generation: offer.generation).encoded(), to: target)
        }
    }

    /// A step of one of a few tunnels, mostly between the two honest nodes.
    private func forgeTunnel(_ script: inout HostileScript, to target: Int) {
        let choice = script.byte()
        let node = choice & 8 == 0 ? ids[HostileMesh.hostile - 1 - target] : identities[Int(choice >> 6)].nodeID
        let step: TunnelStep =
            switch choice & 7 {
            case 0, 1: .request(to: node)
            case 2: .offer(from: node)
            case 3, 4: .data([choice] + script.bytes(Int(script.byte()) * 8))
            case 5, 6: .credit(UInt16(script.number(bits: 16)))
            default: .close(TunnelCloseReason(rawValue: script.byte() & 7) ?? .ended)
            }
        let frame = TunnelFrame(number: UInt64(choice >> 4 & 3), step: step)
        forgeOnLink(CarrierMessage.tunnel(frame).encoded(), to: target)
    }

    /// A step of a run of JOIN; `last` is a step that the honest node has sent.
    private func joinStep(_ script: inout HostileScript, after last: JoinStep?) -> JoinStep {
        let choice = script.byte()
        let uniform = [UInt8](repeating: script.byte(), count: CodeSizes.uniformBytes)
        // Every other share is no element.
        let share =
            choice & 4 == 0
            ? TransparentCode().element(ofUniform: uniform) : Array(uniform.prefix(CodeSizes.elementBytes))
        let tag = Array(uniform.prefix(CodeSizes.tagBytes))
        switch choice & 3 {
        case 0: return .start(share: share)
        case 1: return .answer(share: share, tag: tag)
        case 2: return .confirm(tag: tag)
        default: return last ?? .start(share: share)
        }
    }

    /// A step of a proof of a channel's code: of the channel that the honest nodes have, or of none.
    private func forgeChannelJoin(_ script: inout HostileScript, to target: Int) {
        let choice = script.byte()
        // Each honest node names the channel to this member by another channel pointer.
        let last = mesh.joinsSent[choice & 1 == 0 ? target : HostileMesh.hostile - 1 - target]
        let channelPointer = choice & 2 == 0 ? last?.channelPointer : nil
        let run = choice & 4 == 0 ? last?.run : nil
        let join = ChannelJoin(
            channelPointer: channelPointer ?? [UInt8](repeating: choice, count: ChannelID.byteCount),
            run: run ?? UInt32(script.number(bits: 32)), step: joinStep(&script, after: last?.step))
        forgeOnLink(CarrierMessage.channelJoin(join).encoded(), to: target)
    }

    /// A person at an honest node opens a pairing window or closes it; or a newcomer, who does not know the code,
    /// compares.
    private func pair(_ script: inout HostileScript, with target: Int) {
        switch script.byte() & 3 {
        case 0 where mesh.isClosed:
            let codeKey = [UInt8](repeating: 5, count: CodeSizes.codeKeyBytes)
            mesh.input(target, .command(.openPairing(codeKey: codeKey)))
        case 1: mesh.input(target, .command(.closePairing))
        default: forgeOnPuppet(CarrierMessage.admission(.join(joinStep(&script, after: nil))).encoded())
        }
    }

    private func forgeConnectRequest(_ script: inout HostileScript, to target: Int) {
        let identity = identities[Int(script.byte() & 3)]
        let leader = ids[Int(script.byte()) % ids.count]
        let request = SignedConnectRequest(
            from: record(&script, of: identity), to: leader, sequence: UInt32(script.number(bits: 32)), with: identity)
        forgeOnLink(CarrierMessage.connectRequest(request).encoded(), to: target)
    }

    private func forgeEntry(_ script: inout HostileScript, to target: Int) {
        let choice = script.byte()
        let names = ["stage", "lights", "front of house", "x\(choice)"]
        guard let name = ChannelName(names[Int(choice & 3)]) else { return }
        let identity = identities[Int(choice >> 2 & 3)]
        let epoch = min(WireLimits.channelEpochMax, UInt16(script.number(bits: 16)))
        let birth = ChannelBirth(
            channel: ChannelID(of: name, in: mesh.meshID, sealing: identity), epoch: choice & 0x10 == 0 ? 0 : epoch,
            created: script.number(bits: 48), creator: identity.publicKey, name: name.text)
        let version = max(1, min(WireLimits.channelVersionMax, UInt16(script.number(bits: 16))))
        let form: ChannelState.Form =
            choice & 0x20 == 0 ? .live : .deleted(now: choice & 0x40 == 0 ? nil : mesh.channel)
        let state = ChannelState(
            epoch: epoch, version: version, form: form, flags: ChannelFlags(rawValue: choice),
            changed: script.number(bits: 48), editor: identity.publicKey)
        let entry = SignedChannelEntry(birth: birth, state: state, in: mesh.meshID, with: identity)
        let entries = TableEntries(.directory, entries: [entry.bytes], hasMore: choice & 0x80 != 0)
        forgeOnLink(CarrierMessage.table(.entries(entries)).encoded(), to: target)
    }

    /// An epoch in which the honest nodes stay: that a member may leave them behind is known (docs/THREATS.md).
    private func forgeEpoch(_ script: inout HostileScript, to target: Int) {
        let choice = script.byte()
        let identity = identities[0]
        let number = max(WireLimits.epochNumberMin, UInt32(script.number(bits: 32)))
        let bytes = [UInt8](repeating: script.byte(), count: 32)
        guard let secret = EpochSecret(number: number, bytes: bytes) else { return }
        let invented = (0..<UInt64(script.byte())).map { NodeID(words: (UInt64(choice), 0, 0, $0)) }
        let left = invented + (choice & 1 == 0 ? [] : [identity.nodeID])
        let stay = choice & 1 == 0 ? ids : Array(ids[HostileMesh.honest])
        let codeKey = choice & 4 == 0 ? nil : bytes
        let entry = EpochEntry(
            mesh: mesh.meshID, number: number,
            secretHash: choice & 2 == 0 ? secret.hash(with: identity) : bytes,
            codeHash: choice & 8 == 0 ? secret.codeHash(of: codeKey, with: identity) : bytes,
            maker: identity.publicKey, stay: stay.sorted(), left: left.sorted())
        let grant = EpochGrant(
            entry: SignedEpochEntry(signing: entry, with: identity), secret: bytes, codeKey: codeKey)
        forgeOnLink(CarrierMessage.epoch(grant).encoded(), to: target)
    }

    // MARK: What its node is told to do

    /// An honest node says a frame to all that listen.
    private func speak(at target: Int, _ script: inout HostileScript) {
        let choice = script.byte()
        let node = choice & 1 == 0 ? target : HostileMesh.hostile
        let bytes: [UInt8] = [0xF8, 0xFF, 0xFE]
        let frame = VoiceFrame(
            sampleTime: SampleTime(samples: UInt32(mesh.elapsed.milliseconds) * 48), duration: .ms20,
            spurt: choice >> 4, flags: VoiceFrameFlags(rawValue: choice >> 1 & 7), byteCount: bytes.count)
        mesh.members[node].node.setTalking(by: choice & 8 == 0 ? .first : [], now: mesh.now)
        mesh.drain(node)
        bytes.withUnsafeBytes { mesh.members[node].node.queue(frame, bytes: $0, now: mesh.now) }
        mesh.drain(node)
    }

    private func command(_ script: inout HostileScript, to target: Int) {
        let choice = script.byte()
        let member = mesh.members[HostileMesh.hostile]
        let slot = mesh.peer(ids[target], at: HostileMesh.hostile)?.slot
        switch choice & 0xF {
        case 0: mesh.input(HostileMesh.hostile, .command(.leave))
        case 1:
            let channels = (0..<UInt64(choice >> 4)).map { ChannelID(high: $0, low: 1) }
            mesh.input(HostileMesh.hostile, .command(.setChannels(channels + [mesh.channel])))
        case 2: mesh.input(HostileMesh.hostile, .command(.setProfile(NodeProfile(name: SafeText("\(choice)")))))
        case 3: mesh.input(HostileMesh.hostile, .command(.changeCode(leaving: [], codeKey: nil)))
        case 4: if let slot { mesh.input(HostileMesh.hostile, .command(.compareWords(slot))) }
        case 5:
            let order = CallOrder(.all(), isUrgent: choice & 0x10 != 0)
            _ = try? member.node.perform(.call(order), now: mesh.now)
            mesh.drain(HostileMesh.hostile)
        case 6:
            _ = try? member.node.perform(.askToClose(ids[target], on: mesh.channel), now: mesh.now)
            mesh.drain(HostileMesh.hostile)
        case 7: mesh.input(HostileMesh.hostile, .command(.block(ids[target])))
        case 8: mesh.input(HostileMesh.hostile, .command(.unblock(ids[target])))
        case 9:
            let payload = script.bytes(Int(script.byte()))
            if let slot, !payload.isEmpty { mesh.input(HostileMesh.hostile, .voice(payload, to: slot)) }
        case 10: mesh.input(HostileMesh.hostile, .resumed(gap: .seconds(Int64(choice))))
        case 11: mesh.input(target, .command(.setChannels(mesh.channels(of: target), talks: [])))
        case 12: if let peer = mesh.slotOfHostile[target] { mesh.input(target, .command(.compareWords(peer))) }
        case 13: forgeChannelJoin(&script, to: target)
        case 14: pair(&script, with: target)
        default: mesh.input(HostileMesh.hostile, .command(.setRecording(choice & 0x10 == 0)))
        }
    }
}
