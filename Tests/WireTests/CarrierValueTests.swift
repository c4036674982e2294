import Primitives
import Testing
import Wire

/// Each message built by hand from Protocol/carrier.proto, then with one wrong field.
@Suite("Values of carrier messages")
struct CarrierValueTests {
    private static func zeros(_ count: Int) -> ProtobufFields.Value { .bytes([UInt8](repeating: 0, count: count)) }

    private static let record = ProtobufFields([(1, zeros(32)), (2, zeros(100)), (3, zeros(64))])
    private static let hello = ProtobufFields([
        (1, .varint(1)), (2, .varint(3)), (3, .bytes(Array("mesh".utf8))), (4, .bytes(record.encoded)),
        (6, .bytes([UInt8](0..<32))), (7, .fixed64(0x0102_0304_0506_0708)), (8, .varint(77)), (9, .varint(7_400)),
        (10, .bytes([UInt8](0..<16))),
    ])
    private static let offer = ProtobufFields([
        (1, .varint(9)), (2, .fixed32(0xA1B2_C3D4)), (3, zeros(32)), (4, zeros(32)),
    ])
    private static let row = ProtobufFields([
        (1, zeros(32)), (2, .varint(5)), (3, .varint(1)), (4, .varint(15)), (5, .varint(5)),
    ])
    private static let version = ProtobufFields([
        (1, zeros(32)), (2, .varint(5)), (3, .varint(6)), (4, .varint(65_535)),
    ])

    private func parse(_ kind: UInt8, _ fields: ProtobufFields) throws(WireError) -> CarrierMessage {
        try CarrierMessage(parsing: [kind] + fields.encoded, isBeforeHello: false)
    }

    private func list(_ entry: ProtobufFields, count: Int = 1) -> ProtobufFields {
        ProtobufFields(Array(repeating: (1, .bytes(entry.encoded)), count: count))
    }

    /// A list with a generation, as in LINK_STATES and CHANNELS.
    private func view(_ list: ProtobufFields, generation: UInt64 = 1) -> ProtobufFields {
        list.with(2, .varint(generation))
    }

    @Test("have the layout of the protocol file")
    func layout() throws {
        let record = SignedRecord(
            publicKey: [UInt8](repeating: 0, count: 32), body: [UInt8](repeating: 0, count: 100),
            signature: [UInt8](repeating: 0, count: 64))
        let expected = CarrierMessage.hello(
            Hello(
                versionMin: 1, versionMax: 3, mesh: "mesh",
                meshID: MeshID(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F), record: record,
                yourRecord: nil, nonce: [UInt8](0..<32),
                bootNonce: BootNonce(number: 0x0102_0304_0506_0708), mediaPort: 7_400,
                yourInstanceSeen: Instance(exactly: 77)))
        #expect(try parse(1, Self.hello) == expected)
        #expect(expected.encoded() == [1] + Self.hello.encoded)
        let zeros = [UInt8](repeating: 0, count: 32)
        let offer = CarrierMessage.mediaKey(
            MediaKeyOffer(generation: 9, keyID: 0xA1B2_C3D4, ephemeralPublicKey: zeros, secret: zeros))
        #expect(try parse(7, Self.offer) == offer)
        #expect(offer.encoded() == [7] + Self.offer.encoded)
        #expect(throws: Never.self) { try parse(13, view(list(Self.row))) }
        #expect(throws: Never.self) { try parse(12, list(Self.version)) }
    }

    @Test(
        "of HELLO are all required except two",
        arguments: [
            (1, false), (2, false), (3, false), (4, false), (6, false), (7, false), (8, true), (9, false), (10, false),
        ])
    func helloRequired(_ number: Int, _ isOptional: Bool) {
        let cut = Self.hello.without(number)
        if isOptional {
            #expect(throws: Never.self) { try parse(1, cut) }
        } else {
            #expect(throws: WireError.malformed) { try parse(1, cut) }
        }
    }

    @Test(
        "of HELLO are refused outside their ranges",
        arguments: [
            (1, .varint(0), .outOfRange), (1, .varint(4), .outOfRange), (1, .varint(1 << 32), .outOfRange),
            (3, .bytes([UInt8](repeating: 0x61, count: 65)), .oversized), (3, .bytes([0xFF]), .malformed),
            (4, .bytes(record.with(1, zeros(31)).encoded), .malformed),
            (4, .bytes(record.with(3, zeros(65)).encoded), .malformed),
            (4, .bytes(record.with(2, zeros(513)).encoded), .oversized),
            (4, .bytes(record.without(2).encoded), .malformed),
            (5, .bytes([]), .malformed), (6, zeros(31), .malformed), (6, zeros(33), .malformed),
            (8, .varint(1 << 48), .outOfRange), (8, .varint(.max), .outOfRange), (9, .varint(0), .outOfRange),
            (9, .varint(65_536), .outOfRange),
        ] as [(Int, ProtobufFields.Value, WireError)])
    func helloRanges(_ number: Int, _ value: ProtobufFields.Value, _ error: WireError) {
        #expect(throws: error) { try parse(1, Self.hello.with(number, value)) }
    }

