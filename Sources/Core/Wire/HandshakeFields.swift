import Primitives

/// Fields of HELLO, INVITE, ACCEPT, their refusals and the media keys, checked one by one.

extension PBHello {
    init(_ hello: Hello) {
        precondition(MeshName.isValid(hello.mesh), "a mesh name of \(hello.mesh.utf8.count) bytes")
        self.init()
        versionMin = hello.versionMin
        versionMax = hello.versionMax
        mesh = hello.mesh
        record = PBSignedRecord(hello.record)
        if let yours = hello.yourRecord { yourRecord = PBSignedRecord(yours) }
        nonce = hello.nonce.field
        bootNonce = hello.bootNonce.number
        if let seen = hello.yourInstanceSeen { yourInstanceSeen = seen.number }
        mediaPort = UInt32(hello.mediaPort)
        meshID = hello.meshID.bytes.field
    }
}

extension Hello {
    init(_ fields: PBHello) throws(WireError) {
        guard fields.hasVersionMin, fields.hasVersionMax, fields.hasRecord, fields.hasBootNonce, fields.hasMediaPort
        else { throw .malformed }
        guard 0 < fields.versionMin, fields.versionMin <= fields.versionMax,
            let mediaPort = UInt16(exactly: fields.mediaPort), mediaPort != 0
        else { throw .outOfRange }
        self.init(
            versionMin: fields.versionMin, versionMax: fields.versionMax,
            mesh: try MeshName.parse(Array(fields.mesh.utf8)), meshID: try MeshID(field: fields.meshID.array),
            record: try SignedRecord(fields.record),
            yourRecord: fields.hasYourRecord ? try SignedRecord(fields.yourRecord) : nil,
            nonce: try fields.nonce.array(count: WireSizes.nonceBytes),
            bootNonce: BootNonce(number: fields.bootNonce), mediaPort: mediaPort,
            yourInstanceSeen: fields.hasYourInstanceSeen ? try Instance(field: fields.yourInstanceSeen) : nil)
    }
}

extension PBInvite {
    init(_ invite: Invite) {
        self.init()
        attempt = invite.attempt
        nonceEcho = invite.nonceEcho.field
        keys = PBMediaKeyOffer(invite.keys)
    }
}

extension Invite {
    init(_ fields: PBInvite) throws(WireError) {
        guard fields.hasAttempt, fields.hasKeys else { throw .malformed }
        self.init(
            attempt: fields.attempt, nonceEcho: try fields.nonceEcho.array(count: WireSizes.nonceBytes),
            keys: try MediaKeyOffer(fields.keys))
    }
}

extension PBAccept {
    init(_ accept: Accept) {
        self.init()
        attempt = accept.attempt
        nonceEcho = accept.nonceEcho.field
        keys = PBMediaKeyOffer(accept.keys)
    }
}

extension Accept {
    init(_ fields: PBAccept) throws(WireError) {
        guard fields.hasAttempt, fields.hasKeys else { throw .malformed }
        self.init(
            attempt: fields.attempt, nonceEcho: try fields.nonceEcho.array(count: WireSizes.nonceBytes),
            keys: try MediaKeyOffer(fields.keys))
    }
}

extension PBDecline {
    init(_ reason: RefusalReason) {
        self.init()
        self.reason = UInt32(reason.rawValue)
    }

    func checked() throws(WireError) -> RefusalReason {
        guard hasReason else { throw .malformed }
        return try RefusalReason(field: reason)
    }
}

extension PBRefuse {
    init(_ reason: RefusalReason, retryAfterMilliseconds: UInt32) {
        self.init()
        self.reason = UInt32(reason.rawValue)
        self.retryAfterMilliseconds = retryAfterMilliseconds
    }

    func checked() throws(WireError) -> (RefusalReason, retryAfterMilliseconds: UInt32) {
        guard hasReason, hasRetryAfterMilliseconds else { throw .malformed }
        return (try RefusalReason(field: reason), retryAfterMilliseconds)
    }
}

extension RefusalReason {
    fileprivate init(field: UInt32) throws(WireError) {
        guard let raw = UInt8(exactly: field), let reason = RefusalReason(rawValue: raw) else { throw .unknownKind }
        self = reason
    }
}

extension PBMediaKeyOffer {
    init(_ offer: MediaKeyOffer) {
        self.init()
        generation = offer.generation
        keyID = offer.keyID
        ephemeralPublicKey = offer.ephemeralPublicKey.field
        secret = offer.secret.field
    }
}

extension MediaKeyOffer {
    init(_ fields: PBMediaKeyOffer) throws(WireError) {
        guard fields.hasGeneration, fields.hasKeyID else { throw .malformed }
        self.init(
            generation: fields.generation, keyID: fields.keyID,
            ephemeralPublicKey: try fields.ephemeralPublicKey.array(count: WireSizes.publicKeyBytes),
            secret: try fields.secret.array(count: WireSizes.secretBytes))
    }
}

extension PBMediaKeyConfirm {
    init(generation: UInt32) {
        self.init()
        self.generation = generation
    }

    func checked() throws(WireError) -> UInt32 {
        guard hasGeneration else { throw .malformed }
        return generation
    }
}

extension Instance {
    init(field: UInt64) throws(WireError) {
        guard let instance = Instance(exactly: field) else { throw .outOfRange }
        self = instance
    }
}
