import CAllocationCount
import Primitives
import Testing
import Trust
import TrustCrypto
import Wire

@Suite("The media cipher")
struct MediaCipherTests {
    private static let counters: [UInt64] = [0, 1, 0xFFFF_FFFF, 0x1_0000_0000, 0x0123_4567_89AB_CDEF, .max]
    private let baseKey = (0..<32).map { UInt8($0) }
    private let source = SeededSource(seed: 70)

    /// `Tests/Vectors/media-cipher.hex` has hashes of what swift-crypto sealed.
    @Test(
        "seals as another implementation did, from nothing to the largest datagram, and opens it",
        arguments: [0, 1, 15, 16, 17, 160, WireLimits.datagramBytesMax, 10_000])
    func secondImplementation(count: Int) throws {
        let aead = SFrameAEAD(baseKey: baseKey, keyID: 9)
        var all: [UInt8] = []
        for counter in Self.counters {
            for additionalData in [[], [0x50], source.bytes(13), source.bytes(100)] {
                let plaintext = source.bytes(count)
                let sealed = aead.seal(plaintext, counter: counter, additionalData: additionalData)
                #expect(aead.open(sealed[...], counter: counter, additionalData: additionalData) == plaintext)
                all += sealed
            }
        }
        #expect(try Provider.real.make(1).hash(all) == VectorFile.values("media-cipher.hex")["sealed_\(count)"])
    }

    @Test("leaves the bytes before the body as they are")
    func header() {
        let aead = SFrameAEAD(baseKey: baseKey, keyID: 9)
        var datagram: [UInt8] = [1, 2, 3, 4, 5]
        aead.seal(bodyOf: &datagram, from: 2, counter: 7, additionalData: [8])
        #expect(datagram == [1, 2] + aead.seal([3, 4, 5], counter: 7, additionalData: [8]))
    }

    @Test("opens and seals rightly after every forgery that it refused", arguments: [0, 1, 40])
    func forgeries(count: Int) {
        let (aead, twin) = (SFrameAEAD(baseKey: baseKey, keyID: 9), SFrameAEAD(baseKey: baseKey, keyID: 9))
        let plaintext = source.bytes(count)
        let sealed = twin.seal(plaintext, counter: 5, additionalData: [1, 2])
        var forgeries = sealed.indices.map { Array(sealed[..<$0]) } + [sealed + [0], [0] + sealed]
        for index in sealed.indices {
            for bit in 0..<8 {
                var changed = sealed
                changed[index] ^= 1 << UInt8(bit)
                forgeries.append(changed)
            }
        }
        for forgery in forgeries {
            #expect(aead.open(forgery[...], counter: 5, additionalData: [1, 2]) == nil)
            #expect(aead.open(sealed[...], counter: 5, additionalData: [1, 2]) == plaintext)
            #expect(aead.seal(plaintext, counter: 5, additionalData: [1, 2]) == sealed)
        }
    }

    @Test(
        "asks the heap for nothing to seal, and once to open",
        .enabled(if: allocation_count_is_active() == 1, "a sanitizer replaces malloc"))
    func heapCalls() {
        let aead = SFrameAEAD(baseKey: baseKey, keyID: 9)
        let (plaintext, additionalData) = (source.bytes(160), source.bytes(7))
        var datagram: [UInt8] = []
        datagram.reserveCapacity(176)
        var opened: [[UInt8]?] = []
        opened.reserveCapacity(100)
        var (sealing, opening) = (Int64(0), Int64(0))
        for counter in 0..<100 as Range<UInt64> {
            datagram.removeAll(keepingCapacity: true)
            datagram.append(contentsOf: plaintext)
            let before = allocation_count_of_this_thread()
            aead.seal(bodyOf: &datagram, from: 0, counter: counter, additionalData: additionalData)
            let between = allocation_count_of_this_thread()
            opened.append(aead.open(datagram[...], counter: counter, additionalData: additionalData))
            sealing += between - before
            opening += allocation_count_of_this_thread() - between
        }
        #expect(opened.allSatisfy { $0 == plaintext })
        #expect(sealing == 0 && opening == 100)
    }

    @Test(
        "a session asks the heap once for each datagram that it seals, and once for each body that it opens",
        .enabled(if: allocation_count_is_active() == 1, "a sanitizer replaces malloc"))
    func heapCallsOfSession() throws {
        var pair = Pair(.real)
        pair.mustAgree(1)
        let body = source.bytes(160)
        // The first datagram makes room for the additional data.
        _ = pair.follower.outcome(pair.leader.sealed(body))
        var datagrams: [[UInt8]?] = []
        datagrams.reserveCapacity(100)
        let before = allocation_count_of_this_thread()
        for _ in 0..<100 { datagrams.append(pair.leader.seal(body)) }
        let sealing = allocation_count_of_this_thread() - before
        let parsed = try datagrams.map { try SealedDatagram(parsing: $0 ?? []) }
        var bodies: [[UInt8]] = []
        bodies.reserveCapacity(100)
        let between = allocation_count_of_this_thread()
        for datagram in parsed { bodies.append(try pair.follower.open(datagram, now: .zero).body) }
        let opening = allocation_count_of_this_thread() - between
        // The datagrams are given back after the count, not at their last use within it.
        withExtendedLifetime(parsed) {}
        #expect(bodies.allSatisfy { $0 == body })
        #expect(sealing == 100 && opening == 100)
    }
}
