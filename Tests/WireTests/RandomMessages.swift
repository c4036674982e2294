import Primitives
import Wire

/// Draws valid values of everything that nodes send.
extension SeededRandom {
    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
    mutating func bytes(upTo countMax: Int) -> [UInt8] { bytes(Int(below(UInt64(countMax) + 1))) }
    mutating func u32() -> UInt32 { UInt32(truncatingIfNeeded: next() >> below(32)) }
    mutating func maybe<T>(_ draw: (inout SeededRandom) -> T) -> T? { chance(permille: 500) ? draw(&self) : nil }
    mutating func list<T>(upTo countMax: Int, _ draw: (inout SeededRandom) -> T) -> [T] {
        (0..<below(UInt64(countMax) + 1)).map { _ in draw(&self) }
    }

    mutating func node() -> NodeID { NodeID(words: (next(), next(), next(), next())) }
    mutating func instance() -> Instance { Instance(exactly: next() >> (16 + below(47)))! }

    mutating func text() -> SafeText {
        let letters = Array("abcdefgh ÄÖÜ 山田 ❤️ é<>&'\"")
        return SafeText(String(list(upTo: 30) { letters[Int($0.below(UInt64(letters.count)))] }))
    }

    mutating func endpoint() -> Endpoint {
        let address =
            chance(permille: 500)
            ? IPAddress(v4: 10, UInt8(below(256)), UInt8(below(256)), 1)
            : IPAddress(high: 0xFD00 << 48 | below(1 << 32), low: next())
        return Endpoint(address: address, port: UInt16(1 + below(65_535)))
    }

    mutating func record() -> NodeRecord {
        var record = NodeRecord(
            node: node(), instance: instance(), bootNonce: BootNonce(number: next()), sequence: u32(),
            endpoints: list(upTo: WireLimits.recordEndpointsMax) { $0.endpoint() },
            profile: NodeProfile(name: text(), role: text(), colour: UInt32(below(1 << 24))),
            isLeaving: chance(permille: 200), extensions: recordExtensions())
        // As it is read: the property stands for the extension.
        if record.extensions[.programme] == [] {
            record.extensions[.programme] = nil
            record.profile.feedsProgramme = true
        }
        return record
    }

    /// Half of the records have none; the others have at most as many bytes as an own record may have.
    mutating func recordExtensions() -> RecordExtensions {
        var extensions = RecordExtensions()
        guard chance(permille: 500) else { return extensions }
        for _ in 0..<below(17) {
            let kind = RecordExtensionKind(number: UInt8(below(256)))
            let room = WireLimits.ownRecordExtensionsBytesMax - extensions.byteCount - 2
            guard 0 <= room else { break }
            extensions[kind] = bytes(upTo: min(room, Int(below(12))))
        }
        return extensions
    }

    mutating func signedRecord() -> SignedRecord {
        SignedRecord(publicKey: bytes(32), body: bytes(1 + Int(below(512))), signature: bytes(64))
    }

    mutating func meshName() -> String {
        let name = text().string
        return name.isEmpty
            ? "partyline" : String(decoding: Array(name.utf8.prefix(12)).filter { $0 < 128 } + [97], as: UTF8.self)
    }

    mutating func offer() -> MediaKeyOffer {
        MediaKeyOffer(generation: u32(), keyID: u32(), ephemeralPublicKey: bytes(32), secret: bytes(32))
    }

    mutating func refusal() -> RefusalReason {
        RefusalReason.allCases[Int(below(UInt64(RefusalReason.allCases.count)))]
    }

    mutating func hello() -> Hello {
        let versionMin = 1 + UInt32(below(5))
        return Hello(
            versionMin: versionMin, versionMax: versionMin + UInt32(below(3)), mesh: meshName(),
            meshID: MeshID(high: next(), low: next()), record: signedRecord(),
            yourRecord: maybe { $0.signedRecord() }, nonce: bytes(32), bootNonce: BootNonce(number: next()),
            mediaPort: UInt16(1 + below(65_535)), yourInstanceSeen: maybe { $0.instance() })
    }

    mutating func advertisedLink() -> AdvertisedLink {
        AdvertisedLink(
            peer: node(), instance: instance(), path: PathKind.allCases[Int(below(3))], rttClass: UInt8(below(16)),
            lossClass: UInt8(below(6)))
    }

