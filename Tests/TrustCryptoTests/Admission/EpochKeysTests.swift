import Primitives
import Testing
import Trust
import TrustCrypto

@Suite("The keys of an epoch")
struct EpochKeysTests {
    private static let mesh = MeshID(high: 1, low: 2)
    private static let nonce = [UInt8](repeating: 3, count: 32)

    private func keys(
        _ sealing: any Sealing, number: UInt32 = 2, secret: UInt8 = 7, mesh: MeshID = Self.mesh
    ) throws -> EpochKeys {
        let secret = try #require(EpochSecret(number: number, bytes: [UInt8](repeating: secret, count: 32)))
        return EpochKeys(of: secret, in: mesh, with: sealing)
    }

    @Test("give tags and proofs that depend on secret, number and mesh", arguments: Provider.allCases)
    func dependence(_ provider: Provider) throws {
        let (ana, ben) = (provider.make(1), provider.make(2))
        let ends = CarrierEnds(
            dialler: ana.nodeID, acceptor: ben.nodeID, diallerNonce: Self.nonce, acceptorNonce: Self.nonce)
        func shown(_ keys: EpochKeys) -> [[UInt8]] {
            [
                keys.proofTag(nonce: Self.nonce, of: ana.nodeID, with: ana),
                keys.beaconTag(port: 7_400, salt: Array(Self.nonce.prefix(16)), with: ana),
                keys.memberProof(of: .dialler, on: ends, with: ana),
                keys.memberProof(of: .acceptor, on: ends, with: ana),
            ]
        }
        let own = shown(try keys(ana))
        #expect(own.map(\.count) == [16, 16, 32, 32] && Set(own).count == 4)
        #expect(shown(try keys(ben)) == own)
        for other in [
            try keys(ana, number: 3), try keys(ana, secret: 8), try keys(ana, mesh: MeshID(high: 1, low: 3)),
        ] {
            #expect(zip(shown(other), own).allSatisfy { $0 != $1 })
        }
    }

    @Test("a proof holds for its side, its nodes and its nonces alone", arguments: Provider.allCases)
    func binding(_ provider: Provider) throws {
        let (ana, ben, eve) = (provider.make(1), provider.make(2).nodeID, provider.make(3).nodeID)
        let keys = try keys(ana)
        let other = [UInt8](repeating: 4, count: 32)
        let carriers = [
            CarrierEnds(dialler: ana.nodeID, acceptor: ben, diallerNonce: Self.nonce, acceptorNonce: other),
            CarrierEnds(dialler: ben, acceptor: ana.nodeID, diallerNonce: Self.nonce, acceptorNonce: other),
            CarrierEnds(dialler: ana.nodeID, acceptor: eve, diallerNonce: Self.nonce, acceptorNonce: other),
            CarrierEnds(dialler: ana.nodeID, acceptor: ben, diallerNonce: other, acceptorNonce: other),
            CarrierEnds(dialler: ana.nodeID, acceptor: ben, diallerNonce: Self.nonce, acceptorNonce: Self.nonce),
        ]
        let proofs = carriers.flatMap { ends in
            CarrierSide.allCases.map { keys.memberProof(of: $0, on: ends, with: ana) }
        }
        #expect(Set(proofs).count == proofs.count)
        let tags = [(Self.nonce, ben), (other, ben), (Self.nonce, eve)].map { nonce, node in
            keys.proofTag(nonce: nonce, of: node, with: ana)
        }
        #expect(Set(tags).count == 3)
    }

    @Test("secrets are compared as a whole")
    func comparison() {
        let bytes = Self.nonce
        #expect(bytes.isEqualInConstantTime(to: bytes) && [UInt8]().isEqualInConstantTime(to: []))
        #expect(!bytes.isEqualInConstantTime(to: Array(bytes.dropLast())))
        let equal = bytes.indices.filter { index in
            var changed = bytes
            changed[index] ^= 0x80
            return bytes.isEqualInConstantTime(to: changed)
        }
        #expect(equal.isEmpty)
    }

    @Test("open what they sealed, and nothing else: AES-128-GCM", arguments: Provider.allCases)
    func sealing(_ provider: Provider) {
        let sealing = provider.make(1)
        let (key, nonce) = ([UInt8](repeating: 1, count: 16), [UInt8](repeating: 2, count: 12))
        for count in [0, 1, 600] {
            let plaintext = [UInt8](repeating: 5, count: count)
            let sealed = sealing.encrypted(plaintext, key: key, nonce: nonce, additionalData: [9])
            #expect(sealed.count == count + 16)
            #expect(sealing.decrypted(sealed, key: key, nonce: nonce, additionalData: [9]) == plaintext)
            #expect(sealing.decrypted(sealed, key: key, nonce: nonce, additionalData: [8]) == nil)
            #expect(sealing.decrypted(sealed, key: nonce + [1, 1, 1, 1], nonce: nonce, additionalData: [9]) == nil)
            #expect(
                sealing.decrypted(sealed, key: key, nonce: Array(nonce.dropLast()) + [3], additionalData: [9]) == nil)
            #expect(
                sealing.decrypted(Array(sealed.dropLast()), key: key, nonce: nonce, additionalData: [9]) == nil)
        }
        #expect(sealing.decrypted([], key: key, nonce: nonce, additionalData: []) == nil)
    }
}
