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

    @Test("open each datagram once, in any order within the window", arguments: Provider.allCases)
    func replay(_ provider: Provider) throws {
        var pair = Pair(provider)
        pair.mustAgree(1)
        let datagrams = (0..<1_200).map { pair.leader.sealed([UInt8(truncatingIfNeeded: $0)]) }
        var random = SeededRandom(seed: 20)
        var order = Array(176..<1_200)
        order.shuffle(using: &random)
        for index in order {
            let outcome = pair.follower.outcome(datagrams[index])
            #expect(outcome == .success([UInt8(truncatingIfNeeded: index)]))
        }
        let again = datagrams.map { pair.follower.outcome($0) }
        #expect(again.allSatisfy { $0 == .failure(.replayed) })
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

    @Test("expire after 180 s without a renewal", arguments: Provider.allCases)
    func death(_ provider: Provider) throws {
        var pair = Pair(provider)
        pair.mustAgree(1)
        let datagrams = [pair.leader.sealed([1]), pair.leader.sealed([2])]
        let alive = pair.follower.outcome(datagrams[0], at: Self.seconds(179))
        let dead = pair.follower.outcome(datagrams[1], at: Self.seconds(180))
        #expect(alive == .success([1]) && dead == .failure(.expiredKey))
        pair.leader.expire(now: Self.seconds(179))
        let last = pair.leader.seal([3])
        pair.leader.expire(now: Self.seconds(180))
        let none = pair.leader.seal([4])
        #expect(last != nil && none == nil)
        let isDue = pair.leader.needsRekey(now: Self.seconds(180))
        #expect(!isDue && pair.leader.openingKeyIDs.isEmpty)
    }

    @Test("are not installed from a bad or an early half", arguments: Provider.allCases)
    func badOffers(_ provider: Provider) {
        var pair = Pair(provider)
        let offer = pair.leader.makeOffer(generation: 3, keyID: 1)
        let early = pair.follower.install(peer: offer, now: .zero)
        #expect(!early)
        _ = pair.follower.makeOffer(generation: 3, keyID: 2)
        let bad: [(inout MediaKeyOffer) -> Void] = [
            { $0.generation = 4 }, { $0.secret = [] }, { $0.ephemeralPublicKey = [UInt8](repeating: 0, count: 32) },
            { $0.ephemeralPublicKey = [1] },
        ]
        for change in bad {
            var changed = offer
            change(&changed)
            let isInstalled = pair.follower.install(peer: changed, now: .zero)
            #expect(!isInstalled)
        }
        let good = pair.follower.install(peer: offer, now: .zero)
        let twice = pair.follower.install(peer: offer, now: .zero)
        #expect(good && !twice)
    }

    @Test(
        "rise in number once they have been used, and an unused generation may be agreed again",
        arguments: Provider.allCases)
    func order(_ provider: Provider) throws {
        var pair = Pair(provider)
        let unused = pair.agree(2, isSending: false)
        #expect(unused)
        let first = pair.leader.makeOffer(generation: 2, keyID: 70)
        let second = pair.follower.makeOffer(generation: 2, keyID: 71)
        let (a, b) = (pair.follower.install(peer: first, now: .zero), pair.leader.install(peer: second, now: .zero))
        #expect(a && b && pair.leader.openingKeyIDs == [70])
        pair.leader.startSending(generation: 2, now: .zero)
        pair.follower.startSending(generation: 2, now: .zero)
        let outcome = pair.follower.outcome(pair.leader.sealed([5]))
        #expect(outcome == .success([5]))
        let same = pair.agree(2)
        let lower = pair.agree(1)
        #expect(!same && !lower)
        let higher = pair.agree(9)
        let used = pair.leaderGeneration()
        #expect(higher && used == 9)
    }

    @Test("do not seal before they are installed, or after they were replaced", arguments: Provider.allCases)
    func confirmation(_ provider: Provider) {
        var pair = Pair(provider)
        let unknown = pair.leader.startSending(generation: 1, now: .zero)
        pair.mustAgree(1)
        pair.mustAgree(2)
        let again = pair.leader.startSending(generation: 2, now: .zero)
        let replaced = pair.leader.startSending(generation: 1, now: .zero)
        let used = pair.leaderGeneration()
        #expect(!unknown && again && !replaced && used == 2)
        pair.mustAgree(3, isSending: false)
        pair.leader.expire(now: Self.seconds(180))
        let late = pair.leader.startSending(generation: 3, now: Self.seconds(180))
        #expect(!late)
    }

    @Test("are limited in number, whatever the peer starts", arguments: Provider.allCases)
    func bounded(_ provider: Provider) throws {
        var pair = Pair(provider)
        pair.mustAgree(1)
        for generation in 2...20 as ClosedRange<UInt32> {
            pair.mustAgree(generation, isSending: false)
        }
        // Of the generations that do not seal yet only the last one is kept.
        #expect(pair.leader.openingKeyIDs.count == 2)
        let first = pair.leaderGeneration()
        #expect(first == 1)
        for generation in 21...40 as ClosedRange<UInt32> { pair.mustAgree(generation) }
        #expect(pair.leader.openingKeyIDs.count == MediaKeyLimits.generationsMax)
        let last = pair.leaderGeneration()
        #expect(last == 40)
        let outcome = pair.follower.outcome(pair.leader.sealed([5]))
        #expect(outcome == .success([5]))
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
