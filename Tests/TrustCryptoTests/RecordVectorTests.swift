import Foundation
import Primitives
import Testing
import Trust
import TrustCrypto
import Wire

/// Records that were made from docs/WIRE.md by other code.
@Suite("Vectors of signed records")
struct RecordVectorTests {
    private static let unknown: [(kind: UInt8, bytes: [UInt8])] = [
        (0x07, []), (0x7E, [1, 2, 3]), (0xFF, Array("newer".utf8)),
    ]

    private static func extensions(_ name: String) -> RecordExtensions {
        var extensions = RecordExtensions()
        guard name == "extended" else { return extensions }
        for (kind, bytes) in unknown { extensions[RecordExtensionKind(number: kind)] = bytes }
        return extensions
    }

    private let values: [String: [UInt8]]

    init() throws { values = try VectorFile.values("record.hex") }

    private func sealing() throws -> CryptoSealing {
        try CryptoSealing(
            privateKey: try #require(values["secret"]), randomBytes: { [UInt8](repeating: 0, count: $0) })
    }

    private func signed(_ name: String) throws -> SignedRecord {
        SignedRecord(
            publicKey: try #require(values["public"]), body: try #require(values["\(name)_body"]),
            signature: try #require(values["\(name)_signature"]))
    }

    @Test("are verified, and have the fields of the document", arguments: ["plain", "extended"])
    func fields(_ name: String) throws {
        let record = try signed(name).verified(with: Provider.real.make(1))
        #expect(record.node.bytes == values["node_id"] && record.instance.number == 0x0102_0304_0506)
        #expect(
            record.bootNonce.number == 0x1112_1314_1516_1718 && record.sequence == 7
                && record.profile.colour == 0xFF8000)
        #expect(record.profile.name.string == "Ana" && record.profile.role.string == "hearing" && !record.isLeaving)
        #expect(
            record.endpoints == [
                Endpoint(address: IPAddress(v4: 192, 0, 2, 1), port: 7_400),
                Endpoint(address: IPAddress(high: 0xFD00 << 48, low: 1), port: 7_400),
            ])
        #expect(record.extensions == Self.extensions(name))
    }

    @Test("are what this node would sign, and send in a beacon", arguments: ["plain", "extended"])
    func signing(_ name: String) throws {
        let sealing = try sealing()
        let record = try signed(name).verified(with: sealing)
        let own = SignedRecord(signing: record, with: sealing)
        #expect(own == (try signed(name)))
        let beacon = try #require(values["\(name)_beacon"])
        #expect(Beacon(mesh: "partyline", record: own).encoded() == beacon)
        #expect(try Beacon(parsing: beacon).record == own)
    }

    @Test("are forged once any byte of an extension differs")
    func forged() throws {
        let good = try signed("extended")
        let first = try signed("plain").body.count - 1
        for place in first..<good.body.count {
            var changed = good
            changed.body[place] ^= 0x10
            #expect(throws: WireError.forged) { try changed.verified(with: Provider.real.make(1)) }
        }
    }
}
