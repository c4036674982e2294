import Primitives
import Testing
import Wire

/// Each section and part alone, byte by byte as in docs/WIRE.md, and both sides of each limit.
@Suite("Bounds of datagram bodies")
struct BodyBoundsTests {
    private static let node = NodeID(words: (0x0102_0304_0506_0708, 2, 3, 4))

    private static func control(
        echo: UInt32? = nil, report: ReceptionReport? = nil, flags: ControlFlags = []
    ) -> DatagramBody {
        DatagramBody(
            control: ControlBlock(
                sequence: 0x0102_0304, echo: echo, echoDelayMicroseconds: echo == nil ? 0 : 0x2122_2324,
                digest: 0x3132_3334, held: HeldGenerations(linkStates: 0x3536, channels: 0x37),
                sampleTime: SampleTime(samples: 0x4142_4344), report: report, flags: flags))
    }

    /// Sequence, sample time, digest and held generations of `control`.
    private static let fixed: [UInt8] = [
        1, 2, 3, 4, 0x41, 0x42, 0x43, 0x44, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37,
    ]
    private static let number: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    private static let report = ReceptionReport(
        lossPermille: 1_000, lossRunTenths: 0x0102, latePermille: 1_000, jitterTargetSamples: 0x0304,
        captureSamples: 0x0506, playoutSamples: 0x0708)

    private static let sections: [(DatagramBody, [UInt8])] = [
        (DatagramBody(), [0]), (control(), [1, 0, 0] + fixed),
        (control(echo: 0x1112_1314), [1, 1, 0] + fixed + [0x11, 0x12, 0x13, 0x14, 0x21, 0x22, 0x23, 0x24]),
        (control(report: report), [1, 2, 0] + fixed + [3, 0xE8, 1, 2, 3, 0xE8, 3, 4, 5, 6, 7, 8]),
        (control(flags: .probe), [1, 0, 1] + fixed), (control(flags: .talking), [1, 0, 2] + fixed),
        (control(flags: .takesPlain), [1, 0, 4] + fixed), (control(flags: .recording), [1, 0, 8] + fixed),
        (control(flags: .refusesPrivate), [1, 0, 16] + fixed), (control(flags: .refusesToAll), [1, 0, 32] + fixed),
        (DatagramBody(pathChallenge: 0x0102_0304_0506_0708), [2] + number),
        (DatagramBody(pathAnswer: 0x0102_0304_0506_0708), [4] + number), (DatagramBody(voice: [9]), [8, 9]),
        (DatagramBody(relayed: RelayedDatagram(.toward(node), [9])), [16] + node.bytes + [9]),
        (DatagramBody(relayed: RelayedDatagram(.from(node), [9])), [32] + node.bytes + [9]),
        (DatagramBody(paddingBytes: 1), [64, 0]),
        (DatagramBody(paddingBytes: 740), [64] + [UInt8](repeating: 0, count: 740)),
        (DatagramBody(voice: [UInt8](repeating: 9, count: 1_100)), [8] + [UInt8](repeating: 9, count: 1_100)),
        (
            DatagramBody(relayed: RelayedDatagram(.toward(node), [UInt8](repeating: 9, count: 1_120))),
            [16] + node.bytes + [UInt8](repeating: 9, count: 1_120)
        ),
    ]

    @Test("each section alone has the layout of the document, up to the largest", arguments: 0..<19)
    func layout(_ place: Int) throws {
        #expect(Self.sections.count == 19)
        let (body, bytes) = Self.sections[place]
        #expect(body.encoded() == bytes)
        #expect(try DatagramBody(parsing: bytes) == body)
    }

    @Test(
        "one byte more than a section allows is refused",
        arguments: [
            [8] + [UInt8](repeating: 9, count: 1_101), [64] + [UInt8](repeating: 0, count: 741),
            [16] + node.bytes + [UInt8](repeating: 9, count: 1_121), [UInt8](repeating: 0, count: 1_201),
        ])
    func oversized(_ bytes: [UInt8]) {
        #expect(throws: WireError.oversized) { try DatagramBody(parsing: bytes) }
    }

    @Test("a datagram of 1,200 bytes is not too large, whatever else is wrong with it")
    func largest() {
        #expect(throws: WireError.trailing) { try DatagramBody(parsing: [UInt8](repeating: 0, count: 1_200)) }
    }

    @Test("losses above the maximum are sent as the maximum")
    func losses() throws {
        var report = Self.report
        (report.lossPermille, report.latePermille) = (1_001, .max)
        let read = try DatagramBody(parsing: Self.control(report: report).encoded()).control?.report
        #expect(read?.lossPermille == 1_000 && read?.latePermille == 1_000)
        (report.lossPermille, report.latePermille) = (999, 0)
        #expect(try DatagramBody(parsing: Self.control(report: report).encoded()).control?.report == report)
    }
}

