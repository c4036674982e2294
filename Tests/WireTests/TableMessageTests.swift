import Primitives
import Testing
import Wire

/// Layouts and bounds as in docs/WIRE.md, "Replicated tables".
@Suite("Messages about tables")
struct TableMessageTests {
    @Test("digests are a section of their own, behind a second byte of section bits")
    func section() throws {
        let body = DatagramBody(pathAnswer: 1, tableDigests: [TableDigest(.directory, digest: 0x0102_0304_0506_0708)])
        #expect(body.encoded() == [0x84, 2, 0, 0, 0, 0, 0, 0, 0, 1, 1, 3, 0, 1, 2, 3, 4, 5, 6, 7, 8])
        #expect(try DatagramBody(parsing: body.encoded()) == body)
    }

    @Test("a body with a second byte of 0, of unknown bits, or beside voice or relay is refused")
    func secondByte() {
        let digest: [UInt8] = [1, 3, 0, 1, 2, 3, 4, 5, 6, 7, 8]
        for bytes in [
            [0x80, 0], [0x80, 8] + digest, [0x80, 10] + digest, [0x88, 2] + digest + [1], [0x90, 2] + digest + [1],
        ] as [[UInt8]] {
            #expect(throws: WireError.unknownKind) { try DatagramBody(parsing: bytes) }
        }
        #expect(throws: WireError.truncated) { try DatagramBody(parsing: [0xC0, 2] + digest) }
        #expect(throws: WireError.truncated) { try DatagramBody(parsing: [0x80]) }
    }

    @Test("digests of unknown tables and scopes are ignored, and their number is bounded")
    func unknown() throws {
        let (known, digest) = ([UInt8](arrayLiteral: 3, 0), [UInt8](repeating: 5, count: 8))
        func parsed(_ count: UInt8, _ items: [[UInt8]]) throws -> [TableDigest] {
            try DatagramBody(parsing: [0x80, 2, count] + items.flatMap { $0 }).tableDigests
        }
        let ofChannel: [UInt8] = [3, 1] + [UInt8](repeating: 6, count: 8)
        #expect(
            try parsed(4, [[9, 0] + digest, ofChannel + digest, known + digest, [3, 2] + digest])
                == [TableDigest(.directory, digest: 0x0505_0505_0505_0505)])
        #expect(try parsed(1, [[9, 0] + digest]) == [])
        #expect(try DatagramBody(parsing: [0x80, 2, 1, 9, 0] + digest) == DatagramBody())
        #expect(throws: WireError.malformed) { try parsed(2, [known + digest, known + digest]) }
        #expect(throws: WireError.outOfRange) { try parsed(0, []) }
        #expect(throws: WireError.oversized) { try parsed(5, (0..<5).map { [$0, 0] + digest }) }
        #expect(throws: WireError.truncated) { try parsed(2, [known + digest]) }
    }

    @Test("a summary has at most 512 items in the order of their ids")
    func summary() throws {
        func summary(_ count: Int) -> TableSummary {
            TableSummary(
                .directory, items: (0..<count).map { TableItem(id: TableEntryID(words: (UInt64($0), 0, 0)), hash: 1) })
        }
        let largest = CarrierMessage.table(.summary(summary(512)))
        #expect(largest.encoded().count <= 20_480)
        #expect(try CarrierMessage(parsing: largest.encoded(), isBeforeHello: false) == largest)
        let frame = CarrierMessage.table(.summary(summary(3))).encoded()
        // The last two items change places.
        let swapped = Array(frame.dropLast(64)) + frame.suffix(32) + frame.dropLast(32).suffix(32)
        #expect(throws: WireError.malformed) { try CarrierMessage(parsing: swapped, isBeforeHello: false) }
        let twice = Array(frame.dropLast(32)) + frame.dropLast(32).suffix(32)
        #expect(throws: WireError.malformed) { try CarrierMessage(parsing: twice, isBeforeHello: false) }
    }

    @Test("entries have at most 48,000 bytes in a frame")
    func entries() throws {
        let entries = [[UInt8]](repeating: [UInt8](repeating: 1, count: 400), count: 120)
        let largest = CarrierMessage.table(.entries(TableEntries(.directory, entries: entries, hasMore: true)))
        #expect(largest.encoded().count <= 49_152)
        #expect(try CarrierMessage(parsing: largest.encoded(), isBeforeHello: false) == largest)
        let more = largest.encoded() + [0x22, 1, 7]
        #expect(throws: WireError.oversized) { try CarrierMessage(parsing: more, isBeforeHello: false) }
    }

    @Test("an unknown table or scope is an unknown kind of frame, which costs no carrier")
    func otherTables() throws {
        let frame = CarrierMessage.table(.entries(TableEntries(.directory, entries: [], hasMore: false))).encoded()
        #expect(frame == [24, 8, 3, 0x10, 0, 0x1A, 16] + [UInt8](repeating: 0, count: 16) + [0x28, 0])
        func with(_ place: Int, _ byte: UInt8) throws -> CarrierMessage {
            var changed = frame
            changed[place] = byte
            return try CarrierMessage(parsing: changed, isBeforeHello: false)
        }
        #expect(throws: WireError.unknownKind) { try with(2, 4) }
        #expect(throws: WireError.unknownKind) { try with(4, 1) }
        #expect(throws: WireError.outOfRange) { try with(7, 1) }
    }
}
