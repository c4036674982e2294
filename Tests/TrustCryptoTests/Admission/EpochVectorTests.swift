import Primitives
import Testing
import Trust
import TrustCrypto
import Wire

/// An epoch entry that was made from docs/WIRE.md by other code.
@Suite("Vector of an epoch entry")
struct EpochVectorTests {
    private let values: [String: [UInt8]]
    private let sealing = Provider.real.make(1)

    init() throws { values = try VectorFile.values("epoch.hex") }

    private func value(_ name: String) throws -> [UInt8] { try #require(values[name]) }

    @Test("is genuine, and has the fields of the document")
    func fields() throws {
        let signed = try SignedEpochEntry(parsing: value("entry"))
        let maker = try #require(NodeID(try value("maker")))
        #expect(signed.verifiedMaker(with: sealing) == maker)
        #expect(try signed.entry.mesh.bytes == value("mesh") && signed.entry.number == 7)
        #expect(try signed.entry.stay == [maker, #require(NodeID(value("other")))].sorted())
        #expect(try signed.entry.left == [#require(NodeID(value("left")))])
        let secret = try #require(EpochSecret(number: 7, bytes: try value("secret")))
        #expect(try secret.hash(with: sealing) == value("secret_hash"))
        let codeKey = try value("code_key")
        #expect(try signed.entry.codeHash == value("code_hash"))
        #expect(secret.codeHash(of: codeKey, with: sealing) == signed.entry.codeHash)
        #expect(secret.codeHash(of: nil, with: sealing) == [UInt8](repeating: 0, count: 32))
        func match(_ secret: [UInt8], _ codeKey: [UInt8]?) -> EpochSecret? {
            EpochGrant(entry: signed, secret: secret, codeKey: codeKey).matchingSecret(with: sealing)
        }
        let other = [UInt8](repeating: 0, count: 32)
        #expect(match(secret.bytes, codeKey) == secret)
        #expect(match(other, codeKey) == nil && match(secret.bytes, nil) == nil && match(secret.bytes, other) == nil)
    }

    @Test("is what its maker would sign")
    func signing() throws {
        let maker = try CryptoSealing(
            privateKey: value("maker_secret"), randomBytes: { [UInt8](repeating: 0, count: $0) })
        let signed = try SignedEpochEntry(parsing: value("entry"))
        #expect(SignedEpochEntry(signing: signed.entry, with: maker) == signed)
    }

    @Test("is not genuine once any byte differs that can be read")
    func forged() throws {
        let good = try value("entry")
        for place in good.indices {
            var changed = good
            changed[place] ^= 0x01
            guard let entry = try? SignedEpochEntry(parsing: changed) else { continue }
            #expect(entry.verifiedMaker(with: sealing) == nil, "byte \(place)")
        }
    }
}
