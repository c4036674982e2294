import Primitives
import Testing
import Wire

/// Epoch entries and EPOCH, built by hand from docs/WIRE.md, then with one wrong field.
@Suite("Epoch entries")
struct EpochEntryTests {
    private static func node(_ number: UInt64) -> NodeID { NodeID(words: (number, 0, 0, 0)) }
    private static func nodes(_ numbers: [UInt64]) -> [UInt8] {
        [UInt8(numbers.count >> 8), UInt8(numbers.count & 0xFF)] + numbers.flatMap { node($0).bytes }
    }

    private static func bytes(
        layout: UInt8 = 2, number: [UInt8] = [0, 0, 0, 7], stay: [UInt64] = [1, 4], left: [UInt64] = [2]
    ) -> [UInt8] {
        let head = [layout] + [UInt8](0..<16) + number
        let hashes = [UInt8](repeating: 3, count: 32) + [UInt8](repeating: 6, count: 32)
        let lists = nodes(stay) + nodes(left)
        return head + hashes + [UInt8](repeating: 4, count: 32) + lists + [UInt8](repeating: 5, count: 64)
    }

    @Test("have the layout of the document")
    func layout() throws {
        let signed = try SignedEpochEntry(parsing: Self.bytes())
        let entry = signed.entry
        #expect(entry.mesh == MeshID(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F) && entry.number == 7)
        #expect(entry.secretHash == [UInt8](repeating: 3, count: 32) && entry.maker == [UInt8](repeating: 4, count: 32))
        #expect(entry.codeHash == [UInt8](repeating: 6, count: 32))
        #expect(entry.stay == [Self.node(1), Self.node(4)] && entry.left == [Self.node(2)])
        #expect(signed.signature == [UInt8](repeating: 5, count: 64) && signed.bytes == Self.bytes())
    }

    @Test("hold 256 nodes in each list, which is the most")
    func largest() throws {
        let (stay, left) = ((1...256).map { UInt64($0) }, (1_001...1_256).map { UInt64($0) })
        let largest = Self.bytes(stay: stay, left: left)
        #expect(largest.count == WireLimits.epochEntryBytesMax && largest.count == 16_569)
        #expect(try SignedEpochEntry(parsing: largest).bytes == largest)
        let secret = [UInt8](repeating: 6, count: 32)
        let grant = EpochGrant(entry: try SignedEpochEntry(parsing: largest), secret: secret, codeKey: secret)
        #expect(
            try CarrierMessage(parsing: CarrierMessage.epoch(grant).encoded(), isBeforeHello: false) == .epoch(grant))
        #expect(throws: WireError.oversized) { try SignedEpochEntry(parsing: largest + [0]) }
        #expect(throws: WireError.outOfRange) {
            try SignedEpochEntry(parsing: Self.bytes(stay: stay + [300], left: []))
        }
    }

    @Test("are refused with a field out of its bounds")
    func bounds() {
        let damaged: [([UInt8], WireError)] = [
            (Self.bytes(layout: 1), .unknownKind), (Self.bytes(layout: 3), .unknownKind),
            (Self.bytes(number: [0, 0, 0, 1]), .outOfRange),
            (Self.bytes(number: [0, 0, 0, 0]), .outOfRange), (Self.bytes(stay: [4, 1]), .outOfRange),
            (Self.bytes(stay: [1, 1]), .outOfRange), (Self.bytes(left: [2, 2]), .outOfRange),
            (Self.bytes(stay: [1, 2], left: [2]), .outOfRange), (Self.bytes(stay: [3], left: [1, 3]), .outOfRange),
            (Self.bytes() + [0], .trailing), (Array(Self.bytes().dropLast()), .truncated), ([], .truncated),
        ]
        for (bytes, error) in damaged { #expect(throws: error) { try SignedEpochEntry(parsing: bytes) } }
    }

    @Test("come in EPOCH with a secret, and perhaps with the key of a code")
    func frame() throws {
        let secret = [UInt8](repeating: 6, count: 32)
        let fields = ProtobufFields([(1, .bytes(Self.bytes())), (2, .bytes(secret))])
        var grant = EpochGrant(entry: try SignedEpochEntry(parsing: Self.bytes()), secret: secret, codeKey: nil)
        func parse(_ fields: ProtobufFields) throws(WireError) -> CarrierMessage {
            try CarrierMessage(parsing: [22] + fields.encoded, isBeforeHello: false)
        }
        #expect(try parse(fields) == .epoch(grant))
        #expect(CarrierMessage.epoch(grant).encoded() == [22] + fields.encoded)
        grant.codeKey = secret
        #expect(try parse(fields.with(3, .bytes(secret))) == .epoch(grant))
        for (damaged, error) in [
            (fields.without(1), .truncated), (fields.without(2), .malformed),
            (fields.with(2, .bytes(secret + [0])), .malformed), (fields.with(3, .bytes([1])), .malformed),
        ] as [(ProtobufFields, WireError)] {
            #expect(throws: error) { try parse(damaged) }
        }
    }
}
