import Primitives
import Testing
import Wire

/// docs/WIRE.md, "Record extensions".
@Suite("Extensions of a record")
struct RecordExtensionTests {
    private static let record = NodeRecord(
        node: NodeID(words: (1, 2, 3, 4)), instance: .max, bootNonce: BootNonce(number: 5), sequence: 6,
        endpoints: [], profile: NodeProfile(name: SafeText(""), colour: 7), isLeaving: false)

    private func kind(_ number: UInt8) -> RecordExtensionKind { RecordExtensionKind(number: number) }

    /// A record with this list in place of the empty one.
    private func parsed(_ list: [UInt8]) throws -> NodeRecord {
        try NodeRecord(parsing: Self.record.encoded().dropLast() + list)
    }

    @Test("are a count, then kind, length and bytes of each")
    func layout() throws {
        var record = Self.record
        #expect(record.encoded().suffix(2) == [0, 0])
        record.extensions[kind(0x81)] = [0xAA, 0xBB]
        record.extensions[kind(0x05)] = []
        record.extensions[kind(0xFF)] = [0xCC]
        let list: [UInt8] = [3, 0x05, 0, 0x81, 2, 0xAA, 0xBB, 0xFF, 1, 0xCC]
        #expect(record.encoded() == Self.record.encoded().dropLast() + list)
        #expect(try parsed(list) == record && record.extensions.byteCount == list.count)
        #expect(record.extensions[kind(0x81)] == [0xAA, 0xBB] && record.extensions[kind(0x05)] == [])
        #expect(record.extensions[kind(0x06)] == nil)
    }

    @Test("are replaced and removed one by one")
    func changes() {
        var extensions = RecordExtensions()
        extensions[kind(9)] = [1]
        extensions[kind(3)] = [2]
        extensions[kind(9)] = [3, 4]
        #expect(extensions[kind(9)] == [3, 4] && extensions[kind(3)] == [2])
        extensions[kind(3)] = nil
        extensions[kind(4)] = nil
        #expect(extensions.byteCount == 5)
    }

    @Test("of unknown kinds stay in a record that is read and written again")
    func unknown() throws {
        let list: [UInt8] = [2, 0, 1, 0xAA, 0xFE, 3, 1, 2, 3]
        #expect(try parsed(list).encoded() == Self.record.encoded().dropLast() + list)
    }

    @Test("have one encoding: each kind once, in ascending order")
    func order() {
        for list in [[2, 1, 0, 1, 0], [2, 2, 0, 1, 0], [3, 1, 0, 3, 1, 9, 2, 0]] as [[UInt8]] {
            #expect(throws: WireError.malformed) { try parsed(list) }
        }
    }

    @Test("are at most 16, of 255 bytes each, in a record of 512 bytes")
    func bounds() throws {
        #expect(try parsed([16] + (4..<20).flatMap { [$0, 0] }).extensions.byteCount == 33)
        #expect(throws: WireError.oversized) { try parsed([17] + (0..<17).flatMap { [$0, 0] }) }
        let long = [UInt8](repeating: 8, count: 255)
        #expect(try parsed([1, 4, 255] + long).extensions[kind(4)] == long)
        // Without texts and endpoints, 454 bytes are left for the list.
        #expect(Self.record.encoded().count == 59)
        let full = [2, 4, 255] + long + [5, 194] + long[..<194]
        #expect(try parsed(full).encoded().count == 512)
        #expect(throws: WireError.oversized) { try parsed([2, 4, 255] + long + [5, 195] + long[..<195]) }
    }

    @Test("that are cut off, or followed by more, are refused")
    func length() {
        let list: [UInt8] = [2, 1, 2, 0xAA, 0xBB, 2, 0]
        for count in list.indices {
            #expect(throws: WireError.truncated) { try parsed(Array(list[..<count])) }
        }
        #expect(throws: WireError.trailing) { try parsed(list + [3, 0]) }
    }

    @Test("of an own record fit beside the longest texts and eight addresses of IPv6")
    func largest() throws {
        var record = Self.record
        record.profile.name = SafeText(String(repeating: "😀", count: 24))
        record.profile.role = record.profile.name
        record.endpoints = (1...8).map { Endpoint(address: IPAddress(high: 0xFD00 << 48, low: UInt64($0)), port: 1) }
        record.extensions[kind(1)] = [UInt8](repeating: 1, count: WireLimits.ownRecordExtensionsBytesMax - 3)
        #expect(record.encoded().count == WireLimits.recordBytesMax)
        #expect(try NodeRecord(parsing: record.encoded()) == record)
        record.profile.feedsProgramme = true
        record.extensions[kind(1)] = [UInt8](repeating: 1, count: WireLimits.ownRecordExtensionsBytesMax - 5)
        #expect(record.encoded().count == WireLimits.recordBytesMax)
        #expect(try NodeRecord(parsing: record.encoded()) == record)
    }

    @Test("of kind 3 and without bytes say that the node feeds programme, and are a property alone")
    func programme() throws {
        var record = Self.record
        record.profile.feedsProgramme = true
        let alone: [UInt8] = [1, 3, 0]
        #expect(record.encoded() == Self.record.encoded().dropLast() + alone)
        #expect(try parsed(alone) == record)
        let between: [UInt8] = [3, 2, 0, 3, 0, 4, 1, 0xAA]
        let others = try parsed(between)
        #expect(others.profile.feedsProgramme && others.extensions.byteCount == between.count - 2)
        #expect(others.encoded() == Self.record.encoded().dropLast() + between)
    }

    @Test("of kind 3 with bytes are kept, and say nothing")
    func unreadableProgramme() throws {
        let list: [UInt8] = [1, 3, 1, 0]
        let record = try parsed(list)
        #expect(!record.profile.feedsProgramme && record.extensions[.programme] == [0])
        #expect(record.encoded() == Self.record.encoded().dropLast() + list)
    }

    @Test("of kind 3 stay where a record of another node has the most extensions and bytes")
    func programmeInFullList() throws {
        let most: [UInt8] = [16, 3, 0] + (4..<19).flatMap { [$0, 0] }
        #expect(try parsed(most).encoded() == Self.record.encoded().dropLast() + most)
        let long: [UInt8] = [2, 3, 0, 4, 255] + [UInt8](repeating: 8, count: 255)
        let record = try parsed(long)
        #expect(record.profile.feedsProgramme && record.encoded() == Self.record.encoded().dropLast() + long)
    }
}
