import Foundation
import Primitives
import Testing
import Wire

/// Whatever comes in, a parser gives a value or an error; and a value that it gives is sent on as
/// something that it reads the same way.
@Suite("Hostile bytes")
struct HostileBytesTests {
    /// `PARTYLINE_HOSTILE_ROUNDS=1000000` for a release. So few are enough to meet each error that a parser has, which
    /// is asked below: a way through a parser is not left out.
    static let rounds =
        ProcessInfo.processInfo.environment["PARTYLINE_HOSTILE_ROUNDS"].flatMap { Int($0) } ?? 20_000

    /// Expects no trap, no value that changes on its way, some values, and each of these errors a few times.
    private func play<Message: Equatable>(
        seed: UInt64, corpus: (inout SeededRandom) -> [[UInt8]], errors: Set<WireError>,
        parse: ([UInt8]) throws -> Message, encode: (Message) -> [UInt8]
    ) throws {
        var random = SeededRandom(seed: seed)
        let corpus = corpus(&random)
        var (parsed, changed) = (0, 0)
        var met: [WireError: Int] = [:]
        for round in 0..<HostileBytesTests.rounds {
            let good = corpus[Int(random.below(UInt64(corpus.count)))]
            // Long frames are slow to copy and teach little more than short ones.
            let start = good.count < 2_000 || round % 64 == 0 ? good : Array(good[..<600])
            let bytes = round % 8 == 0 ? random.bytes(upTo: 80) : random.mutated(start)
            do {
                let message = try parse(bytes)
                parsed += 1
                guard round % 16 == 0 else { continue }
                if (try? parse(encode(message))) != message { changed += 1 }
            } catch {
                met[try #require(error as? WireError), default: 0] += 1
            }
        }
        #expect(HostileBytesTests.rounds / 100 < parsed && changed == 0)
        #expect(errors.isSubset(of: met.filter { 5 <= $0.value }.keys), "\(met)")
    }

    @Test("never stop the carrier's parser")
    func carrier() throws {
        try play(
            seed: 700,
            corpus: { random in
                SeededRandom.messageKinds.flatMap { kind in (0..<20).map { _ in random.message(kind: kind).encoded() } }
            }, errors: [.truncated, .trailing, .outOfRange, .unknownKind, .malformed],
            parse: { try CarrierMessage(parsing: $0, isBeforeHello: false) }, encode: { $0.encoded() })
    }

    @Test("never stop the datagram's parser")
    func datagrams() throws {
        try play(
            seed: 701, corpus: { random in (0..<200).map { _ in random.datagramBody().encoded() } },
            errors: [.truncated, .trailing, .oversized, .outOfRange, .unknownKind],
            parse: { try DatagramBody(parsing: $0) }, encode: { $0.encoded() })
    }

    @Test("never stop the record's parser")
    func records() throws {
        try play(
            seed: 702, corpus: { random in (0..<200).map { _ in random.record().encoded() } },
            errors: [.truncated, .trailing, .oversized, .outOfRange, .unknownKind],
            parse: { try NodeRecord(parsing: $0) }, encode: { $0.encoded() })
    }

    @Test("never stop the beacon's parser")
    func beacons() throws {
        try play(
            seed: 703,
            corpus: { random in
                (0..<200).map { _ in Beacon(mesh: random.meshName(), record: random.signedRecord()).encoded() }
            }, errors: [.truncated, .trailing, .oversized, .unknownKind, .malformed],
            parse: { try Beacon(parsing: $0) }, encode: { $0.encoded() })
    }
}
