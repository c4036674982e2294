import Primitives
import Testing
import Wire

/// Sizes, kinds and depth as in docs/WIRE.md, "Carrier frames".
@Suite("Bounds of carrier frames")
struct CarrierFrameBoundsTests {
    /// By the place of the message in `SeededRandom.message(kind:)`: the first byte of its frame, and the largest size
    /// of such a frame. DATAGRAM and TUNNEL hold no fields and have their own tests.
    private static let kinds: [(place: Int, byte: UInt8, bytesMax: Int)] = [
        (0, 1, 4_096), (1, 2, 2_048), (2, 3, 2_048), (3, 4, 2_048), (4, 5, 2_048), (5, 6, 4_096), (6, 7, 2_048),
        (7, 8, 2_048), (8, 9, 2_048), (9, 10, 4_096), (10, 11, 65_536), (11, 12, 65_536), (12, 13, 8_192),
        (13, 14, 2_048), (16, 23, 20_480), (17, 24, 49_152), (18, 25, 1_024), (19, 26, 256),
        (20, 27, 256), (21, 18, 256), (22, 19, 128), (23, 20, 256), (24, 21, 512),
        (25, 22, 20_480),
    ]

    /// The frame with an unknown field that makes it `size` bytes long. The length of the field takes three bytes.
    private func padded(_ frame: [UInt8], to size: Int) -> [UInt8] {
        let count = size - frame.count - 5
        let length = [UInt8(count & 0x7F | 0x80), UInt8(count >> 7 & 0x7F | 0x80), UInt8(count >> 14)]
        return frame + [0xA2, 0x06] + length + [UInt8](repeating: 0, count: count)
    }

    @Test("a frame of the largest size of its kind is read, and one byte more is refused", arguments: kinds)
    func sizes(_ place: Int, _ byte: UInt8, _ bytesMax: Int) throws {
        var random = SeededRandom(seed: 800 + UInt64(place))
        let message = random.message(kind: place)
        let frame = message.encoded()
        #expect(frame[0] == byte)
        #expect(try CarrierMessage(parsing: padded(frame, to: bytesMax), isBeforeHello: false) == message)
        #expect(throws: WireError.oversized) {
            try CarrierMessage(parsing: padded(frame, to: bytesMax + 1), isBeforeHello: false)
        }
    }

    @Test("before HELLO is accepted a frame has at most 2,048 bytes, whatever its kind may have later")
    func beforeHello() throws {
        var random = SeededRandom(seed: 820)
        var hello = random.hello()
        hello.yourRecord = nil
        let frame = CarrierMessage.hello(hello).encoded()
        #expect(try CarrierMessage(parsing: padded(frame, to: 2_048), isBeforeHello: true) == .hello(hello))
        let larger = padded(frame, to: 2_049)
        #expect(throws: WireError.oversized) { try CarrierMessage(parsing: larger, isBeforeHello: true) }
        #expect(try CarrierMessage(parsing: larger, isBeforeHello: false) == .hello(hello))
    }

    @Test("a datagram has 1 to 1,200 bytes, and tunnel data 1 to 4,096")
    func unframed() throws {
        let datagram = [UInt8](repeating: 7, count: 1_200)
        let frame = CarrierMessage.datagram(datagram).encoded()
        #expect(frame == [15] + datagram)
        #expect(try CarrierMessage(parsing: frame, isBeforeHello: false) == .datagram(datagram))
        #expect(throws: WireError.oversized) { try CarrierMessage(parsing: frame + [7], isBeforeHello: false) }
        #expect(throws: WireError.truncated) { try CarrierMessage(parsing: [15], isBeforeHello: false) }
        for count in [1, 4_096] {
            let piece = CarrierMessage.tunnel(TunnelFrame(number: 1, step: .data([UInt8](repeating: 7, count: count))))
            #expect(try CarrierMessage(parsing: piece.encoded(), isBeforeHello: false) == piece)
        }
    }

    @Test("tunnel data takes its bytes and 64 more from the window")
    func cost() { #expect([0, 1, 4_096].map { TunnelStep.cost(ofBytes: $0) } == [64, 65, 4_160]) }

    @Test("fields nest at most 16 deep")
    func depth() {
        /// LEAVE with groups of field 1, each inside the other.
        func nested(_ depth: Int) -> [UInt8] {
            [14] + [UInt8](repeating: 0x0B, count: depth) + [UInt8](repeating: 0x0C, count: depth)
        }
        // LEAVE itself is the first level.
        #expect(throws: Never.self) { try CarrierMessage(parsing: nested(15), isBeforeHello: false) }
        #expect(throws: WireError.oversized) { try CarrierMessage(parsing: nested(16), isBeforeHello: false) }
    }

    @Test("a truncated field and a field of an unknown wire type give different errors")
    func damagedFields() {
        #expect(throws: WireError.truncated) { try CarrierMessage(parsing: [14, 0x08], isBeforeHello: false) }
        #expect(throws: WireError.malformed) { try CarrierMessage(parsing: [14, 0x0F, 0], isBeforeHello: false) }
    }

    @Test("the first byte alone names the kind of a frame")
    func firstByte() {
        let numbers: [UInt8] = Array(1...16) + Array(18...27) + [32]
        let kinds = (0...255).map { FrameKind(of: [UInt8($0), 0xFF]) }
        #expect(kinds.compactMap { $0?.rawValue } == numbers)
        let answers: [FrameKind?] = [.invite, .accept, .decline, .refuse, .connectRequest]
        #expect(Array(kinds[2...6]) == answers)
        let others: [FrameKind?] = [.records, .recordVersions, .linkStates, .leave, .datagram, .tunnel]
        #expect(Array(kinds[11...16]) == others)
        #expect(FrameKind(of: []) == nil)
    }

    @Test("the protocol is version 7, and some reasons of refusal are allowed before HELLO")
    func document() {
        #expect(WireLimits.version == 7)
        #expect(CarrierMessage.reasonsBeforeHello.map(\.rawValue) == [0, 1, 4, 8, 10, 11, 12])
    }
}

