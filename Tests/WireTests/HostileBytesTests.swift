import Foundation
import Primitives
import Testing
import Wire

/// For any input a parser gives a value or an error. The encoding of a value parses to the same value.
@Suite("Hostile bytes")
struct HostileBytesTests {
    /// `PARTYLINE_HOSTILE_ROUNDS=1000000` for a release. The default is enough to meet each error of a parser. Each
    /// test checks that, so that no branch of a parser is left out.
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
        var seen: [WireError: Int] = [:]
        for round in 0..<HostileBytesTests.rounds {
            let good = corpus[Int(random.below(UInt64(corpus.count)))]
            // Long frames are slow to copy, and show little more than short ones.
            let start = good.count < 2_000 || round % 64 == 0 ? good : Array(good[..<600])
            let bytes = round % 8 == 0 ? random.bytes(upTo: 80) : random.mutated(start)
            do {
                let message = try parse(bytes)
                parsed += 1
                guard round % 16 == 0 else { continue }
                if (try? parse(encode(message))) != message { changed += 1 }
            } catch {
                seen[try #require(error as? WireError), default: 0] += 1
            }
        }
        #expect(HostileBytesTests.rounds / 100 < parsed && changed == 0)
        #expect(errors.isSubset(of: seen.filter { 5 <= $0.value }.keys), "\(seen)")
    }

    @Test("never stop the parser of carrier frames")
    func carrier() throws {
        try play(
            seed: 700,
            corpus: { random in
                SeededRandom.messageKinds.flatMap { kind in (0..<20).map { _ in random.message(kind: kind).encoded() } }
            }, errors: [.truncated, .trailing, .outOfRange, .unknownKind, .malformed],
            parse: { try CarrierMessage(parsing: $0, isBeforeHello: false) }, encode: { $0.encoded() })
    }

    @Test("never stop the parser of datagram bodies")
    func datagrams() throws {
        try play(
            seed: 701, corpus: { random in (0..<200).map { _ in random.datagramBody().encoded() } },
            errors: [.truncated, .trailing, .oversized, .outOfRange, .unknownKind],
            parse: { try DatagramBody(parsing: $0) }, encode: { $0.encoded() })
    }

    @Test("never stop the parser of sealed beacons")
    func sealedBeacons() throws {
        try play(
            seed: 708, corpus: { random in (0..<50).map { _ in random.sealedBeacon().encoded() } },
            errors: [.truncated, .trailing, .unknownKind, .malformed],
            parse: { try SealedBeacon(parsing: $0) }, encode: { $0.encoded() })
    }

    @Test("never stop the parser of records")
    func records() throws {
        try play(
            seed: 702, corpus: { random in (0..<200).map { _ in random.record().encoded() } },
            errors: [.truncated, .trailing, .oversized, .outOfRange, .unknownKind],
            parse: { try NodeRecord(parsing: $0) }, encode: { $0.encoded() })
    }

    @Test("never stop the parser of beacons")
    func beacons() throws {
        try play(
            seed: 703,
            corpus: { random in
                (0..<200).map { _ in Beacon(mesh: random.meshName(), record: random.signedRecord()).encoded() }
            }, errors: [.truncated, .trailing, .oversized, .unknownKind, .malformed],
            parse: { try Beacon(parsing: $0) }, encode: { $0.encoded() })
    }
}
