import Primitives
import Testing
import Trust
import Wire

@Suite("A pair's media keys")
struct MediaSessionTests {
    private static func seconds(_ count: Int64) -> Instant { .zero + .seconds(count) }

    @Test("carry datagrams in both directions, in the layout of the document", arguments: Provider.allCases)
    func bothWays(_ provider: Provider) throws {
        var pair = Pair(provider)
        let tooEarly = pair.leader.seal([1])
        #expect(tooEarly == nil)
        pair.mustAgree(1)
        for count in [0, 1, 100, 1_151] {
            let body = [UInt8](repeating: 7, count: count)
            let there = pair.leader.sealed(body)
            #expect(pair.follower.outcome(there) == .success(body))
            let back = pair.follower.sealed(body)
            #expect(pair.leader.outcome(back) == .success(body))
            #expect(try SealedDatagram(parsing: there).header.keyID == 0xFFFF_0001)
            #expect(try SealedDatagram(parsing: back).header.keyID == 1_001)
        }
        let datagram = pair.leader.sealed([9])
        #expect(Array(datagram[..<6]) == [0x50, 0xB4, 0xFF, 0xFF, 0x00, 0x01])
        #expect(datagram.count == 1 + 1 + 4 + 0 + 1 + 16)
        #expect(pair.leader.outcome(datagram) == .failure(.unknownKey))
    }

    @Test("open no changed, cut or invented datagram, and keep their state", arguments: Provider.allCases)
    func forged(_ provider: Provider) throws {
        var pair = Pair(provider)
        pair.mustAgree(1)
        let good = pair.leader.sealed(Array("a block of sound".utf8))
        for index in good.indices {
            for bit in 0..<8 {
                var changed = good
                changed[index] ^= 1 << UInt8(bit)
                let outcome = pair.follower.outcome(changed)
                #expect(throws: OpenError.self) { try outcome.get() }
            }
        }
        for count in good.indices {
            let outcome = pair.follower.outcome(Array(good[..<count]))
            #expect(throws: OpenError.self) { try outcome.get() }
        }
        // A counter far ahead under the right key id, with a wrong tag.
        var ahead: [UInt8] = [0x50]
        SFrameHeader(keyID: 0xFFFF_0001, counter: 1 << 20).append(to: &ahead)
        let outcome = pair.follower.outcome(ahead + [UInt8](repeating: 0, count: 30))
        #expect(outcome == .failure(.forged))
        var beyond: [UInt8] = [0x50]
        SFrameHeader(keyID: 0xFFFF_0001, counter: 1 << 24).append(to: &beyond)
        let over = pair.follower.outcome(beyond + [UInt8](repeating: 0, count: 30))
        #expect(over == .failure(.expiredKey))
        let opened = pair.follower.outcome(good)
        #expect(opened == .success(Array("a block of sound".utf8)))
    }

    @Test("belong to one pair, link, boot and direction", arguments: Provider.allCases)
    func otherPair(_ provider: Provider) throws {
        var (pair, other, attempt) = (Pair(provider), Pair(provider, seed: 50), Pair(provider, attempt: 2))
        pair.mustAgree(1)
        other.mustAgree(1)
        attempt.mustAgree(1)
        let datagram = pair.leader.sealed([1, 2, 3])
        // Key ids are the same, and randomness too if the seed is: only the context differs.
        let (foreign, renewed) = (other.follower.outcome(datagram), attempt.follower.outcome(datagram))
        #expect(foreign == .failure(.forged) && renewed == .failure(.forged))
    }

    @Test("are renewed without a gap, and old ones open for five seconds", arguments: Provider.allCases)
    func rekey(_ provider: Provider) throws {
        var pair = Pair(provider)
        pair.mustAgree(1)
        let isEarly = pair.leader.needsRekey(now: Self.seconds(109))
        let isDue = pair.leader.needsRekey(now: Self.seconds(110))
        #expect(!isEarly && isDue)
        let (early, late) = (pair.leader.sealed([1]), pair.leader.sealed([2]))
        pair.mustAgree(2, at: Self.seconds(110), isSending: false)
        #expect(pair.follower.openingKeyIDs == [0xFFFF_0001, 0xFFFF_0002])
        let before = pair.leaderGeneration(at: Self.seconds(110))
        #expect(before == 1)
        pair.leader.startSending(generation: 2, now: Self.seconds(110))
        let new = try pair.follower.open(SealedDatagram(parsing: pair.leader.sealed([3])), now: Self.seconds(110))
        #expect(new.body == [3] && new.generation == 2)
        let isDueAgain = pair.leader.needsRekey(now: Self.seconds(111))
        #expect(!isDueAgain)
        pair.follower.startSending(generation: 2, now: Self.seconds(111))
        let old = try pair.follower.open(SealedDatagram(parsing: early), now: Self.seconds(115))
        #expect(old.generation == 1)
        let after = pair.follower.outcome(late, at: Self.seconds(116))
        #expect(after == .failure(.expiredKey))
        pair.follower.expire(now: Self.seconds(116))
        #expect(pair.follower.openingKeyIDs == [0xFFFF_0002])
        let gone = pair.follower.outcome(late, at: Self.seconds(116))
        #expect(gone == .failure(.unknownKey))
    }

    @Test("are told apart from other datagrams by first byte and size")
    func foreign() {
        var random = SeededRandom(seed: 30)
        var pair = Pair(.transparent)
        pair.mustAgree(1)
        var opened = 0
        for _ in 0..<1_000_000 {
            var bytes = (0..<random.below(48)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            if !bytes.isEmpty, random.chance(permille: 900) { bytes[0] = 0x50 }
            if 6 < bytes.count, random.chance(permille: 300) {
                bytes.replaceSubrange(1..<6, with: [0xB0, 0xFF, 0xFF, 0, 1])
            }
            if case .success = pair.follower.outcome(bytes) { opened += 1 }
        }
        #expect(opened == 0)
        let long = pair.follower.outcome([UInt8](repeating: 0x50, count: 1_201))
        #expect(long == .failure(.malformed))
        #expect(throws: OpenError.malformed) { try SealedDatagram(parsing: [0x51, 0, 0]) }
    }
}
