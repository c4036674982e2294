import Primitives
import Testing
import Wire

@Suite("Datagram bodies")
struct DatagramBodyTests {
    @Test("are the same after encoding and parsing, and truncated ones are refused")
    func roundTrip() throws {
        var random = SeededRandom(seed: 500)
        var writer = ByteWriter()
        for round in 0..<2_000 {
            let body = random.datagramBody()
            let bytes = body.encoded()
            #expect(try DatagramBody(parsing: bytes) == body)
            body.encode(into: &writer)
            #expect(writer.bytes == bytes)
            guard round % 10 == 0 else { continue }
            let tail = max(body.voice.count, body.paddingBytes - 1, (body.relayed?.datagram.count ?? 1) - 1)
            let others = (0..<bytes.count - tail).filter { count in
                refusal { _ = try DatagramBody(parsing: Array(bytes[..<count])) } != .truncated
            }
            #expect(others == [])
            if body.voice.isEmpty, body.relayed == nil, body.paddingBytes == 0 {
                #expect(throws: WireError.trailing) { try DatagramBody(parsing: bytes + [0]) }
            }
        }
    }

    /// Byte by byte as in docs/WIRE.md.
    @Test("have the layout of the document")
    func layout() {
        let body = DatagramBody(
            control: ControlBlock(
                sequence: 0x0102_0304, echo: 0x1112_1314, echoDelayMicroseconds: 0x2122_2324,
                digest: 0x3132_3334, held: HeldGenerations(linkStates: 0x3536, channels: 0x37),
                sampleTime: SampleTime(samples: 0x4142_4344),
                report: ReceptionReport(
                    lossPermille: 1, lossRunTenths: 2, latePermille: 3, jitterTargetSamples: 4, captureSamples: 5,
                    playoutSamples: 6),
                flags: [.probe, .talking, .recording]),
            pathChallenge: 0x5152_5354_5556_5758, pathAnswer: 0x6162_6364_6566_6768, voice: [0xAA])
        let expected: [UInt8] = [
            0x0F, 0x03, 0x0B, 1, 2, 3, 4, 0x41, 0x42, 0x43, 0x44, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x11, 0x12,
            0x13, 0x14, 0x21, 0x22, 0x23, 0x24, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0x51, 0x52, 0x53, 0x54, 0x55,
            0x56, 0x57, 0x58, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0xAA,
        ]
        #expect(body.encoded() == expected)
    }

    @Test("hold a relayed datagram after the NodeID of its destination or origin")
    func relayed() throws {
        let node = NodeID(words: (0x0102_0304_0506_0708, 2, 3, 4))
        let toward = DatagramBody(relayed: RelayedDatagram(.toward(node), [0xAA, 0xBB]))
        #expect(toward.encoded() == [0x10] + node.bytes + [0xAA, 0xBB])
        let from = DatagramBody(relayed: RelayedDatagram(.from(node), [0xCC]))
        #expect(from.encoded() == [0x20] + node.bytes + [0xCC])
        #expect(throws: WireError.truncated) { try DatagramBody(parsing: [0x10] + node.bytes) }
        #expect(throws: WireError.unknownKind) { try DatagramBody(parsing: [0x30] + node.bytes + [1]) }
        #expect(throws: WireError.unknownKind) { try DatagramBody(parsing: [0x18] + node.bytes + [1]) }
        let size = WireLimits.relayedDatagramBytesMax
        #expect(throws: WireError.oversized) {
            try DatagramBody(parsing: [0x20] + node.bytes + [UInt8](repeating: 1, count: size + 1))
        }
    }

    @Test("have a padding of zero bytes, and none beside a section that takes the rest")
    func padding() throws {
        let body = DatagramBody(pathChallenge: 0x0102_0304_0506_0708, paddingBytes: 3)
        let number: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        #expect(body.encoded() == [0x42] + number + [0, 0, 0])
        #expect(DatagramBody(pathChallenge: 1).encoded().count == WireSizes.pathNumberBodyBytes)
        #expect(DatagramBody(pathAnswer: 1).encoded().count == WireSizes.pathNumberBodyBytes)
        #expect(throws: WireError.truncated) { try DatagramBody(parsing: [0x42] + number) }
        #expect(throws: WireError.outOfRange) { try DatagramBody(parsing: [0x42] + number + [0, 1]) }
        #expect(throws: WireError.unknownKind) { try DatagramBody(parsing: [0x48, 1]) }
        let most = WireLimits.paddingBytesMax
        #expect(try DatagramBody(parsing: [0x40] + [UInt8](repeating: 0, count: most)).paddingBytes == most)
        #expect(throws: WireError.oversized) {
            try DatagramBody(parsing: [0x40] + [UInt8](repeating: 0, count: most + 1))
        }
    }

    @Test("with unknown sections or values out of range are refused, and unknown flags are ignored")
    func values() throws {
        #expect(throws: WireError.truncated) { try DatagramBody(parsing: [0x08]) }
        #expect(try DatagramBody(parsing: [0]) == DatagramBody())
        #expect(throws: WireError.oversized) { try DatagramBody(parsing: [8] + [UInt8](repeating: 1, count: 1_101)) }
        #expect(throws: WireError.oversized) { try DatagramBody(parsing: [UInt8](repeating: 8, count: 1_201)) }
        let control = [UInt8](repeating: 0, count: 15)
        let flags = try DatagramBody(parsing: [1, 0, 0xFF] + control).control?.flags
        #expect(flags == [.probe, .talking, .takesPlain, .recording, .refusesPrivate, .refusesToAll])
        #expect(throws: WireError.unknownKind) { try DatagramBody(parsing: [1, 4, 0] + control) }
        #expect(throws: WireError.outOfRange) {
            try DatagramBody(parsing: [1, 2, 0] + control + [3, 0xE9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        }
        #expect(throws: WireError.outOfRange) {
            try DatagramBody(parsing: [1, 2, 0] + control + [0, 0, 0, 0, 3, 0xE9, 0, 0, 0, 0, 0, 0])
        }
    }
}

