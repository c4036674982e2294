import Primitives
import Trust

/// The sealing of a hostile member: it seals other bodies than those that its node made.
final class ForgingSealing: Sealing {
    /// Bodies to seal instead of the next ones.
    final class Hand {
        var forged: [[UInt8]] = []
        /// The latest bodies that the node made.
        var made: [[UInt8]] = []
    }

    let hand = Hand()
    private let honest: TransparentSealing

    init(_ honest: TransparentSealing) { self.honest = honest }

    func makeAEAD(baseKey: [UInt8], keyID: UInt32) -> any MediaAEAD {
        ForgingAEAD(honest.makeAEAD(baseKey: baseKey, keyID: keyID), hand)
    }

    var publicKey: [UInt8] { honest.publicKey }
    var nodeID: NodeID { honest.nodeID }
    func nodeID(ofPublicKey publicKey: [UInt8]) -> NodeID? { honest.nodeID(ofPublicKey: publicKey) }
    func randomBytes(count: Int) -> [UInt8] { honest.randomBytes(count: count) }
    func hash(_ message: [UInt8]) -> [UInt8] { honest.hash(message) }
    func signature(over message: [UInt8]) -> [UInt8] { honest.signature(over: message) }
    func isValid(signature: [UInt8], over message: [UInt8], by publicKey: [UInt8]) -> Bool {
        honest.isValid(signature: signature, over: message, by: publicKey)
    }
    func makeEphemeralKeys() -> EphemeralKeys { honest.makeEphemeralKeys() }
    func deriveKey(own: EphemeralKeys, peerPublicKey: [UInt8], salt: [UInt8], info: [UInt8]) -> [UInt8]? {
        honest.deriveKey(own: own, peerPublicKey: peerPublicKey, salt: salt, info: info)
    }
    func encrypted(_ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], additionalData: [UInt8]) -> [UInt8] {
        honest.encrypted(plaintext, key: key, nonce: nonce, additionalData: additionalData)
    }
    func decrypted(_ ciphertext: [UInt8], key: [UInt8], nonce: [UInt8], additionalData: [UInt8]) -> [UInt8]? {
        honest.decrypted(ciphertext, key: key, nonce: nonce, additionalData: additionalData)
    }
}

private final class ForgingAEAD: MediaAEAD {
    private let honest: any MediaAEAD
    private let hand: ForgingSealing.Hand

    init(_ honest: any MediaAEAD, _ hand: ForgingSealing.Hand) { (self.honest, self.hand) = (honest, hand) }

    func seal(bodyOf datagram: inout [UInt8], from start: Int, counter: UInt64, additionalData: [UInt8]) {
        hand.made.append(Array(datagram[start...]))
        if HostileMember.tapeMax < hand.made.count { hand.made.removeFirst() }
        if !hand.forged.isEmpty {
            datagram.removeSubrange(start...)
            datagram += hand.forged.removeFirst()
        }
        honest.seal(bodyOf: &datagram, from: start, counter: counter, additionalData: additionalData)
    }

    func open(_ ciphertextAndTag: ArraySlice<UInt8>, counter: UInt64, additionalData: [UInt8]) -> [UInt8]? {
        honest.open(ciphertextAndTag, counter: counter, additionalData: additionalData)
    }
}
