package import Primitives
package import Wire

extension SignedEpochEntry {
    /// A signature for one purpose is not valid for another.
    private static let label = Array("partyline/1 epoch\0".utf8)

    /// - Precondition: the provider's node is the maker.
    package init(signing entry: EpochEntry, with sealing: any Sealing) {
        precondition(entry.maker == sealing.publicKey, "an epoch entry is signed by its maker")
        self.init(entry, signature: sealing.signature(over: Self.label + entry.encoded()))
    }

    /// Returns the node that made the change; nil if it did not sign this entry.
    package func verifiedMaker(with sealing: any Sealing) -> NodeID? {
        guard sealing.isValid(signature: signature, over: Self.label + entry.encoded(), by: entry.maker) else {
            return nil
        }
        return sealing.nodeID(ofPublicKey: entry.maker)
    }
}

extension EpochSecret {
    /// The hash of the secret in an epoch entry: 32 bytes.
    package func hash(with sealing: any Sealing) -> [UInt8] {
        sealing.hash(Array("partyline/1 secret".utf8) + bytes)
    }

    /// The hash of the code key in an epoch entry: 32 bytes, all zero without a code. The secret is hashed with it, so
    /// that a node without the secret cannot test codes against an entry.
    package func codeHash(of codeKey: [UInt8]?, with sealing: any Sealing) -> [UInt8] {
        guard let codeKey else { return [UInt8](repeating: 0, count: WireSizes.secretBytes) }
        return sealing.hash(Array("partyline/1 epoch code".utf8) + bytes + codeKey)
    }
}

extension EpochGrant {
    /// The secret of the new epoch; nil if the entry is about another one, or about another code.
    package func matchingSecret(with sealing: any Sealing) -> EpochSecret? {
        guard let secret = EpochSecret(number: entry.entry.number, bytes: secret),
            secret.hash(with: sealing) == entry.entry.secretHash,
            secret.codeHash(of: codeKey, with: sealing) == entry.entry.codeHash
        else { return nil }
        return secret
    }
}