/// A RECORDS frame taken apart, field by field (protobuf, "Length-delimited records").
@Suite("RECORDS frames as single records")
struct RecordsApartTests {
    private func pieces(_ fields: [[UInt8]]) -> [[UInt8]] { CarrierMessage.singly([11] + fields.flatMap { $0 }) }

    @Test("up to 16 records are taken apart, and 17 stay together", arguments: [2, 3, 16, 17])
    func counts(_ count: Int) {
        let fields = [[UInt8]](repeating: [0x0A, 1, 0x55], count: count)
        #expect(pieces(fields) == (count <= 16 ? fields.map { [11] + $0 } : [[11] + fields.flatMap { $0 }]))
    }

    @Test("a frame of no record or of one stays unchanged")
    func few() {
        #expect(pieces([]) == [[11]])
        #expect(pieces([[0x0A, 2, 0x55, 0x66]]) == [[11, 0x0A, 2, 0x55, 0x66]])
    }

    @Test("lengths of one to four bytes are read, and longer ones are not")
    func lengths() {
        for count in [0, 1, 127, 128, 129, 300, 16_383, 16_384, 20_001] {
            let length: [UInt8] =
                count < 128
                ? [UInt8(count)]
                : count < 16_384
                    ? [UInt8(count & 127 | 128), UInt8(count >> 7)]
                    : [UInt8(count & 127 | 128), UInt8(count >> 7 & 127 | 128), UInt8(count >> 14)]
            let field = [0x0A] + length + [UInt8](repeating: 0x55, count: count)
            #expect(pieces([field, field]) == [[11] + field, [11] + field], "\(count) bytes")
        }
        let four: [UInt8] = [0x0A, 0x81, 0x80, 0x80, 0, 0x55]
        #expect(pieces([four, four]) == [[11] + four, [11] + four])
        let five: [UInt8] = [0x0A, 0x80, 0x80, 0x80, 0x80, 0]
        #expect(pieces([five, five]) == [[11] + five + five])
    }

    @Test(
        "a frame that ends inside a field stays whole",
        arguments: [[0x0A], [0x0A, 0x80], [0x0A, 1], [0x0A, 0x81, 0], [0x12, 0], [0x0A, 0, 0x08, 0]] as [[UInt8]])
    func damaged(_ end: [UInt8]) {
        let good: [UInt8] = [0x0A, 1, 0x55]
        #expect(pieces([good, good, end]) == [[11] + good + good + end])
    }
}
