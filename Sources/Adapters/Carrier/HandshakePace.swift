package import Primitives

/// Decides when the TLS handshakes of accepted connections start: at a limited rate, and fairly among the sources.
///
/// A connection enters the queue when its first bytes have come, and leaves it when it ends. So a source that opens and
/// closes many connections delays nobody.
///
/// The queue is fair by rounds (Demers, Keshav and Shenker, "Analysis and simulation of a fair queueing algorithm",
/// 1989): the round of a connection is one more than that of the latest waiting connection of the same source, and the
/// lowest round starts first.
package struct HandshakePace {
    /// The answer to a connection whose first bytes have come.
    package enum Answer: Equatable, Sendable {
        case start
        /// The handshake starts later. The connection `displaced`, of a source with more waiting connections, has lost
        /// its place and must be closed.
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
    /// Round of the latest connection that was started.
    private var round: UInt64 = 0

    package init(limits: CarrierLimits) {
        waitingMax = limits.handshakesWaitingMax
        tokens = TokenBucket(burst: limits.handshakeBurst, interval: limits.handshakeSpacing, now: .zero)
    }

    /// Takes connection `id`, whose first bytes have come. An id is used once.
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

    /// Removes a connection that has ended; no effect if it does not wait.
    package mutating func leave(_ id: UInt64) { waiting.removeAll { $0.id == id } }

    /// Removes and returns the connection whose handshake may start now; nil if there is none.
    package mutating func next(now: Instant) -> UInt64? {
        guard let first = waiting.indices.min(by: { waiting[$0].round < waiting[$1].round }),
            tokens.take(now: now)
        else { return nil }
        round = waiting[first].round
        return waiting.remove(at: first).id
    }

    /// Returns the instant at which `next` will return a connection; nil if none waits.
    package mutating func nextAt(now: Instant) -> Instant? { waiting.isEmpty ? nil : tokens.nextToken(now: now) }
}
