import TestKit
import Trust

/// `TransparentSealing` that records the inputs of signatures, derivations and AEADs, so that a test can compare them.
final class NotingSealing: SealingDecorator {
    let inner: any Sealing
    private(set) var signed: [[UInt8]] = []
    private(set) var salts: [[UInt8]] = []
    private(set) var infos: [[UInt8]] = []
    fileprivate(set) var additionalData: [[UInt8]] = []

    init(seed: UInt64) { inner = TransparentSealing(seed: seed) }

    func signature(over message: [UInt8]) -> [UInt8] {
        signed.append(message)
        return inner.signature(over: message)
    }
    func deriveKey(own: EphemeralKeys, peerPublicKey: [UInt8], salt: [UInt8], info: [UInt8]) -> [UInt8]? {
        salts.append(salt)
        infos.append(info)
        return inner.deriveKey(own: own, peerPublicKey: peerPublicKey, salt: salt, info: info)
    }
    func makeAEAD(baseKey: [UInt8], keyID: UInt32) -> any MediaAEAD {
        NotingAEAD(inner.makeAEAD(baseKey: baseKey, keyID: keyID), owner: self)
    }
}

private final class NotingAEAD: MediaAEAD {
    private let inner: any MediaAEAD
    private unowned let owner: NotingSealing

    init(_ inner: any MediaAEAD, owner: NotingSealing) { (self.inner, self.owner) = (inner, owner) }

    func seal(bodyOf datagram: inout [UInt8], from start: Int, counter: UInt64, additionalData: [UInt8]) {
        owner.additionalData.append(additionalData)
        inner.seal(bodyOf: &datagram, from: start, counter: counter, additionalData: additionalData)
    }
    func open(_ ciphertextAndTag: ArraySlice<UInt8>, counter: UInt64, additionalData: [UInt8]) -> [UInt8]? {
        owner.additionalData.append(additionalData)
        return inner.open(ciphertextAndTag, counter: counter, additionalData: additionalData)
    }
}