    @Test("of media keys are refused if they are missing or have wrong sizes", arguments: [1, 2, 3, 4])
    func offerFields(_ number: Int) {
        #expect(throws: WireError.malformed) { try parse(7, Self.offer.without(number)) }
        guard 3 <= number else { return }
        for count in [31, 33] {
            #expect(throws: WireError.malformed) { try parse(8, Self.offer.with(number, Self.zeros(count))) }
        }
    }

    @Test(
        "of link states are refused outside their ranges",
        arguments: [
            (1, zeros(33), .malformed), (2, .varint(1 << 48), .outOfRange), (3, .varint(3), .outOfRange),
            (3, .varint(256), .outOfRange), (4, .varint(16), .outOfRange), (5, .varint(6), .outOfRange),
            (5, .varint(256), .outOfRange),
        ] as [(Int, ProtobufFields.Value, WireError)])
    func rowRanges(_ number: Int, _ value: ProtobufFields.Value, _ error: WireError) {
        #expect(throws: error) { try parse(13, view(list(Self.row.with(number, value)))) }
        #expect(throws: WireError.malformed) { try parse(13, view(list(Self.row.without(number)))) }
    }

    @Test(
        "of record versions are refused outside their ranges",
        arguments: [
            (1, zeros(31), .malformed), (2, .varint(1 << 48), .outOfRange), (4, .varint(65_536), .outOfRange),
        ] as [(Int, ProtobufFields.Value, WireError)])
    func versionRanges(_ number: Int, _ value: ProtobufFields.Value, _ error: WireError) {
        #expect(throws: error) { try parse(12, list(Self.version.with(number, value))) }
        #expect(throws: WireError.malformed) { try parse(12, list(Self.version.without(number))) }
    }

    @Test("in lists above their limits are refused")
    func counts() {
        #expect(throws: Never.self) { try parse(13, view(list(Self.row, count: 64))) }
        #expect(throws: WireError.oversized) { try parse(13, view(list(Self.row, count: 65))) }
        #expect(throws: Never.self) { try parse(11, list(Self.record, count: 16)) }
        #expect(throws: WireError.oversized) { try parse(11, list(Self.record, count: 17)) }
        #expect(throws: Never.self) { try parse(12, list(Self.version, count: 1_024)) }
        #expect(throws: WireError.oversized) { try parse(12, list(Self.version, count: 1_025)) }
        let channels = { (count: Int) in
            view(
                ProtobufFields((0..<count).map { number in (1, .bytes([UInt8](repeating: UInt8(number), count: 16))) }))
        }
        #expect(throws: Never.self) { try parse(10, channels(14)) }
        #expect(throws: WireError.oversized) { try parse(10, channels(15)) }
        let twice = ProtobufFields([(1, Self.zeros(16)), (1, Self.zeros(16))])
        #expect(throws: WireError.malformed) { try parse(10, view(twice)) }
        #expect(throws: WireError.malformed) { try parse(10, view(ProtobufFields([(1, Self.zeros(15))]))) }
    }

    @Test("a generation is 1 to 255 for channels and 1 to 65,535 for link states, and is required")
    func generations() throws {
        for (kind, most) in [(10, 255), (13, 65_535)] as [(UInt8, UInt64)] {
            for generation in [1, most] {
                #expect(throws: Never.self) { try parse(kind, view(ProtobufFields([]), generation: generation)) }
            }
            for generation in [0, most + 1] {
                #expect(throws: WireError.outOfRange) {
                    try parse(kind, view(ProtobufFields([]), generation: generation))
                }
            }
            #expect(throws: WireError.malformed) { try parse(kind, ProtobufFields([])) }
        }
        #expect(CarrierMessage.channels([], generation: 7).encoded() == [10, 0x10, 7])
        #expect(CarrierMessage.linkStates([], generation: 300).encoded() == [13, 0x10, 0xAC, 0x02])
    }

    @Test("of refusals are their reasons, and unknown reasons are refused")
    func refusals() throws {
        for reason in RefusalReason.allCases {
            let fields = ProtobufFields([(1, .varint(UInt64(reason.rawValue))), (2, .varint(500))])
            #expect(try parse(4, fields) == .decline(reason))
            #expect(try parse(5, fields) == .refuse(reason, retryAfterMilliseconds: 500))
        }
        #expect(throws: WireError.unknownKind) { try parse(4, ProtobufFields([(1, .varint(13))])) }
        #expect(throws: WireError.unknownKind) { try parse(4, ProtobufFields([(1, .varint(256))])) }
        #expect(throws: WireError.malformed) { try parse(4, ProtobufFields([])) }
        #expect(throws: WireError.malformed) { try parse(5, ProtobufFields([(1, .varint(1))])) }
    }
}
