import Primitives
import Testing
import Wire

@Suite("Carrier frames")
struct CarrierMessageTests {
    @Test("are the same after encoding and parsing", arguments: SeededRandom.messageKinds)
    func roundTrip(kind: Int) throws {
        var random = SeededRandom(seed: 100 + UInt64(kind))
        for _ in 0..<300 {
            let message = random.message(kind: kind)
            let frame = message.encoded()
            #expect(frame.count <= WireLimits.carrierFrameBytesMax)
            #expect(try CarrierMessage(parsing: frame, isBeforeHello: false) == message)
        }
    }

    @Test("of records are taken apart into one frame for each record; others, and damaged ones, stay unchanged")
    func singly() throws {
        var random = SeededRandom(seed: 300)
        let records = (0..<WireLimits.recordsPerFrameMax).map { _ in random.signedRecord() }
        let frame = CarrierMessage.records(records).encoded()
        let pieces = CarrierMessage.singly(frame)
        let parsed = try pieces.map { try CarrierMessage(parsing: $0, isBeforeHello: false) }
        #expect(parsed == records.map { .records([$0]) })
        for count in 0..<frame.count where count % 41 == 0 || frame.count - 3 < count {
            let cut = Array(frame[..<count])
            let whole = try? CarrierMessage(parsing: cut, isBeforeHello: false)
            let apart = CarrierMessage.singly(cut).map { try? CarrierMessage(parsing: $0, isBeforeHello: false) }
            // A frame that is cut between two records is a valid frame.
            #expect(whole == nil ? apart == [nil] : apart.allSatisfy { $0 != nil })
        }
        var damaged = frame
        damaged[1] = 0x12
        #expect(CarrierMessage.singly(damaged) == [damaged])
        for kind in SeededRandom.messageKinds {
            let message = random.message(kind: kind)
            if case .records = message { continue }
            #expect(CarrierMessage.singly(message.encoded()) == [message.encoded()])
        }
    }

    @Test("with more records than allowed stay whole, and are refused by the parser")
    func tooManyRecords() {
        let bomb = CarrierMessage.records([]).encoded() + (0..<32_767).flatMap { _ in [UInt8(0x0A), 0x00] }
        #expect(CarrierMessage.singly(bomb).count == 1)
        #expect(throws: WireError.self) { try CarrierMessage(parsing: bomb, isBeforeHello: false) }
    }

    @Test("have at most the small size before HELLO, which the largest HELLO fits")
    func beforeHello() throws {
        var random = SeededRandom(seed: 200)
        var hello = random.hello()
        hello.mesh = String(repeating: "m", count: WireLimits.meshNameBytesMax)
        let record = SignedRecord(publicKey: random.bytes(32), body: random.bytes(512), signature: random.bytes(64))
        hello.record = record
        hello.yourRecord = record
        hello.yourInstanceSeen = .max
        let frame = CarrierMessage.hello(hello).encoded()
        #expect(try CarrierMessage(parsing: frame, isBeforeHello: true) == .hello(hello))
        let entries = (0..<64).map { _ in random.advertisedLink() }
        let rows = CarrierMessage.linkStates(entries, generation: 1).encoded()
        #expect(throws: WireError.oversized) { try CarrierMessage(parsing: rows, isBeforeHello: true) }
        #expect(throws: Never.self) { try CarrierMessage(parsing: rows, isBeforeHello: false) }
    }

    @Test("have room for the longest lists")
    func largest() throws {
        let far = NodeVersion(
            node: NodeID(words: (.max, .max, .max, .max)), version: RecordVersion(instance: .max, sequence: .max),
            seenSecondsAgo: .max)
        let frame = CarrierMessage.recordVersions(
            Array(repeating: far, count: WireLimits.recordVersionsPerFrameMax)
        ).encoded()
        #expect(frame.count <= WireLimits.carrierFrameBytesMax)
        #expect(throws: Never.self) { try CarrierMessage(parsing: frame, isBeforeHello: false) }
    }

    /// A frame of a list that is cut between two entries is a shorter list, because the frame's length says where it
    /// ends. It must be exactly that list. Every other cut is an error.
    @Test("that are cut off are refused, or are a shorter list", arguments: SeededRandom.messageKinds)
    func truncation(kind: Int) throws {
        var random = SeededRandom(seed: 300 + UInt64(kind))
        for _ in 0..<(9...12 ~= kind ? 2 : 5) {
            let message = random.message(kind: kind)
            let frame = message.encoded()
            let accepted = frame.indices.filter { count in
                refusal { _ = try CarrierMessage(parsing: Array(frame[..<count]), isBeforeHello: false) } == nil
            }
            #expect(accepted.isEmpty || CarrierMessageTests.mayBeShorter(message), "\(message) cut at \(accepted)")
            let changed = try accepted.filter { count in
                let cut = Array(frame[..<count])
                return try CarrierMessage(parsing: cut, isBeforeHello: false).encoded() != cut
            }
            #expect(changed == [])
        }
    }

    private static func mayBeShorter(_ message: CarrierMessage) -> Bool {
        switch message {
        case .records, .recordVersions, .channels, .datagram, .table(.summary), .admission(.grant), .epoch,
            // Without its last two fields it is a JOIN of the mesh, which closes the carrier after HELLO.
            .channelJoin:
            true
        case .tunnel(let frame): if case .data = frame.step { true } else { false }
        default: false
        }
    }

    @Test("of an unknown kind give another error than broken ones")
    func unknownKind() {
        for kind in [0, 17, 255] as [UInt8] {
            #expect(throws: WireError.unknownKind) { try CarrierMessage(parsing: [kind, 1], isBeforeHello: false) }
        }
        #expect(throws: WireError.truncated) { try CarrierMessage(parsing: [], isBeforeHello: false) }
        #expect(throws: WireError.oversized) {
            try CarrierMessage(parsing: Array(repeating: 10, count: 65_537), isBeforeHello: false)
        }
    }

    @Test("may have unknown fields of newer nodes, which are dropped")
    func unknownFields() throws {
        // Field 100, varint, in LEAVE and MEDIA_KEY_CONFIRM.
        #expect(try CarrierMessage(parsing: [14, 0xA0, 0x06, 0x01], isBeforeHello: false) == .leave)
        let confirm = try CarrierMessage(parsing: [9, 0x08, 0x07, 0xA0, 0x06, 0x01], isBeforeHello: false)
        #expect(confirm == .mediaKeyConfirm(generation: 7))
    }

    @Test("with deeper nesting than any message are refused")
    func depth() {
        var nested: [UInt8] = []
        for _ in 0..<40 { nested = [0x0B] + nested + [0x0C] }
        #expect(throws: WireError.self) { try CarrierMessage(parsing: [14] + nested, isBeforeHello: false) }
    }
}
