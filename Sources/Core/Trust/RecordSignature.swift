package import Primitives
package import Wire

/// Prefixes of signed bytes: a signature for one purpose is then not valid for another.
///
/// They are fixed bytes of the protocol (docs/WIRE.md, "Records"): with another prefix, nodes of two versions would
/// refuse each other's signatures. So their number is not the version of the protocol, and the connect request keeps
/// its first name, knock.
private enum SignatureLabel {
    static let record = Array("partyline/1 record\0".utf8)
    static let connectRequest = Array("partyline/1 knock\0".utf8)
}

extension SignedRecord {
    /// Signs `record` with the provider's key.
    /// - Precondition: `record` is about the provider's own node.
    package init(signing record: NodeRecord, with sealing: any Sealing) {
        precondition(record.node == sealing.nodeID, "a record of another node is not ours to sign")
        let body = record.encoded()
        precondition(body.count <= WireLimits.recordBytesMax, "a record of \(body.count) bytes")
        self.init(
            publicKey: sealing.publicKey, body: body,
            signature: sealing.signature(over: SignatureLabel.record + body))
    }

    /// Returns the record. Checks the sizes, then the signature, and only then parses the body.
    /// - Throws: `malformed` if a size is wrong, `forged` if the signature is wrong or the NodeID is not that of the
    ///   key, and the errors of `NodeRecord(parsing:)`.
    package func verified(with sealing: any Sealing) throws(WireError) -> NodeRecord {
        guard hasValidSizes else { throw .malformed }
        guard sealing.isValid(signature: signature, over: SignatureLabel.record + body, by: publicKey) else {
            throw .forged
        }
        let record = try NodeRecord(parsing: body)
        guard record.node == sealing.nodeID(ofPublicKey: publicKey) else { throw .forged }
        return record
    }
}

extension SignedConnectRequest {
    /// Signs a request that `leader` dial this node.
    /// - Precondition: `record` is the provider's own.
    package init(from record: SignedRecord, to leader: NodeID, sequence: UInt32, with sealing: any Sealing) {
        precondition(record.publicKey == sealing.publicKey, "a connect request is signed by its sender")
        self.init(record: record, leader: leader, sequence: sequence, signature: [])
        signature = sealing.signature(over: signedBytes)
    }

    /// Returns the sender's record, after a check of its signature and that of the request.
    /// - Throws: `forged` if the request's signature is wrong, and the errors of `SignedRecord.verified(with:)`.
    package func verified(with sealing: any Sealing) throws(WireError) -> NodeRecord {
        let sender = try record.verified(with: sealing)
        guard sealing.isValid(signature: signature, over: signedBytes, by: record.publicKey) else { throw .forged }
        return sender
    }

    /// The bytes under the signature. They contain the whole record, so a request is valid for one instance and boot
    /// only.
    private var signedBytes: [UInt8] {
        var writer = ByteWriter(capacity: WireLimits.recordBytesMax)
        writer.raw(SignatureLabel.connectRequest)
        writer.raw(leader.bytes)
        writer.u32(sequence)
        writer.raw(record.body)
        return writer.bytes
    }
}
