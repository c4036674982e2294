import Primitives
import TestKit
import Testing
import Trust
import Wire

/// One end, as a reference, so that an expectation can change it.
private final class End {
    private var session: MediaSession
    let sealing: NotingSealing

    init(_ context: SessionContext, seed: UInt64) {
        sealing = NotingSealing(seed: seed)
        session = MediaSession(context: context, sealing: sealing)
    }

    var openingKeyIDs: [UInt32] { session.openingKeyIDs }
    var overheadBytes: Int? { session.overheadBytes }
    func needsRekey(now: Instant) -> Bool { session.needsRekey(now: now) }
    func expire(now: Instant) { session.expire(now: now) }
    func offer(_ generation: UInt32, keyID: UInt32) -> MediaKeyOffer {
        session.makeOffer(generation: generation, keyID: keyID)
    }
    func install(_ offer: MediaKeyOffer, at now: Instant = .zero) -> Bool { session.install(peer: offer, now: now) }
    func start(_ generation: UInt32, at now: Instant = .zero) -> Bool {
        session.startSending(generation: generation, now: now)
    }
    func seal(_ body: [UInt8]) -> [UInt8]? { session.seal(body) }
    func open(_ datagram: [UInt8]?) throws -> (body: [UInt8], generation: UInt32) {
        try session.open(SealedDatagram(parsing: datagram ?? []), now: .zero)
    }
    /// Nil if the datagram opened, otherwise the error.
    func trouble(_ datagram: [UInt8]?, at now: Instant = .zero) -> OpenError? {
        do throws(OpenError) {
            _ = try session.open(SealedDatagram(parsing: datagram ?? []), now: now)
            return nil
        } catch {
            return error
        }
    }
}

/// Two ends of a session. The key ids are 0xA0 + `key` for the leader and 0xB1B2_B300 + `key` for the follower.
private struct Ends {
    static let leaderNode = NodeID(words: (9, 8, 7, 6))
    static let followerNode = NodeID(words: (1, 2, 3, 4))
    static let nonces = [UInt8](0..<64)

    let leader: End
    let follower: End

    init() {
        var context = SessionContext(
            leader: Ends.leaderNode, follower: Ends.followerNode,
            link: LinkID(
                leaderInstance: Instance(exactly: 0x0102_0304_0506)!, followerInstance: Instance(exactly: 7)!,
                attempt: 0x2122_2324),
            leaderBoot: BootNonce(number: 0x3132_3334_3536_3738), followerBoot: BootNonce(number: 9),
            nonces: Ends.nonces, isLeader: true)
        leader = End(context, seed: 1)
        context.isLeader = false
        follower = End(context, seed: 2)
    }

    /// Exchanges both halves. With `isSending` both ends seal with the generation. The default key is the generation's
    /// number.
    @discardableResult
    func agree(
        _ generation: UInt32, key: UInt32? = nil, at now: Instant = .zero, isSending: Bool = true
    ) -> Bool {
        let offer = leader.offer(generation, keyID: 0xA0 + (key ?? generation))
        let answer = follower.offer(generation, keyID: 0xB1B2_B300 + (key ?? generation))
        guard follower.install(offer, at: now), leader.install(answer, at: now) else { return false }
        return !isSending || leader.start(generation, at: now) && follower.start(generation, at: now)
    }
}

private func seconds(_ count: Int64) -> Instant { .zero + .seconds(count) }
private let tick = Interval(nanoseconds: 1)

@Suite("Media keys")
struct MediaSessionTests {
    @Test("are derived from the inputs in the document, for each direction")
    func derivation() {
        let ends = Ends()
        let (offer, answer) = (
            ends.leader.offer(0x4142_4344, keyID: 5),
            ends.follower.offer(0x4142_4344, keyID: 6)
        )
        #expect(offer.generation == 0x4142_4344 && offer.keyID == 5 && offer.secret.count == 32)
        #expect(ends.leader.install(answer) && ends.follower.install(offer))
        let bytes: [UInt8] =
            Array("partyline/2 media".utf8) + Ends.leaderNode.bytes + Ends.followerNode.bytes + [1, 2, 3, 4, 5, 6]
            + [0, 0, 0, 0, 0, 7, 0x21, 0x22, 0x23, 0x24, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38]
            + [0, 0, 0, 0, 0, 0, 0, 9, 0x41, 0x42, 0x43, 0x44]
        for sealing in [ends.leader.sealing, ends.follower.sealing] {
            #expect(Set(sealing.infos) == [bytes + [0] + Ends.nonces, bytes + [1] + Ends.nonces])
            #expect(Set(sealing.salts) == [offer.secret + answer.secret])
        }
    }

