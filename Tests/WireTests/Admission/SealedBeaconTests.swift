import Primitives
import Testing
import Wire

@Suite("Beacons of closed meshes")
struct SealedBeaconTests {
    @Test("have the layout of the document")
    func layout() throws {
        let (salt, tag, nonce) = ([UInt8](0..<16), [UInt8](16..<32), [UInt8](32..<44))
        let sealed = [UInt8](repeating: 0x55, count: 115)
        let beacon = SealedBeacon(port: 0x1CE8, salt: salt, tag: tag, nonce: nonce, sealedRecord: sealed)
        let head = Array("PLbn".utf8) + [2, 0x1C, 0xE8] + salt + tag + nonce + [0, 115]
        #expect(beacon.head == head && head.count == 53)
        #expect(beacon.encoded() == head + sealed)
        #expect(try SealedBeacon(parsing: head + sealed) == beacon)
    }

    @Test("are the same after encoding and parsing, and truncated ones are refused")
    func roundTrip() throws {
        var random = SeededRandom(seed: 650)
        for _ in 0..<50 {
            let beacon = random.sealedBeacon()
            let bytes = beacon.encoded()
            #expect(try SealedBeacon(parsing: bytes) == beacon)
            let others = bytes.indices.filter { count in
                refusal { _ = try SealedBeacon(parsing: Array(bytes[..<count])) } != .truncated
            }
            #expect(others == [])
            if bytes.count < WireLimits.sealedBeaconBytesMax {
                #expect(throws: WireError.trailing) { try SealedBeacon(parsing: bytes + [0]) }
            }
        }
    }

    @Test("are refused with another mark, layout, port or length, and by the parser of open meshes")
    func damaged() throws {
        var random = SeededRandom(seed: 651)
        let good = random.sealedBeacon().encoded()
        func changed(_ bytes: [Int: UInt8]) -> [UInt8] {
            var copy = good
            for index in good.indices { copy[index] = bytes[index] ?? good[index] }
            return copy
        }
        #expect(throws: WireError.malformed) { try SealedBeacon(parsing: changed([3: 0x6F])) }
        #expect(throws: WireError.unknownKind) { try SealedBeacon(parsing: changed([4: 1])) }
        #expect(throws: WireError.outOfRange) { try SealedBeacon(parsing: changed([5: 0, 6: 0])) }
        #expect(throws: WireError.malformed) { try SealedBeacon(parsing: changed([51: 0, 52: 114])) }
        #expect(throws: WireError.truncated) { try SealedBeacon(parsing: changed([51: 0xFF])) }
        #expect(throws: WireError.oversized) { try SealedBeacon(parsing: good + [UInt8](repeating: 0, count: 679)) }
        #expect(throws: WireError.unknownKind) { try Beacon(parsing: good) }
    }

    @Test("hold the longest record, and it is the longest beacon")
    func longest() throws {
        let record = SignedRecord(
            publicKey: [UInt8](repeating: 1, count: 32),
            body: [UInt8](repeating: 2, count: WireLimits.recordBytesMax), signature: [UInt8](repeating: 3, count: 64))
        let packed = record.packed()
        var reader = ByteReader(packed)
        #expect(try SignedRecord(unpacking: &reader) == record)
        let zeros = [UInt8](repeating: 0, count: 16)
        let beacon = SealedBeacon(
            port: 1, salt: zeros, tag: zeros, nonce: Array(zeros.dropLast(4)), sealedRecord: packed + zeros)
        #expect(beacon.encoded().count == WireLimits.sealedBeaconBytesMax)
    }
}
