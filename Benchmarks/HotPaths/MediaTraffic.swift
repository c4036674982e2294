import Primitives
import Trust
import TrustCrypto
import Wire

/// One direction of a linked pair's media: a talker that seals, a listener that opens.
struct MediaTraffic {
    /// A 5 ms frame of 64 kb/s with its payload header, as a datagram body.
    static let bodyBytes = 51

    private(set) var talker: MediaSession
    private(set) var listener: MediaSession
    private static let start = Instant(nanoseconds: 0)

    init(talker: any Sealing, listener: any Sealing) {
        var context = SessionContext(
            leader: talker.nodeID, follower: listener.nodeID,
            link: LinkID(leaderInstance: .max, followerInstance: .max, attempt: 1), leaderBoot: BootNonce(number: 1),
            followerBoot: BootNonce(number: 2), nonces: [UInt8](repeating: 3, count: 64), isLeader: true)
        self.talker = MediaSession(context: context, sealing: talker)
        context.isLeader = false
        self.listener = MediaSession(context: context, sealing: listener)
        let offers = (
            self.talker.makeOffer(generation: 1, keyID: 4_001), self.listener.makeOffer(generation: 1, keyID: 4_002)
        )
        let isAgreed =
            self.talker.install(peer: offers.1, now: Self.start)
            && self.listener.install(peer: offers.0, now: Self.start)
        precondition(isAgreed, "two fresh halves agree")
        self.talker.startSending(generation: 1, now: Self.start)
        self.listener.startSending(generation: 1, now: Self.start)
    }

    /// With the cryptography that a node uses.
    static func encrypted(number: UInt64 = 0) -> MediaTraffic {
        MediaTraffic(talker: sealing(seed: 2 * number), listener: sealing(seed: 2 * number + 1))
    }

    mutating func seal(_ body: [UInt8]) -> [UInt8] {
        guard let datagram = talker.seal(body) else { illegal("seal", in: "a generation that is used up") }
        return datagram
    }

    mutating func open(_ datagram: [UInt8]) -> [UInt8] {
        guard let body = try? listener.open(SealedDatagram(parsing: datagram), now: Self.start).body else {
            illegal("open", in: "a datagram of the own pair")
        }
        return body
    }

    private static func sealing(seed: UInt64) -> CryptoSealing {
        var random = SeededRandom(seed: seed)
        func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
        let key = bytes(32)
        guard let sealing = try? CryptoSealing(privateKey: key, randomBytes: bytes) else {
            illegal("CryptoSealing", in: "a key of \(key.count) bytes")
        }
        return sealing
    }
}
