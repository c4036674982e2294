import Primitives
import Testing
import Trust
import TrustCrypto
import Wire

@Suite("The sealed record of a beacon")
struct SealedBeaconTests {
    private static let mesh = MeshID(high: 1, low: 2)
    private static let salt = [UInt8](repeating: 3, count: 16)

    private func keys(_ number: UInt32, _ sealing: any Sealing) throws -> EpochKeys {
        let secret = try #require(EpochSecret(number: number, bytes: [UInt8](repeating: 7, count: 32)))
        return EpochKeys(of: secret, in: Self.mesh, with: sealing)
    }

    private func beacon(_ keys: EpochKeys, port: UInt16 = 7_400, _ sealing: any Sealing) -> SealedBeacon {
        let record = SignedRecord(
            publicKey: sealing.publicKey, body: Array("a body".utf8), signature: [UInt8](repeating: 5, count: 64))
        return SealedBeacon(
            record, port: port, salt: Self.salt, nonce: [UInt8](repeating: 4, count: 12), keys: keys, with: sealing)
    }

    @Test("is read by a member of the epoch, and by nobody else", arguments: Provider.allCases)
    func members(_ provider: Provider) throws {
        let (ana, ben) = (provider.make(1), provider.make(2))
        let beacon = beacon(try keys(1, ana), ana)
        let parsed = try SealedBeacon(parsing: beacon.encoded())
        #expect(parsed == beacon)
        #expect(try parsed.isTagged(by: keys(1, ben), with: ben) && !parsed.isTagged(by: keys(2, ben), with: ben))
        #expect(try parsed.opened(by: keys(1, ben), with: ben).publicKey == ana.publicKey)
        #expect(throws: WireError.forged) { try parsed.opened(by: keys(2, ben), with: ben) }
    }

    @Test("does not open behind another head, or with a changed byte", arguments: Provider.allCases)
    func changed(_ provider: Provider) throws {
        let ana = provider.make(1)
        let keys = try keys(1, ana)
        let bytes = beacon(keys, ana).encoded()
        let opened = bytes.indices.dropFirst(5).filter { index in
            var changed = bytes
            changed[index] ^= 1
            guard let beacon = try? SealedBeacon(parsing: changed) else { return false }
            return (try? beacon.opened(by: keys, with: ana)) != nil
        }
        #expect(opened.isEmpty)
    }
}