    @Test("seal datagrams with the layout of the document: mark, header and tag")
    func layout() throws {
        let ends = Ends()
        #expect(ends.leader.overheadBytes == nil && ends.leader.seal([1]) == nil)
        ends.agree(1)
        for counter in 0..<300 {
            let overhead = try #require(ends.leader.overheadBytes)
            let datagram = try #require(ends.leader.seal([1, 2, 3]))
            #expect(datagram.count == 3 + overhead && overhead == (counter < 8 ? 22 : counter < 256 ? 23 : 24))
            let header: [UInt8] =
                switch counter {
                case ..<8: [0xB0 | UInt8(counter), 0xB1, 0xB2, 0xB3, 1]
                case ..<256: [0xB8, 0xB1, 0xB2, 0xB3, 1, UInt8(counter)]
                default: [0xB9, 0xB1, 0xB2, 0xB3, 1, 1, UInt8(counter - 256)]
                }
            #expect(Array(datagram[..<(overhead - 16)]) == [0x50] + header)
            let parsed = try SealedDatagram(parsing: datagram)
            #expect(parsed.header == SFrameHeader(keyID: 0xB1B2_B301, counter: UInt64(counter)))
            let opened = try ends.follower.open(datagram)
            #expect(opened.body == [1, 2, 3] && opened.generation == 1)
            for sealing in [ends.leader.sealing, ends.follower.sealing] {
                #expect(sealing.additionalData.last == header + [0x50])
            }
        }
        let back = try #require(ends.follower.seal([7]))
        #expect(Array(back[..<3]) == [0x50, 0x80, 0xA1])
        #expect(try ends.leader.open(back).body == [7])
    }

    @Test("leave room for the largest body: mark, longest header and tag have 30 bytes")
    func largestBody() throws {
        let longest = SFrameHeader(keyID: .max, counter: .max)
        #expect(longest.byteCount == 1 + SFrameHeader.keyIDBytesMax + SFrameHeader.counterBytesMax)
        #expect(MediaSession.overheadBytesMax == 1 + longest.byteCount + 16)
        let ends = Ends()
        ends.agree(1)
        let body = [UInt8](repeating: 3, count: 1_170)
        let datagram = try #require(ends.leader.seal(body))
        #expect(try ends.follower.open(datagram).body == body)
    }

    @Test("open a datagram once, and refuse forged ones, foreign ones and counters beyond the last")
    func refusals() throws {
        let ends = Ends()
        ends.agree(1)
        let datagram = try #require(ends.leader.seal([1]))
        var changed = datagram
        changed[datagram.count - 17] ^= 1
        #expect(ends.follower.trouble(changed) == .forged)
        #expect(ends.follower.trouble(datagram) == nil)
        #expect(ends.follower.trouble(datagram) == .replayed)
        #expect(ends.leader.trouble(datagram) == .unknownKey)
        for (counter, trouble) in [((1 << 24) - 1, .forged), (1 << 24, .expiredKey)] as [(UInt64, OpenError)] {
            var bytes: [UInt8] = [0x50]
            SFrameHeader(keyID: 0xB1B2_B301, counter: counter).append(to: &bytes)
            #expect(ends.follower.trouble(bytes + [UInt8](repeating: 0, count: 16)) == trouble)
        }
        #expect(ends.follower.trouble(ends.leader.seal([2])) == nil)
    }

    @Test("are renewed from 110 s on, and expire at 180 s")
    func ages() throws {
        let ends = Ends()
        ends.agree(1, at: seconds(50))
        #expect(!ends.leader.needsRekey(now: seconds(160) - tick) && ends.leader.needsRekey(now: seconds(160)))
        let (early, late) = (ends.leader.seal([1]), ends.leader.seal([2]))
        #expect(ends.follower.trouble(early, at: seconds(230) - tick) == nil)
        #expect(ends.follower.trouble(late, at: seconds(230)) == .expiredKey)
        ends.follower.expire(now: seconds(230) - tick)
        #expect(ends.follower.openingKeyIDs == [0xB1B2_B301])
        ends.follower.expire(now: seconds(230))
        #expect(ends.follower.openingKeyIDs == [] && !ends.follower.needsRekey(now: seconds(230)))
    }

    @Test("open datagrams for 5 s after they were replaced")
    func retired() throws {
        let ends = Ends()
        ends.agree(1)
        let first = (0..<2).map { ends.leader.seal([UInt8($0)]) }
        ends.agree(2, at: seconds(10))
        let second = (0..<2).map { ends.leader.seal([UInt8($0)]) }
        ends.agree(3, at: seconds(13))
        #expect(ends.follower.trouble(first[0], at: seconds(15) - tick) == nil)
        #expect(ends.follower.trouble(first[1], at: seconds(15)) == .expiredKey)
        #expect(ends.follower.trouble(second[0], at: seconds(18) - tick) == nil)
        #expect(ends.follower.trouble(second[1], at: seconds(18)) == .expiredKey)
        ends.follower.expire(now: seconds(15))
        #expect(ends.follower.openingKeyIDs == [0xB1B2_B302, 0xB1B2_B303])
        ends.follower.expire(now: seconds(18))
        #expect(ends.follower.openingKeyIDs == [0xB1B2_B303])
    }

