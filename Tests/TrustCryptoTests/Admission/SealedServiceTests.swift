import Primitives
import Testing
import Trust
import TrustCrypto
import Wire

@Suite("The sealed NodeID of a service")
struct SealedServiceTests {
    private static let mesh = MeshID(high: 1, low: 2)
    private static let salt = [UInt8](repeating: 3, count: 16)

    private func keys(_ number: UInt32, _ sealing: any Sealing) throws -> EpochKeys {
        let secret = try #require(EpochSecret(number: number, bytes: [UInt8](repeating: 7, count: 32)))
        return EpochKeys(of: secret, in: Self.mesh, with: sealing)
    }

    private func service(_ keys: EpochKeys, _ sealing: any Sealing) -> SealedService {
        SealedService(
            of: sealing.nodeID, port: 7_400, salt: Self.salt, nonce: [UInt8](repeating: 4, count: 12), keys: keys,
            with: sealing)
    }

    @Test("is read by a member of the epoch, and by nobody else", arguments: Provider.allCases)
    func members(_ provider: Provider) throws {
        let (ana, ben) = (provider.make(1), provider.make(2))
        let service = service(try keys(1, ana), ana)
        #expect(try service.isTagged(by: keys(1, ben), with: ben) && !service.isTagged(by: keys(2, ben), with: ben))
        #expect(try service.opened(by: keys(1, ben), with: ben) == ana.nodeID)
        #expect(try service.opened(by: keys(2, ben), with: ben) == nil)
        // The tag is that of a beacon of the same port and salt.
        #expect(try service.tag == keys(1, ben).beaconTag(port: 7_400, salt: Self.salt, with: ben))
    }

    @Test("does not open with a changed byte, and belongs to its port and salt", arguments: Provider.allCases)
    func changed(_ provider: Provider) throws {
        let ana = provider.make(1)
        let keys = try keys(1, ana)
        let good = service(keys, ana)
        func opens(port: UInt16 = 7_400, salt: [UInt8] = Self.salt, _ node: [UInt8]) throws -> Bool {
            let service = try #require(SealedService(port: port, salt: salt, tag: good.tag, sealedNode: node))
            return service.isTagged(by: keys, with: ana) && service.opened(by: keys, with: ana) != nil
        }
        #expect(try opens(good.sealedNode))
        #expect(try !opens(port: 7_401, good.sealedNode))
        #expect(try !opens(salt: [2] + Self.salt.dropFirst(), good.sealedNode))
        for index in good.sealedNode.indices {
            var node = good.sealedNode
            node[index] ^= 1
            #expect(try !opens(node))
        }
    }

    @Test("a service of port 0 or with a field of another size is none")
    func sizes() {
        let (salt, node) = (Self.salt, [UInt8](repeating: 1, count: 60))
        #expect(SealedService(port: 1, salt: salt, tag: salt, sealedNode: node) != nil)
        #expect(SealedService(port: 0, salt: salt, tag: salt, sealedNode: node) == nil)
        #expect(SealedService(port: 1, salt: [], tag: salt, sealedNode: node) == nil)
        #expect(SealedService(port: 1, salt: salt, tag: salt + [1], sealedNode: node) == nil)
        #expect(SealedService(port: 1, salt: salt, tag: salt, sealedNode: node + [1]) == nil)
        #expect(SealedService(port: 1, salt: salt, tag: salt, sealedNode: Array(node.dropLast())) == nil)
    }
}