@Suite("Records and beacons on the wire")
struct RecordCodecTests {
    @Test("records are the same after encoding and parsing, and truncated ones are refused")
    func roundTrip() throws {
        var random = SeededRandom(seed: 600)
        for round in 0..<1_000 {
            let record = random.record()
            let bytes = record.encoded()
            #expect(bytes.count <= WireLimits.recordBytesMax)
            #expect(try NodeRecord(parsing: bytes) == record)
            guard round % 20 == 0 else { continue }
            let others = bytes.indices.filter { count in
                refusal { _ = try NodeRecord(parsing: Array(bytes[..<count])) } != .truncated
            }
            #expect(others == [])
            #expect(throws: WireError.trailing) { try NodeRecord(parsing: bytes + [0]) }
        }
    }

    @Test("the largest record fits, scopes are not sent, and long texts are cut")
    func largest() throws {
        var random = SeededRandom(seed: 601)
        var record = random.record()
        record.endpoints = (1...8).map {
            Endpoint(address: IPAddress(high: 0xFE80 << 48, low: UInt64($0)), port: 7_400, scope: 3)
        }
        record.profile.name = SafeText(String(repeating: "山", count: 500), graphemesMax: 500, bytesMax: 2_000)
        record.profile.role = record.profile.name
        let bytes = record.encoded()
        #expect(bytes.count <= WireLimits.recordBytesMax)
        let parsed = try NodeRecord(parsing: bytes)
        #expect(parsed.endpoints.allSatisfy { $0.scope == 0 } && parsed.endpoints.count == 8)
        #expect(parsed.profile.name.string == String(repeating: "山", count: 24))
    }

    /// Offsets as in docs/WIRE.md.
    @Test("values out of range are refused")
    func values() throws {
        var random = SeededRandom(seed: 602)
        var record = random.record()
        record.profile.name = SafeText("")
        record.profile.role = SafeText("")
        record.endpoints = [Endpoint(address: IPAddress(v4: 192, 0, 2, 1), port: 7_400)]
        record.extensions = RecordExtensions()
        let good = record.encoded()
        #expect(good.count == 1 + 1 + 32 + 6 + 8 + 4 + 3 + 1 + 1 + 1 + 7 + 1)
        func with(_ index: Int, _ bytes: [UInt8]) throws -> NodeRecord {
            try NodeRecord(parsing: Array(good[..<index]) + bytes + Array(good[(index + bytes.count)...]))
        }
        #expect(throws: WireError.unknownKind) { try with(0, [2]) }
        #expect(throws: WireError.unknownKind) { try with(1, [2]) }
        #expect(throws: WireError.oversized) { try with(55, [97]) }
        #expect(throws: WireError.oversized) { try with(57, [9]) }
        #expect(throws: WireError.unknownKind) { try with(58, [5]) }
        #expect(throws: WireError.outOfRange) { try with(63, [0, 0]) }
        #expect(throws: WireError.outOfRange) { try with(59, [224, 0, 0, 1]) }
        #expect(throws: WireError.outOfRange) { try with(59, [0, 0, 0, 0]) }
        let mapped = Array(good[..<58]) + [6] + [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 1, 2, 3, 4] + [0, 9, 0]
        #expect(throws: WireError.outOfRange) { try NodeRecord(parsing: mapped) }
        #expect(throws: WireError.oversized) { try NodeRecord(parsing: good + [UInt8](repeating: 0, count: 512)) }
    }

    @Test("hostile names are made safe as they are read")
    func hostileName() throws {
        var random = SeededRandom(seed: 603)
        var record = random.record()
        record.profile.name = SafeText("aaaaaaaa")
        var bytes = record.encoded()
        bytes.replaceSubrange(56..<64, with: [0x1B, 0x5B, 0x33, 0x31, 0x6D, 0xFF, 0xE2, 0x80])
        #expect(try NodeRecord(parsing: bytes).profile.name.string == "[31m\u{FFFD}\u{FFFD}")
    }

    @Test("beacons are the same after encoding and parsing, and truncated ones are refused")
    func beacons() throws {
        var random = SeededRandom(seed: 604)
        for round in 0..<300 {
            let beacon = Beacon(mesh: random.meshName(), record: random.signedRecord())
            let bytes = beacon.encoded()
            #expect(bytes.count <= WireLimits.beaconBytesMax)
            #expect(try Beacon(parsing: bytes) == beacon)
            guard round % 10 == 0 else { continue }
            let others = bytes.indices.filter { count in
                refusal { _ = try Beacon(parsing: Array(bytes[..<count])) } != .truncated
            }
            #expect(others == [])
            #expect(throws: WireError.trailing) { try Beacon(parsing: bytes + [0]) }
        }
        let good = Beacon(mesh: "m", record: random.signedRecord()).encoded()
        #expect(throws: WireError.malformed) { try Beacon(parsing: [0] + good.dropFirst()) }
        #expect(throws: WireError.unknownKind) { try Beacon(parsing: good[..<4] + [2] + good[5...]) }
        #expect(throws: WireError.malformed) { try Beacon(parsing: good[..<6] + [0xFF] + good[7...]) }
        #expect(throws: WireError.oversized) { try Beacon(parsing: good[..<5] + [65] + good[6...]) }
        #expect(throws: WireError.oversized) { try Beacon(parsing: good + [UInt8](repeating: 0, count: 1_024)) }
    }
}