    @Test("are at most four generations, and the oldest one goes first")
    func bounded() throws {
        let ends = Ends()
        for generation in 1...4 as ClosedRange<UInt32> { ends.agree(generation) }
        #expect(ends.leader.openingKeyIDs == [0xA1, 0xA2, 0xA3, 0xA4])
        ends.agree(5)
        #expect(ends.leader.openingKeyIDs == [0xA2, 0xA3, 0xA4, 0xA5])
        #expect(ends.follower.openingKeyIDs == [0xB1B2_B302, 0xB1B2_B303, 0xB1B2_B304, 0xB1B2_B305])
        // A generation that does not seal yet also takes the place of an older one. The next offer replaces it.
        ends.agree(6, isSending: false)
        ends.agree(7, isSending: false)
        #expect(ends.leader.openingKeyIDs == [0xA3, 0xA4, 0xA5, 0xA7])
        #expect(ends.follower.trouble(ends.leader.seal([1])) == nil)
    }

    @Test("rise in number: an unused generation may be agreed again, and a used one may not")
    func order() throws {
        let ends = Ends()
        let installed = [
            ends.agree(5, key: 1, isSending: false), ends.agree(5, key: 2, isSending: false),
            ends.agree(4, key: 3, isSending: false), ends.agree(5, key: 4), ends.agree(5, key: 5),
            ends.agree(4, key: 6), ends.agree(6, key: 7),
        ]
        #expect(installed == [true, true, false, true, false, false, true])
        #expect(ends.leader.openingKeyIDs == [0xA4, 0xA7])
    }

    @Test("seal after their start, and no longer after their replacement")
    func starting() throws {
        let ends = Ends()
        ends.agree(1, isSending: false)
        #expect(ends.leader.seal([1]) == nil && !ends.leader.needsRekey(now: seconds(170)))
        #expect(!ends.leader.start(2))
        #expect(ends.leader.start(1))
        #expect(ends.leader.start(1))
        // A datagram of the peer opens at once, before this end has started.
        #expect(ends.follower.trouble(ends.leader.seal([1])) == nil)
        #expect(ends.follower.seal([1]) == nil)
        ends.agree(2)
        #expect(!ends.leader.start(1))
        let datagram = try SealedDatagram(parsing: ends.leader.seal([1]) ?? [])
        #expect(datagram.header == SFrameHeader(keyID: 0xB1B2_B302, counter: 0))
    }

    @Test("are not installed twice, or from a half that is early or of another generation")
    func untimelyHalves() {
        let ends = Ends()
        let offer = ends.leader.offer(3, keyID: 1)
        #expect(!ends.follower.install(offer))
        _ = ends.follower.offer(3, keyID: 2)
        for generation: UInt32 in [2, 4] {
            var other = offer
            other.generation = generation
            #expect(!ends.follower.install(other))
        }
        #expect(ends.follower.install(offer))
        #expect(!ends.follower.install(offer))
    }

    @Test("are not installed from a damaged half, which also ends the own one: its private key completes nothing later")
    func damagedHalves() {
        let damages: [@Sendable (inout MediaKeyOffer) -> Void] = [
            { $0.secret.removeLast() }, { $0.secret.append(0) }, { $0.ephemeralPublicKey.removeLast() },
            { $0.ephemeralPublicKey = [UInt8](repeating: 0, count: 32) },
        ]
        for damage in damages {
            let ends = Ends()
            let offer = ends.leader.offer(3, keyID: 1)
            _ = ends.follower.offer(3, keyID: 2)
            var damaged = offer
            damage(&damaged)
            #expect(!ends.follower.install(damaged))
            #expect(!ends.follower.install(offer))
            _ = ends.follower.offer(3, keyID: 2)
            #expect(ends.follower.install(offer))
        }
    }
}

@Suite("Sealed datagrams")
struct SealedDatagramTests {
    @Test("begin with P, hold a tag of at least 16 bytes and have at most 1,200 bytes")
    func parts() throws {
        func isOurs(_ start: [UInt8], _ count: Int) -> Bool {
            (try? SealedDatagram(parsing: start + [UInt8](repeating: 0, count: count))) != nil
        }
        #expect(isOurs([0x50, 0x12], 16) && !isOurs([0x50, 0x12], 15) && !isOurs([0x50], 0))
        #expect(isOurs([0x50, 0x82, 0x77], 16) && !isOurs([0x50, 0x82, 0x77], 15))
        #expect(!isOurs([0x51, 0x12], 16) && !isOurs([0x4F, 0x12], 16))
        #expect(isOurs([0x50, 0x12], 1_198) && !isOurs([0x50, 0x12], 1_199))
        let header = try SealedDatagram(parsing: [0x50, 0x12] + [UInt8](repeating: 0, count: 16)).header
        #expect(header == SFrameHeader(keyID: 1, counter: 2))
    }
}
