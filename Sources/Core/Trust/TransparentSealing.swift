package import Primitives

/// A `Sealing` provider without cryptography, for large simulations. It protects nothing.
///
/// All sizes, key lifetimes and replay rules are those of `CryptoSealing`. Bytes that `CryptoSealing` would refuse are
/// refused here too, unless they were forged with knowledge of this file. Each primitive is replaced by a keyed 64-bit
/// hash, and everything follows from the seed.
package final class TransparentSealing: Sealing {
    package let publicKey: [UInt8]
    package let nodeID: NodeID
    private var random: SeededRandom

    /// - Parameters:
    ///   - seed: determines the identity: the same seed gives the same NodeID.
    ///   - boot: number of the boot, so that two boots of one identity have different keys and nonces.
    package init(seed: UInt64, boot: UInt64 = 0) {
        publicKey = TransparentMix.expanded([seed], label: .identity, byteCount: 32)
        nodeID = TransparentSealing.identity(of: publicKey)
        random = SeededRandom(seed: TransparentMix.word([seed, boot], label: .randomness))
    }

    package func nodeID(ofPublicKey publicKey: [UInt8]) -> NodeID? {
        publicKey.count == 32 ? TransparentSealing.identity(of: publicKey) : nil
    }

    package func randomBytes(count: Int) -> [UInt8] {
        precondition(0 <= count, "a count is not negative")
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 7)
        while bytes.count < count { TransparentMix.append(random.next(), to: &bytes) }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    package func hash(_ message: [UInt8]) -> [UInt8] {
        TransparentMix.expanded(TransparentMix.digest(message, label: .hash), label: .hash, byteCount: 32)
    }

    package func signature(over message: [UInt8]) -> [UInt8] {
        TransparentSealing.signature(over: message, by: publicKey)
    }

    package func isValid(signature: [UInt8], over message: [UInt8], by publicKey: [UInt8]) -> Bool {
        publicKey.count == 32 && signature == TransparentSealing.signature(over: message, by: publicKey)
    }

    package func makeEphemeralKeys() -> EphemeralKeys {
        let privateKey = randomBytes(count: 32)
        return EphemeralKeys(
            privateKey: privateKey, publicKey: TransparentSealing.ephemeralPublicKey(of: privateKey))
    }

    /// Both sides hash the two public keys in the same order. A key of zeros stands for the X25519 points of small
    /// order.
    package func deriveKey(own: EphemeralKeys, peerPublicKey: [UInt8], salt: [UInt8], info: [UInt8]) -> [UInt8]? {
        guard peerPublicKey.count == 32, peerPublicKey.contains(where: { $0 != 0 }) else { return nil }
        let ownPublicKey = TransparentSealing.ephemeralPublicKey(of: own.privateKey)
        let isOwnFirst = ownPublicKey.lexicographicallyPrecedes(peerPublicKey)
        let parts = (isOwnFirst ? [ownPublicKey, peerPublicKey] : [peerPublicKey, ownPublicKey]) + [salt, info]
        let words = parts.flatMap { TransparentMix.digest($0, label: .agreement) }
        return TransparentMix.expanded(words, label: .agreement, byteCount: 32)
    }

    package func makeAEAD(baseKey: [UInt8], keyID: UInt32) -> any MediaAEAD {
        TransparentAEAD(
            key: TransparentMix.word(
                TransparentMix.digest(baseKey, label: .seal) + [UInt64(keyID)], label: .seal))
    }

    package func encrypted(
        _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], additionalData: [UInt8]
    ) -> [UInt8] {
        var sealed = plaintext
        TransparentSealing.aead(key, nonce).seal(bodyOf: &sealed, from: 0, counter: 0, additionalData: additionalData)
        return sealed
    }

    package func decrypted(
        _ ciphertextAndTag: [UInt8], key: [UInt8], nonce: [UInt8], additionalData: [UInt8]
    ) -> [UInt8]? {
        TransparentSealing.aead(key, nonce).open(ciphertextAndTag[...], counter: 0, additionalData: additionalData)
    }

    private static func aead(_ key: [UInt8], _ nonce: [UInt8]) -> TransparentAEAD {
        precondition(key.count == 16 && nonce.count == 12, "a key of \(key.count) bytes, a nonce of \(nonce.count)")
        let words = TransparentMix.digest(key, label: .seal) + TransparentMix.digest(nonce, label: .seal)
        return TransparentAEAD(key: TransparentMix.word(words, label: .seal))
    }

    private static func identity(of publicKey: [UInt8]) -> NodeID {
        let words = TransparentMix.digest(publicKey, label: .identity)
        guard let id = NodeID(TransparentMix.expanded(words, label: .identity, byteCount: NodeID.byteCount))
        else { preconditionFailure("an identity has \(NodeID.byteCount) bytes") }
        return id
    }

    private static func signature(over message: [UInt8], by publicKey: [UInt8]) -> [UInt8] {
        let words =
            TransparentMix.digest(publicKey, label: .signature)
            + TransparentMix.digest(message, label: .signature)
        return TransparentMix.expanded(words, label: .signature, byteCount: 64)
    }

    private static func ephemeralPublicKey(of privateKey: [UInt8]) -> [UInt8] {
        TransparentMix.expanded(
            TransparentMix.digest(privateKey, label: .agreement), label: .agreement, byteCount: 32)
    }
}

/// Leaves the plaintext readable, and adds a tag of 16 bytes over counter, additional data and plaintext.
private final class TransparentAEAD: MediaAEAD {
    private static let tagBytes = 16
    private let key: UInt64

    init(key: UInt64) { self.key = key }

    func seal(bodyOf datagram: inout [UInt8], from start: Int, counter: UInt64, additionalData: [UInt8]) {
        let tag = tag(datagram[start...], counter: counter, additionalData: additionalData)
        TransparentMix.append(tag, to: &datagram)
        TransparentMix.append(~tag, to: &datagram)
    }

    func open(_ ciphertextAndTag: ArraySlice<UInt8>, counter: UInt64, additionalData: [UInt8]) -> [UInt8]? {
        guard TransparentAEAD.tagBytes <= ciphertextAndTag.count else { return nil }
        let end = ciphertextAndTag.endIndex - TransparentAEAD.tagBytes
        let plaintext = ciphertextAndTag[..<end]
        let tag = tag(plaintext, counter: counter, additionalData: additionalData)
        guard TransparentMix.word(ciphertextAndTag[end..<end + 8]) == tag,
            TransparentMix.word(ciphertextAndTag[(end + 8)...]) == ~tag
        else { return nil }
        return Array(plaintext)
    }

    private func tag(_ plaintext: ArraySlice<UInt8>, counter: UInt64, additionalData: [UInt8]) -> UInt64 {
        var state = TransparentMix.step(key, counter)
        state = TransparentMix.absorb(additionalData[...], into: state)
        return TransparentMix.absorb(plaintext, into: state)
    }
}
