import Primitives
import TrustCrypto

extension NodeID {
    /// The NodeID of a private Ed25519 key, 32 raw bytes.
    init(ofPrivateKey key: [UInt8]) {
        do throws(InvalidPrivateKey) {
            // Nothing is signed or sealed here, so random bytes are never asked for.
            self = try CryptoSealing(privateKey: key, randomBytes: { Array(repeating: 0, count: $0) }).nodeID
        } catch {
            illegal("a private key of \(key.count) bytes", in: "making a NodeID")
        }
    }
}
