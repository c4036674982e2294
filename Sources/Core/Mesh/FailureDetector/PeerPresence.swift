package import Primitives

/// Whether one peer is there at all. This verdict comes late, and is this node's own. The faster verdict, whether the
/// link to the peer is up, is in `LinkState`.
///
///     unmet ──up──► present ──link lost──► suspected ──wait is over──► dead
///       │              ▲                     │    ▲                    │ │
///       │              └──────────up─────────┴────┼─────────up─────────┘ │
///       └─────────────not reached─────────────────┴────newer record──────┘
///
///     any state ──LEAVE, or a leaving record──► left ──up──► present
///     any state ──block, refusal, or this node's own leave──► unmet
///
/// A suspected peer stays suspected while this node has no network: its time begins again. Each node decides for
/// itself: no other node can declare a death, and no message reports one.
package enum PeerPresence: Hashable, Sendable {
    /// Known, but never linked; also after a block, a refusal or this node's own leave.
    case unmet
    case present
    case suspected(Suspicion)
    /// The keys are gone, and only random retries and hints dial the peer.
    case dead(since: Instant)
    case left

    package var suspicion: Suspicion? {
        if case .suspected(let suspicion) = self { suspicion } else { nil }
    }

    package var isDead: Bool {
        if case .dead = self { true } else { false }
    }
}
