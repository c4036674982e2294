package import Primitives

/// When the TLS handshakes of accepted connections start: so many a second, the sources in turn.
///
/// A connection has no place here before its first bytes have come, and gives the place back when it ends. So somebody
/// who connects and closes delays nobody.
///
/// The order is a fair queue: a connection's round is one more than that of the latest from the same source, and the
/// lowest round starts first.
package struct HandshakePace {
    package enum Answer: Equatable, Sendable {
        case start
        /// Its turn comes; `displaced` has lost its place, which was the last of a source that holds more.
        case wait(displaced: UInt64?)
        case refused
    }

    private struct Waiting {
        let id: UInt64
        let source: CarrierSource
        let round: UInt64
    }

    private let waitingMax: Int
    private var tokens: TokenBucket
    private var waiting: [Waiting] = []
    /// Of the latest connection that was started.
    private var round: UInt64 = 0

    package init(limits: CarrierLimits) {
        waitingMax = limits.handshakesWaitingMax
        tokens = TokenBucket(burst: limits.handshakeBurst, interval: limits.handshakeSpacing, now: .zero)
    }

    /// The first bytes of connection `id` have come. An id is used once.
    package mutating func ask(_ id: UInt64, from source: CarrierSource, now: Instant) -> Answer {
        if waiting.isEmpty, tokens.take(now: now) { return .start }
        let own = 1 + (waiting.last { $0.source == source }?.round ?? round)
        var displaced: UInt64?
        if waitingMax <= waiting.count {
            guard let last = waiting.indices.max(by: { waiting[$0].round <= waiting[$1].round }),
                own < waiting[last].round
            else { return .refused }
            displaced = waiting.remove(at: last).id
        }
        waiting.append(Waiting(id: id, source: source, round: own))
        return .wait(displaced: displaced)
    }

    /// The connection has ended, or was started.
    package mutating func leave(_ id: UInt64) { waiting.removeAll { $0.id == id } }

    /// The connection whose turn it is, once.
    package mutating func next(now: Instant) -> UInt64? {
        guard let first = waiting.indices.min(by: { waiting[$0].round < waiting[$1].round }),
            tokens.take(now: now)
        else { return nil }
        round = waiting[first].round
        return waiting.remove(at: first).id
    }

    /// When `next` will name one; nil where none waits.
    package mutating func nextAt(now: Instant) -> Instant? { waiting.isEmpty ? nil : tokens.nextToken(now: now) }
}
