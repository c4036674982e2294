import Primitives

/// Fields of PROOF, MEMBER, JOIN and GRANT, checked one by one.

private enum FormCode {
    static let open: UInt32 = 1
    static let member: UInt32 = 2
    static let newcomer: UInt32 = 3
    static let pairing: UInt32 = 4
}

extension PBProof {
    init(_ proof: Proof) {
        self.init()
        nonce = proof.nonce.field
        switch proof.form {
        case .open: form = FormCode.open
        case .member(let tags):
            precondition(WireLimits.proofTags.contains(tags.count), "\(tags.count) tags in a PROOF")
            form = FormCode.member
            self.tags = tags.map(\.field)
        case .newcomer: form = FormCode.newcomer
        case .pairing: form = FormCode.pairing
        }
        versionMin = proof.versionMin
        versionMax = proof.versionMax
    }
}

extension Proof {
    init(_ fields: PBProof) throws(WireError) {
        guard fields.hasForm, fields.hasVersionMin, fields.hasVersionMax else { throw .malformed }
        guard 0 < fields.versionMin, fields.versionMin <= fields.versionMax else { throw .outOfRange }
        self.init(
            nonce: try fields.nonce.array(count: WireSizes.nonceBytes), form: try ProofForm(fields),
            versionMin: fields.versionMin, versionMax: fields.versionMax)
    }
}

extension ProofForm {
    fileprivate init(_ fields: PBProof) throws(WireError) {
        guard fields.form == FormCode.member else {
            guard fields.tags.isEmpty else { throw .malformed }
            switch fields.form {
            case FormCode.open: self = .open
            case FormCode.newcomer: self = .newcomer
            case FormCode.pairing: self = .pairing
            default: throw .unknownKind
            }
            return
        }
        guard WireLimits.proofTags.contains(fields.tags.count) else { throw .malformed }
        var tags: [[UInt8]] = []
        for tag in fields.tags { tags.append(try tag.array(count: WireSizes.proofTagBytes)) }
        self = .member(tags: tags)
    }
}

extension PBMember {
    init(_ member: MemberProof) {
        self.init()
        epoch = member.epoch
        proof = member.proof.field
    }
}

extension MemberProof {
    init(_ fields: PBMember) throws(WireError) {
        guard fields.hasEpoch else { throw .malformed }
        guard 0 < fields.epoch else { throw .outOfRange }
        self.init(epoch: fields.epoch, proof: try fields.proof.array(count: WireSizes.memberProofBytes))
    }
}

extension PBJoin {
    init(_ step: JoinStep) {
        self.init()
        switch step {
        case .start(let share):
            self.step = 1
            self.share = share.field
        case .answer(let share, let tag):
            self.step = 2
            self.share = share.field
            self.tag = tag.field
        case .confirm(let tag):
            self.step = 3
            self.tag = tag.field
        }
    }
}

extension PBJoin {
    init(_ join: ChannelJoin) {
        let pointer = join.channelPointer
        precondition(pointer.count == WireSizes.channelPointerBytes, "a channel pointer of \(pointer.count) bytes")
        self.init(join.step)
        channel = pointer.field
        run = join.run
    }

    /// A step about a channel, or one about the mesh.
    func checked() throws(WireError) -> CarrierMessage {
        let step = try JoinStep(self)
        guard !channel.isEmpty || hasRun else { return .admission(.join(step)) }
        guard hasRun else { throw .malformed }
        return .channelJoin(
            ChannelJoin(channelPointer: try channel.array(count: WireSizes.channelPointerBytes), run: run, step: step))
    }
}

extension JoinStep {
    fileprivate init(_ fields: PBJoin) throws(WireError) {
        guard fields.hasStep else { throw .malformed }
        switch fields.step {
        case 1:
            guard fields.tag.isEmpty else { throw .malformed }
            self = .start(share: try fields.share.array(count: WireSizes.joinShareBytes))
        case 2:
            self = .answer(
                share: try fields.share.array(count: WireSizes.joinShareBytes),
                tag: try fields.tag.array(count: WireSizes.joinTagBytes))
        case 3:
            guard fields.share.isEmpty else { throw .malformed }
            self = .confirm(tag: try fields.tag.array(count: WireSizes.joinTagBytes))
        default: throw .outOfRange
        }
    }
}

extension PBGrant {
    init(_ grant: MeshGrant) {
        precondition(MeshName.isValid(grant.name), "a mesh name of \(grant.name.utf8.count) bytes")
        self.init()
        meshID = grant.mesh.bytes.field
        mesh = grant.name
        epoch = grant.epoch
        secret = grant.secret.field
        if let codeKey = grant.codeKey { self.codeKey = codeKey.field }
    }
}

extension MeshGrant {
    init(_ fields: PBGrant) throws(WireError) {
        guard fields.hasEpoch else { throw .malformed }
        guard 0 < fields.epoch else { throw .outOfRange }
        self.init(
            mesh: try MeshID(field: fields.meshID.array), name: try MeshName.parse(Array(fields.mesh.utf8)),
            epoch: fields.epoch, secret: try fields.secret.array(count: WireSizes.secretBytes),
            codeKey: fields.codeKey.isEmpty ? nil : try fields.codeKey.array(count: WireSizes.secretBytes))
    }
}

extension MeshID {
    package var bytes: [UInt8] {
        var writer = ByteWriter(capacity: WireSizes.meshIDBytes)
        writer.u64(high)
        writer.u64(low)
        return writer.bytes
    }

    init(field: [UInt8]) throws(WireError) {
        guard field.count == WireSizes.meshIDBytes else { throw .malformed }
        var reader = ByteReader(field)
        self.init(high: try reader.u64(), low: try reader.u64())
    }
}
