import Primitives
import Testing
import Wire

/// Lists of the greatest length in docs/WIRE.md, and values at the ends of their ranges.
@Suite("Bounds of lists and values on the carrier")
struct CarrierListBoundsTests {
    private func roundTrip(_ message: CarrierMessage) throws -> CarrierMessage {
        try CarrierMessage(parsing: message.encoded(), isBeforeHello: false)
    }

    private static let entry = AdvertisedLink(
        peer: NodeID(words: (1, 2, 3, 4)), instance: .max, path: .carrier, rttClass: 15, lossClass: 5)

    @Test("the longest lists are sent and read")
    func longest() throws {
        let record = SignedRecord(
            publicKey: [UInt8](repeating: 1, count: 32), body: [UInt8](repeating: 2, count: 512),
            signature: [UInt8](repeating: 3, count: 64))
        let version = NodeVersion(
            node: NodeID(words: (1, 2, 3, 4)), version: RecordVersion(instance: .max, sequence: .max),
            seenSecondsAgo: .max)
        let lists: [CarrierMessage] = [
            .channels((0..<14).map { ChannelID(high: 0x0102_0304_0506_0708, low: $0) }, generation: 255),
            .records(Array(repeating: record, count: 16)), .recordVersions(Array(repeating: version, count: 1_024)),
            .linkStates(Array(repeating: Self.entry, count: 64), generation: 65_535),
        ]
        for list in lists { #expect(try roundTrip(list) == list) }
    }

    @Test("a link entry with some but not all of its fields is refused", arguments: 0..<16)
    func halfEntries(_ parts: Int) throws {
        let peer = [UInt8](repeating: 9, count: 32)
        let values = [(2, 5), (3, 1), (4, 15), (5, 5)].enumerated().filter { parts & 1 << $0.offset != 0 }
        let entry = ProtobufFields([(1, .bytes(peer))] + values.map { ($0.element.0, .varint(UInt64($0.element.1))) })
        let frame = [13] + ProtobufFields([(1, .bytes(entry.encoded)), (2, .varint(300))]).encoded
        guard parts == 15 else {
            #expect(throws: WireError.malformed) { try CarrierMessage(parsing: frame, isBeforeHello: false) }
            return
        }
        let advertised = AdvertisedLink(
            peer: try #require(NodeID(peer)), instance: try #require(Instance(exactly: 5)), path: .relay, rttClass: 15,
            lossClass: 5)
        #expect(try CarrierMessage(parsing: frame, isBeforeHello: false) == .linkStates([advertised], generation: 300))
    }

    @Test("classes above the highest are sent as the highest, and lower ones unchanged")
    func classes() throws {
        func advertised(_ rtt: UInt8, _ loss: UInt8) throws -> [UInt8] {
            var entry = Self.entry
            (entry.rttClass, entry.lossClass) = (rtt, loss)
            guard case .linkStates(let links, _) = try roundTrip(.linkStates([entry], generation: 1)),
                let first = links.first
            else { return [] }
            return [first.rttClass, first.lossClass]
        }
        #expect(try advertised(200, 9) == [15, 5])
        #expect(try advertised(16, 6) == [15, 5])
        #expect(try advertised(15, 5) == [15, 5])
        #expect(try advertised(3, 1) == [3, 1])
    }

    @Test("a node may have any port but 0, and may speak a single version", arguments: [1, 2, 65_535])
    func hello(_ number: UInt16) throws {
        var random = SeededRandom(seed: 830)
        var hello = random.hello()
        (hello.mediaPort, hello.versionMin, hello.versionMax) = (number, UInt32(number), UInt32(number))
        #expect(try roundTrip(.hello(hello)) == .hello(hello))
    }

    @Test("a signed record has a key of 32 bytes, a body of 1 to 512 and a signature of 64")
    func recordSizes() {
        let sizes: [(Int, Int, Int, Bool)] = [
            (32, 1, 64, true), (32, 512, 64, true), (31, 1, 64, false), (33, 1, 64, false), (32, 0, 64, false),
            (32, 513, 64, false), (32, 1, 63, false), (32, 1, 65, false), (31, 0, 64, false), (31, 513, 65, false),
        ]
        for (key, body, signature, isValid) in sizes {
            let record = SignedRecord(
                publicKey: [UInt8](repeating: 1, count: key), body: [UInt8](repeating: 1, count: body),
                signature: [UInt8](repeating: 1, count: signature))
            #expect(record.hasValidSizes == isValid, "\(key), \(body), \(signature)")
        }
    }

    @Test("a version with a later instance is newer, then one with a later sequence")
    func versions() throws {
        let versions = try [(1, 0), (1, 9), (2, 1), (2, 3)].map {
            RecordVersion(instance: try #require(Instance(exactly: $0.0)), sequence: $0.1)
        }
        for (a, older) in versions.enumerated() {
            for (b, newer) in versions.enumerated() { #expect((older < newer) == (a < b)) }
        }
    }

    @Test("a mesh name has 1 to 64 bytes of UTF-8")
    func meshNames() throws {
        for (name, isValid) in [
            ("", false), ("a", true), (String(repeating: "é", count: 32), true),
            (String(repeating: "a", count: 65), false),
            (String(repeating: "é", count: 33), false),
        ] {
            #expect(MeshName.isValid(name) == isValid, "\(name)")
            #expect((try? MeshName.parse(Array(name.utf8))) == (isValid ? name : nil), "\(name)")
        }
        #expect(throws: WireError.malformed) { try MeshName.parse([]) }
        #expect(throws: WireError.oversized) { try MeshName.parse([UInt8](repeating: 0x61, count: 65)) }
    }
}
