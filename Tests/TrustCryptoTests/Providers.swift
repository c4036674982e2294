import Primitives
import Testing
import Trust
import TrustCrypto
import Wire

/// Both providers of `Sealing`. Every promise of one is tested with both.
enum Provider: String, CaseIterable, Sendable, CustomStringConvertible {
    case real, transparent

    var description: String { rawValue }

    /// - Parameter seed: another seed is another identity.
    func make(_ seed: UInt64) -> any Sealing {
        switch self {
        case .transparent: return TransparentSealing(seed: seed)
        case .real:
            let source = SeededSource(seed: seed)
            return try! CryptoSealing(privateKey: source.bytes(32), randomBytes: source.bytes)
        }
    }
}

/// Repeatable randomness for tests.
final class SeededSource {
    private var random: SeededRandom
    init(seed: UInt64) { random = SeededRandom(seed: seed) }
    func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
}

/// Two ends of a session, and actions of a test on them.
struct Pair {
    var leader: MediaSession
    var follower: MediaSession

    init(_ provider: Provider, seed: UInt64 = 1, attempt: UInt32 = 1) {
        let (a, b) = (provider.make(seed), provider.make(seed + 1))
        var context = SessionContext(
            leader: max(a.nodeID, b.nodeID), follower: min(a.nodeID, b.nodeID),
            link: LinkID(
                leaderInstance: Instance(exactly: 4)!, followerInstance: Instance(exactly: 7)!, attempt: attempt),
            leaderBoot: BootNonce(number: 11), followerBoot: BootNonce(number: 12),
            nonces: [UInt8](repeating: 13, count: 64), isLeader: true)
        leader = MediaSession(context: context, sealing: a)
        context.isLeader = false
        follower = MediaSession(context: context, sealing: b)
    }

    /// The generation with which the leader seals, as the other end sees it; nil if no datagram opens.
    mutating func leaderGeneration(at now: Instant = .zero) -> UInt32? {
        guard let datagram = leader.seal([0]) else { return nil }
        return try? follower.open(SealedDatagram(parsing: datagram), now: now).generation
    }

    /// Agrees on a generation. Both ends seal with it if `isSending`.
    mutating func mustAgree(_ generation: UInt32, at now: Instant = .zero, isSending: Bool = true) {
        let offer = leader.makeOffer(generation: generation, keyID: 1_000 + generation)
        let answer = follower.makeOffer(generation: generation, keyID: 0xFFFF_0000 + generation)
        let (there, back) = (follower.install(peer: offer, now: now), leader.install(peer: answer, now: now))
        #expect(there && back)
        guard isSending else { return }
        leader.startSending(generation: generation, now: now)
        follower.startSending(generation: generation, now: now)
    }
}

extension MediaSession {
    /// A datagram; empty, so that it does not open, if there is no key.
    mutating func sealed(_ body: [UInt8]) -> [UInt8] { seal(body) ?? [] }

    /// The result of opening, as one comparable value.
    mutating func outcome(_ datagram: [UInt8], at now: Instant = .zero) -> Result<[UInt8], OpenError> {
        do throws(OpenError) { return .success(try open(SealedDatagram(parsing: datagram), now: now).body) } catch {
            return .failure(error)
        }
    }
}
