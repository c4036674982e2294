package import Primitives

/// The slow verdict on one peer: is it there at all? The fast one, on the link, is in `LinkState`.
///
///     unmet ──up──► present ──link lost──► suspected ──time is over──► dead
///       │              ▲                     │    ▲                    │ │
///       │              └──────────up─────────┴────┼─────────up─────────┘ │
///       └─────────────not reached─────────────────┴────newer record──────┘
///
/// LEAVE makes it `left` from any state. It is this node's own state: nobody else can declare a
/// death, and nobody is told of one.
package enum PeerPresence: Hashable, Sendable {
    /// Heard of, never linked with.
    case unmet
    case present
    case suspected(Suspicion)
    /// Its keys are gone, and it is sought only now and then.
    case dead(since: Instant)
    case left

    package var suspicion: Suspicion? {
        if case .suspected(let suspicion) = self { suspicion } else { nil }
    }

    package var isDead: Bool {
        if case .dead = self { true } else { false }
    }
}