    /// A message of this kind, by its place in the list.
    mutating func message(kind: Int) -> CarrierMessage {
        switch kind {
        case 0: .hello(hello())
        case 1: .invite(Invite(attempt: u32(), nonceEcho: bytes(32), keys: offer()))
        case 2: .accept(Accept(attempt: u32(), nonceEcho: bytes(32), keys: offer()))
        case 3: .decline(refusal())
        case 4: .refuse(refusal(), retryAfterMilliseconds: u32())
        case 5:
            .connectRequest(
                SignedConnectRequest(record: signedRecord(), leader: node(), sequence: u32(), signature: bytes(64)))
        case 6: .mediaKey(offer())
        case 7: .mediaKeyAnswer(offer())
        case 8: .mediaKeyConfirm(generation: u32())
        case 9:
            .channels(
                list(upTo: WireLimits.channelsListenedMax) { $0.channel() },
                talks: list(upTo: WireLimits.channelsTalkedMax) { $0.channel() }, generation: UInt8(1 + below(255)))
        case 10: .records(list(upTo: WireLimits.recordsPerFrameMax) { $0.signedRecord() })
        case 11:
            .recordVersions(
                list(upTo: 40) {
                    NodeVersion(
                        node: $0.node(), version: RecordVersion(instance: $0.instance(), sequence: $0.u32()),
                        seenSecondsAgo: UInt16(truncatingIfNeeded: $0.next()))
                })
        case 12:
            .linkStates(
                list(upTo: WireLimits.linkStatesMax) { $0.advertisedLink() }, generation: UInt16(1 + below(65_535)))
        case 13: .leave
        case 14: .datagram(bytes(1 + Int(below(1_200))))
        case 15: .tunnel(TunnelFrame(number: next(), step: tunnelStep()))
        case 16: .table(.summary(TableSummary(.directory, items: tableItems())))
        case 17:
            .table(
                .entries(
                    TableEntries(
                        .directory, entries: list(upTo: 20) { $0.bytes(upTo: 438) }, hasMore: chance(permille: 500))))
        case 18: .call(.call(callFrame()))
        case 19:
            .call(
                .request(
                    RequestFrame(
                        id: CallID(number: next()), channel: ChannelID(high: next(), low: next()), subject: node())))
        case 20: .call(.answer(CallID(number: next()), CallAnswer.allCases[Int(below(4))]))
        case 21: .admission(.proof(proof()))
        case 22: .admission(.member(MemberProof(epoch: 1 + u32() / 2, proof: bytes(32))))
        case 23: .admission(.join(joinStep()))
        case 24: .admission(.grant(grant()))
        case 25: .epoch(epochGrant())
        case 26: .channelJoin(ChannelJoin(channelPointer: bytes(16), run: u32(), step: joinStep()))
        default: .words([WordStep.commit(bytes(32)), .answer(bytes(32)), .open(bytes(32))][Int(below(3))])
        }
    }

    mutating func channel() -> ChannelID { ChannelID(high: next(), low: next()) }

    static var messageKinds: Range<Int> { 0..<28 }

    mutating func proof() -> Proof {
        let forms: [ProofForm] = [.open, .newcomer, .pairing, .member(tags: (0...below(2)).map { _ in bytes(16) })]
        let versionMin = 1 + UInt32(below(5))
        return Proof(
            nonce: bytes(32), form: forms[Int(below(3))], versionMin: versionMin,
            versionMax: versionMin + UInt32(below(3)))
    }

    mutating func joinStep() -> JoinStep {
        let steps: [JoinStep] = [
            .start(share: bytes(32)), .answer(share: bytes(32), tag: bytes(64)), .confirm(tag: bytes(64)),
        ]
        return steps[Int(below(3))]
    }

    mutating func grant() -> MeshGrant {
        MeshGrant(
            mesh: MeshID(high: next(), low: next()), name: meshName(), epoch: 1 + u32() / 2, secret: bytes(32),
            codeKey: maybe { $0.bytes(32) })
    }

    mutating func epochEntry() -> EpochEntry {
        let nodes = list(upTo: 40) { $0.node() }.sorted()
        return EpochEntry(
            mesh: MeshID(high: next(), low: next()), number: 2 + u32() / 2, secretHash: bytes(32), codeHash: bytes(32),
            maker: bytes(32), stay: nodes.filter { $0.bytes[31] < 128 }, left: nodes.filter { 128 <= $0.bytes[31] })
    }

    mutating func epochGrant() -> EpochGrant {
        EpochGrant(
            entry: SignedEpochEntry(epochEntry(), signature: bytes(64)), secret: bytes(32),
            codeKey: maybe { $0.bytes(32) })
    }

    mutating func sealedBeacon() -> SealedBeacon {
        SealedBeacon(
            port: UInt16(1 + below(65_535)), salt: bytes(16), tag: bytes(16), nonce: bytes(12),
            sealedRecord: bytes(115 + Int(below(512))))
    }

