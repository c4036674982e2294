package import Primitives

/// What a node says of itself. The node signs its record, any node may pass it on, and only the node itself can make
/// a newer version.
package struct NodeRecord: Hashable, Sendable {
    package var node: NodeID
    package var instance: Instance
    package var bootNonce: BootNonce
    /// Rises with every change within an instance.
    package var sequence: UInt32
    /// Where the node listens, with TCP and UDP on the same port; at most `WireLimits.recordEndpointsMax`.
    package var endpoints: [Endpoint]
    package var profile: NodeProfile
    /// Whether the node leaves; the record then no longer counts.
    package var isLeaving: Bool
    /// Fields that came later. No kind is in use yet; those of newer nodes are kept as they are.
    package var extensions: RecordExtensions

    package init(
        node: NodeID, instance: Instance, bootNonce: BootNonce, sequence: UInt32, endpoints: [Endpoint],
        profile: NodeProfile, isLeaving: Bool, extensions: RecordExtensions = .init()
    ) {
        self.node = node
        self.instance = instance
        self.bootNonce = bootNonce
        self.sequence = sequence
        self.endpoints = endpoints
        self.profile = profile
        self.isLeaving = isLeaving
        self.extensions = extensions
    }

    /// The version, by which the records of one node are ordered.
    package var version: RecordVersion { RecordVersion(instance: instance, sequence: sequence) }
}

package struct RecordVersion: Hashable, Comparable, Sendable {
    package var instance: Instance
    package var sequence: UInt32
    package init(instance: Instance, sequence: UInt32) {
        self.instance = instance
        self.sequence = sequence
    }
    package static func < (a: RecordVersion, b: RecordVersion) -> Bool {
        (a.instance, a.sequence) < (b.instance, b.sequence)
    }
}

/// A record as it is sent. It is stored and forwarded byte for byte, so that its signature stays valid.
package struct SignedRecord: Hashable, Sendable {
    /// Raw Ed25519 public key, 32 bytes (RFC 8032).
    package var publicKey: [UInt8]
    /// The encoded record, at most `WireLimits.recordBytesMax`.
    package var body: [UInt8]
    /// 64 bytes over the label and `body` (docs/WIRE.md, "Records").
    package var signature: [UInt8]

    package init(publicKey: [UInt8], body: [UInt8], signature: [UInt8]) {
        self.publicKey = publicKey
        self.body = body
        self.signature = signature
    }

    /// Whether public key, body and signature have sizes that a verifier accepts.
    package var hasValidSizes: Bool {
        publicKey.count == WireSizes.publicKeyBytes && signature.count == WireSizes.signatureBytes
            && !body.isEmpty && body.count <= WireLimits.recordBytesMax
    }
}
