package import Primitives

/// State of a session's media keys.
///
///     offered ─► installed ─► serving ⇄ renewing
///
package enum SessionKeys: Hashable, Sendable {
    /// This node has sent its half; the peer's half has not come.
    case offered
    /// Follower: this node has the key halves of both nodes. The session opens datagrams. It seals as soon as a
    /// datagram or a confirmation on the carrier proves that the leader has the keys too.
    case installed
    case serving(generation: UInt32, since: Instant)
    /// The next generation is offered; the present one still serves.
    case renewing(SessionRekey)

    package var generation: UInt32? {
        switch self {
        case .offered, .installed: nil
        case .serving(let generation, _): generation
        case .renewing(let rekey): rekey.generation
        }
    }

    /// The highest generation that serves or is offered.
    package var newestGeneration: UInt32? {
        if case .renewing(let rekey) = self { rekey.nextGeneration } else { generation }
    }

    package var since: Instant? {
        switch self {
        case .offered, .installed: nil
        case .serving(_, let since): since
        case .renewing(let rekey): rekey.since
        }
    }
}

package struct SessionRekey: Hashable, Sendable {
    /// The generation that serves, and the instant since which it does.
    package var generation: UInt32
    package var since: Instant
    /// The generation that is offered, and the key id that the peer's datagrams under it will name.
    package var nextGeneration: UInt32
    package var keyID: UInt32
    package var part: Part

    /// What this node does in it.
    package enum Part: Hashable, Sendable {
        /// The leader offers the next generation if no answer has come by then. `offers` in a row, this one included,
        /// have had no answer.
        case leads(offers: Int, until: Instant)
        case follows
    }
}