    mutating func callFrame() -> CallFrame {
        let targets: [CallTarget] = [.receiver, .all, .channel(channel())]
        return CallFrame(
            id: CallID(number: next()), target: targets[Int(below(3))],
            text: chance(permille: 500) ? SafeText("") : SafeText("cue \(below(1_000))"),
            expiresMilliseconds: UInt32(1_000 + below(119_001)), isUrgent: chance(permille: 300))
    }

    /// Items in the order of their ids.
    mutating func tableItems() -> [TableItem] {
        let ids = list(upTo: 40) { TableEntryID(words: ($0.below(4), $0.next(), $0.next())) }
        return Set(ids).sorted().map { TableItem(id: $0, hash: next()) }
    }

    mutating func tunnelStep() -> TunnelStep {
        switch below(5) {
        case 0: .request(to: node())
        case 1: .offer(from: node())
        case 2: .data(bytes(1 + Int(below(UInt64(WireLimits.tunnelDataBytesMax)))))
        case 3: .credit(UInt16(below(UInt64(WireLimits.tunnelWindowBytes) + 1)))
        default: .close(TunnelCloseReason.allCases[Int(below(UInt64(TunnelCloseReason.allCases.count)))])
        }
    }

    mutating func datagramBody() -> DatagramBody {
        let isRelayed = chance(permille: 300)
        let isPadded = !isRelayed && chance(permille: 300)
        let hasDigests = !isRelayed && chance(permille: 300)
        let hasList = !isRelayed && chance(permille: 300)
        return DatagramBody(
            control: maybe { $0.controlBlock() }, pathChallenge: maybe { $0.next() }, pathAnswer: maybe { $0.next() },
            listening: hasList ? listeningChange() : nil, tally: isRelayed ? nil : maybe { $0.tally() },
            tableDigests: hasDigests ? [TableDigest(.directory, digest: next())] : [],
            voice: isRelayed || isPadded || hasDigests || hasList
                ? [] : bytes(upTo: chance(permille: 100) ? WireLimits.voicePayloadBytesMax : 100),
            relayed: isRelayed ? relayedDatagram() : nil,
            paddingBytes: isPadded ? 1 + Int(below(UInt64(WireLimits.paddingBytesMax))) : 0)
    }

    mutating func listeningChange() -> ListeningChange {
        ListeningChange(
            list(upTo: WireLimits.channelsListenedMax) { $0.channel() }, generation: UInt8(1 + below(255)))
    }

    mutating func tally() -> Tally {
        Tally(generation: UInt8(1 + below(255)), places: UInt32(1 + below(UInt64(UInt32.max))))
    }

    mutating func relayedDatagram() -> RelayedDatagram {
        let other = node()
        return RelayedDatagram(chance(permille: 500) ? .toward(other) : .from(other), bytes(1 + Int(below(300))))
    }

    mutating func controlBlock() -> ControlBlock {
        let echo = maybe { $0.u32() }
        return ControlBlock(
            sequence: u32(), echo: echo, echoDelayMicroseconds: echo == nil ? 0 : u32(), digest: u32(),
            held: HeldGenerations(linkStates: UInt16(below(65_536)), channels: UInt8(below(256))),
            sampleTime: SampleTime(samples: u32()),
            report: maybe {
                ReceptionReport(
                    lossPermille: UInt16($0.below(1_001)), lossRunTenths: UInt16($0.below(65_536)),
                    latePermille: UInt16($0.below(1_001)), jitterTargetSamples: UInt16($0.below(65_536)),
                    captureSamples: UInt16($0.below(65_536)), playoutSamples: UInt16($0.below(65_536)))
            }, flags: ControlFlags(rawValue: UInt8(below(64))))
    }

    /// Good bytes, changed as a careless or hostile sender would change them.
    mutating func mutated(_ good: [UInt8]) -> [UInt8] {
        var bytes = good
        for _ in 0...below(4) {
            let index = bytes.isEmpty ? 0 : Int(below(UInt64(bytes.count)))
            switch below(6) {
            case 0 where !bytes.isEmpty: bytes[index] = UInt8(truncatingIfNeeded: next())
            case 1 where !bytes.isEmpty: bytes[index] ^= 1 << UInt8(below(8))
            case 2 where !bytes.isEmpty: bytes.removeSubrange(index...)
            case 3 where !bytes.isEmpty: bytes[index] = [0, 1, 0x7F, 0x80, 0xFE, 0xFF][Int(below(6))]
            case 4: bytes.insert(contentsOf: self.bytes(upTo: 9), at: index)
            default: bytes += self.bytes(upTo: 3)
            }
        }
        return bytes
    }
}
