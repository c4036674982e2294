import Foundation
import Primitives
import Testing
import Wire

/// Whatever comes in, a parser gives a value or an error; and a value that it gives is sent on as
/// something that it reads the same way.
@Suite("Hostile bytes")
struct HostileBytesTests {
    /// `PARTYLINE_HOSTILE_ROUNDS=1000000` for a release.
    private static let rounds =
        ProcessInfo.processInfo.environment["PARTYLINE_HOSTILE_ROUNDS"].flatMap { Int($0) } ?? 200_000

    @Test("never stop the carrier's parser")
    func carrier() throws {
        var random = SeededRandom(seed: 700)
        let corpus = SeededRandom.messageKinds.flatMap { kind in
            (0..<20).map { _ in random.message(kind: kind).encoded() }
        }
        var (parsed, changed) = (0, 0)
        for round in 0..<HostileBytesTests.rounds {
            let good = corpus[Int(random.below(UInt64(corpus.count)))]
            // Long frames are slow to copy and teach little more than short ones.
            let start = good.count < 2_000 || round % 64 == 0 ? good : Array(good[..<600])
            let bytes = round % 8 == 0 ? random.bytes(upTo: 64) : random.mutated(start)
            guard let message = try? CarrierMessage(parsing: bytes, isBeforeHello: false) else { continue }
            parsed += 1
            guard round % 16 == 0 else { continue }
            if try CarrierMessage(parsing: message.encoded(), isBeforeHello: false) != message { changed += 1 }
        }
        #expect(HostileBytesTests.rounds / 100 < parsed && changed == 0)
    }

    @Test("never stop the datagram's parser")
    func datagrams() throws {
        var random = SeededRandom(seed: 701)
        let corpus = (0..<200).map { _ in random.datagramBody().encoded() }
        var (parsed, changed) = (0, 0)
        for round in 0..<HostileBytesTests.rounds {
            let good = corpus[Int(random.below(UInt64(corpus.count)))]
            let bytes = round % 8 == 0 ? random.bytes(upTo: 64) : random.mutated(good)
            guard let body = try? DatagramBody(parsing: bytes) else { continue }
            parsed += 1
            guard round % 16 == 0 else { continue }
            if try DatagramBody(parsing: body.encoded()) != body { changed += 1 }
        }
        #expect(HostileBytesTests.rounds / 100 < parsed && changed == 0)
    }

    @Test("never stop the record's parser")
    func records() throws {
        var random = SeededRandom(seed: 702)
        let corpus = (0..<200).map { _ in random.record().encoded() }
        var (parsed, changed) = (0, 0)
        for round in 0..<HostileBytesTests.rounds {
            let good = corpus[Int(random.below(UInt64(corpus.count)))]
            let bytes = round % 8 == 0 ? random.bytes(upTo: 80) : random.mutated(good)
            guard let record = try? NodeRecord(parsing: bytes) else { continue }
            parsed += 1
            guard round % 16 == 0 else { continue }
            if try NodeRecord(parsing: record.encoded()) != record { changed += 1 }
        }
        #expect(HostileBytesTests.rounds / 100 < parsed && changed == 0)
    }

    @Test("never stop the beacon's parser")
    func beacons() throws {
        var random = SeededRandom(seed: 703)
        let corpus = (0..<200).map { _ in Beacon(mesh: random.meshName(), record: random.signedRecord()).encoded() }
        var (parsed, changed) = (0, 0)
        for round in 0..<HostileBytesTests.rounds {
            let good = corpus[Int(random.below(UInt64(corpus.count)))]
            let bytes = round % 8 == 0 ? random.bytes(upTo: 80) : random.mutated(good)
            guard let beacon = try? Beacon(parsing: bytes) else { continue }
            parsed += 1
            guard round % 16 == 0 else { continue }
            if try Beacon(parsing: beacon.encoded()) != beacon { changed += 1 }
        }
        #expect(HostileBytesTests.rounds / 100 < parsed && changed == 0)
    }
}
