package import Primitives
package import Wire

/// Draws the words by which two persons find out whether somebody stands between them (docs/WIRE.md, "Comparison of
/// words"). Both read them aloud, over the intercom itself.
///
///     first                                        second
///       idle ── begin ─► COMMIT(hash of nonce) ──► idle
///       committed                                  answered
///         │ ◄───────────────────── ANSWER(nonce) ─── │
///         words, idle ─── OPEN(nonce) ─────────────► words, idle
///
/// Words that follow from the NodeIDs alone are not safe. A node in the middle makes keys until the words of its two
/// pairs are equal, which takes some million keys. Here it has one try for each run: each side is bound to its nonce
/// before it sees the other's (ZRTP, RFC 6189 §4.4.1.1).
package struct WordComparison: Sendable {
    private enum State {
        case idle
        /// This node has begun.
        case committed(nonce: [UInt8], at: Instant)
        /// The peer has begun.
        case answered(commitment: [UInt8], nonce: [UInt8], at: Instant)
    }

    /// The result of a step of the peer.
    package enum Outcome: Hashable, Sendable {
        case answers(WordStep)
        /// This node began: it opens its nonce, and has the words.
        case opens(WordStep, ComparedWords)
        /// The peer began, and has the words too.
        case agreed(ComparedWords)
        /// Both began at once, and the run of the greater NodeID counts: this node's.
        case yields
        /// The nonce is not the one to which the peer was bound.
        case isBroken
        case isUnexpected
    }

    /// If both nodes begin, the run of the greater NodeID counts for this time. Then it is taken for lost: the peer may
    /// have had no turn for it, or its carrier has ended. Its nonce is never used. So long, too, a person here gets the
    /// words of a run that the peer has begun.
    package static let answerWaitMax = Interval.seconds(3)

    /// Whether the peer has begun a run and has not opened its nonce. It knows the words already.
    package var awaitsOpening: Bool { if case .answered = state { true } else { false } }

    private var state = State.idle
    /// Whether the person here waits for the words of the run that the peer began last.
    private var hasJoined = false

    package init() {}

    /// Whether the person here gets the words of a run that the peer has begun, so that this node begins no run. This
    /// is true once in a run: if the peer never opens its nonce, the next attempt begins a run.
    package mutating func joinsPeersRun(now: Instant) -> Bool {
        guard case .answered(_, _, let begunAt) = state, !hasJoined, now < begunAt + Self.answerWaitMax else {
            hasJoined = false
            return false
        }
        hasJoined = true
        return true
    }

    /// Begins a run; one that has not ended is given up.
    /// - Parameter nonce: 32 random bytes, fresh for the run.
    package mutating func begin(_ pair: WordPair, nonce: [UInt8], now: Instant) -> WordStep {
        state = .committed(nonce: nonce, at: now)
        return .commit(pair.commitment(to: nonce, by: pair.own))
    }

    /// - Parameter nonce: 32 random bytes, fresh for this call.
    package mutating func receive(_ step: WordStep, _ pair: WordPair, nonce: [UInt8], now: Instant) -> Outcome {
        switch (state, step) {
        case (.committed(_, let begunAt), .commit) where pair.peer < pair.own && now < begunAt + Self.answerWaitMax:
            return .yields
        case (.idle, .commit(let commitment)), (.committed, .commit(let commitment)),
            (.answered, .commit(let commitment)):
            (state, hasJoined) = (.answered(commitment: commitment, nonce: nonce, at: now), false)
            return .answers(.answer(nonce))
        case (.committed(let own, _), .answer(let peers)):
            state = .idle
            return .opens(.open(own), pair.words(first: pair.own, own, second: peers))
        case (.answered(let commitment, let own, _), .open(let peers)):
            state = .idle
            guard pair.commitment(to: peers, by: pair.peer) == commitment else { return .isBroken }
            return .agreed(pair.words(first: pair.peer, peers, second: own))
        case (.idle, .answer), (.idle, .open), (.committed, .open), (.answered, .answer):
            return .isUnexpected
        }
    }
}

/// The two nodes that compare words, and their mesh.
package struct WordPair {
    let mesh: MeshID
    package let own: NodeID
    package let peer: NodeID
    private let sealing: any Sealing

    package init(in mesh: MeshID, own: NodeID, peer: NodeID, with sealing: any Sealing) {
        (self.mesh, self.own, self.peer, self.sealing) = (mesh, own, peer, sealing)
    }

    func commitment(to nonce: [UInt8], by first: NodeID) -> [UInt8] {
        sealing.hash(Array("partyline/1 words commit".utf8) + mesh.bytes + nodes(first) + nonce)
    }

    func words(first: NodeID, _ nonce: [UInt8], second: [UInt8]) -> ComparedWords {
        ComparedWords(
            hash: sealing.hash(Array("partyline/1 words".utf8) + mesh.bytes + nodes(first) + nonce + second))
    }

    private func nodes(_ first: NodeID) -> [UInt8] { first.bytes + (first == own ? peer : own).bytes }
}

/// Four words as numbers in a list of 2,048: 44 bits.
package struct ComparedWords: Hashable, Sendable {
    package static let count = 4
    private static let bitsPerWord = 11

    /// 0 to 2,047 each.
    package let indexes: [Int]

    /// - Precondition: at least 8 bytes.
    init(hash: [UInt8]) {
        let head = hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        indexes = (1...ComparedWords.count).map { place in
            Int(head >> UInt64(64 - ComparedWords.bitsPerWord * place)) & (1 << ComparedWords.bitsPerWord - 1)
        }
    }
}