@Suite("Bounds of records and beacons")
struct RecordBoundsTests {
    private static let record = NodeRecord(
        node: NodeID(words: (0x0102_0304_0506_0708, 2, 3, 4)), instance: Instance(exactly: 0x0102_0304_0506)!,
        bootNonce: BootNonce(number: 0x1112_1314_1516_1718), sequence: 0x2122_2324,
        endpoints: [
            Endpoint(address: IPAddress(v4: 10, 0, 2, 1), port: 1),
            Endpoint(address: IPAddress(high: 0xFD00_0000_0000_0102, low: 0x0304), port: 65_535),
        ], profile: NodeProfile(name: SafeText("Ana"), role: SafeText("B"), colour: 0xAA_BBCC), isLeaving: true)

    private static let bytes: [UInt8] =
        [1, 1] + record.node.bytes + [1, 2, 3, 4, 5, 6] + [0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18]
        + [0x21, 0x22, 0x23, 0x24, 0xAA, 0xBB, 0xCC, 3, 0x41, 0x6E, 0x61, 1, 0x42, 2, 4, 10, 0, 2, 1, 0, 1, 6]
        + [0xFD, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 3, 4, 0xFF, 0xFF, 0]

    @Test("a record has the layout of the document")
    func recordLayout() throws {
        #expect(Self.record.encoded() == Self.bytes)
        #expect(try NodeRecord(parsing: Self.bytes) == Self.record)
        var staying = Self.record
        staying.isLeaving = false
        #expect(staying.encoded() == [1, 0] + Self.bytes.dropFirst(2))
        #expect(try NodeRecord(parsing: staying.encoded()) == staying)
    }

    @Test("name and role have at most 24 characters and 96 bytes")
    func texts() throws {
        var record = Self.record
        record.profile.name = SafeText(String(repeating: "😀", count: 24))
        record.profile.role = SafeText(String(repeating: "ä", count: 24))
        #expect(record.encoded()[55] == 96)
        #expect(try NodeRecord(parsing: record.encoded()) == record)
        record.profile.name = SafeText(String(repeating: "ä", count: 25), graphemesMax: 99, bytesMax: 999)
        #expect(try NodeRecord(parsing: record.encoded()).profile.name.string == String(repeating: "ä", count: 24))
        // 23 characters of four bytes and one of five.
        record.profile.name = SafeText(String(repeating: "😀", count: 23) + "山\u{301}", graphemesMax: 99, bytesMax: 999)
        #expect(try NodeRecord(parsing: record.encoded()).profile.name.string == String(repeating: "😀", count: 23))
    }

    @Test("a record of 512 bytes and a beacon of 1,024 are not too large, whatever else is wrong with them")
    func sizes() throws {
        func filled(_ bytes: [UInt8], to count: Int) -> [UInt8] {
            bytes + [UInt8](repeating: 0, count: count - bytes.count)
        }
        #expect(throws: WireError.trailing) { try NodeRecord(parsing: filled(Self.bytes, to: 512)) }
        #expect(throws: WireError.oversized) { try NodeRecord(parsing: filled(Self.bytes, to: 513)) }
        let beacon = beacon(bodyCount: 512)
        #expect(throws: WireError.trailing) { try Beacon(parsing: filled(beacon, to: 1_024)) }
        #expect(throws: WireError.oversized) { try Beacon(parsing: filled(beacon, to: 1_025)) }
    }

    private func beacon(bodyCount: Int) -> [UInt8] {
        [0x50, 0x4C, 0x62, 0x6E, 1, 2, 0x6D, 0x65] + [UInt8](repeating: 3, count: 32)
            + [UInt8(bodyCount >> 8), UInt8(bodyCount & 0xFF)] + [UInt8](repeating: 4, count: bodyCount)
            + [UInt8](repeating: 5, count: 64)
    }

    @Test("a beacon has the layout of the document, around a record of 1 to 512 bytes")
    func beacons() throws {
        for count in [1, 512] {
            let expected = Beacon(
                mesh: "me",
                record: SignedRecord(
                    publicKey: [UInt8](repeating: 3, count: 32), body: [UInt8](repeating: 4, count: count),
                    signature: [UInt8](repeating: 5, count: 64)))
            #expect(expected.encoded() == beacon(bodyCount: count))
            #expect(try Beacon(parsing: beacon(bodyCount: count)) == expected)
        }
        #expect(throws: WireError.malformed) { try Beacon(parsing: beacon(bodyCount: 0)) }
        #expect(throws: WireError.oversized) { try Beacon(parsing: beacon(bodyCount: 513)) }
    }
}
