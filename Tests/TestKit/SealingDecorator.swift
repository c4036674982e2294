package import Primitives
package import Trust

/// A sealing that hands each call to another one. A type that adopts it writes down only the calls that it changes.
package protocol SealingDecorator: Sealing {
    /// The sealing that does the work.
    var inner: any Sealing { get }
}

extension SealingDecorator {
    package var publicKey: [UInt8] { inner.publicKey }
    package var nodeID: NodeID { inner.nodeID }
    package func nodeID(ofPublicKey publicKey: [UInt8]) -> NodeID? { inner.nodeID(ofPublicKey: publicKey) }
    package func randomBytes(count: Int) -> [UInt8] { inner.randomBytes(count: count) }
    package func hash(_ message: [UInt8]) -> [UInt8] { inner.hash(message) }
    package func signature(over message: [UInt8]) -> [UInt8] { inner.signature(over: message) }
    package func isValid(signature: [UInt8], over message: [UInt8], by publicKey: [UInt8]) -> Bool {
        inner.isValid(signature: signature, over: message, by: publicKey)
    }
    package func makeEphemeralKeys() -> EphemeralKeys { inner.makeEphemeralKeys() }
    package func deriveKey(own: EphemeralKeys, peerPublicKey: [UInt8], salt: [UInt8], info: [UInt8]) -> [UInt8]? {
        inner.deriveKey(own: own, peerPublicKey: peerPublicKey, salt: salt, info: info)
    }
    package func encrypted(_ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], additionalData: [UInt8]) -> [UInt8] {
        inner.encrypted(plaintext, key: key, nonce: nonce, additionalData: additionalData)
    }
    package func decrypted(
        _ ciphertextAndTag: [UInt8], key: [UInt8], nonce: [UInt8], additionalData: [UInt8]
    ) -> [UInt8]? {
        inner.decrypted(ciphertextAndTag, key: key, nonce: nonce, additionalData: additionalData)
    }
}
