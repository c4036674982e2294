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

/// How long a silent peer is given.
package enum SuspicionPolicy: Hashable, Sendable {
    case lifeguard
    /// Always the same, as in plain SWIM; for measuring what Lifeguard brings.
    case plain(Interval)
}

/// A peer without a link, and how long it is given: short where every neighbour has lost it too,
/// long while one still hears it or where all fell silent at once, longer where this node's own
/// health is in doubt (after Lifeguard, arXiv 1707.00788; docs/decisions/014-suspicion.md says why
/// there is nothing between short and long).
package struct Suspicion: Hashable, Sendable {
    package enum Cause: Hashable, Sendable {
        /// It fell silent.
        case silence
        /// It was started anew, and the new boot has yet to link.
        case replaced
        /// Others speak of it, and it was never reached.
        case hearsay
    }

    package let cause: Cause
    package let since: Instant
    /// Linked neighbours that have told their rows of links, and those of them without the suspect.
    package private(set) var neighbours = 0
    package private(set) var confirmations = 0
    /// Nobody is left to ask, and more than one fell silent: mostly it is this node that is deaf.
    package private(set) var isLonely = false

    package init(_ cause: Cause, since: Instant) {
        self.cause = cause
        self.since = since
    }

    /// Takes in what the neighbours' rows of links say now.
    /// - Parameter suspects: how many are suspected for their silence, this one counted.
    package mutating func review(neighbours: Int, confirmations: Int, suspects: Int) {
        precondition(confirmations <= neighbours, "\(confirmations) of \(neighbours) neighbours")
        isLonely = neighbours == 0 && 1 < suspects
        self.neighbours = neighbours
        self.confirmations = confirmations
    }

    /// Whether somebody still hears it.
    package var isVouchedFor: Bool { confirmations < neighbours }

    package func deadline(healthFactor: Int64, policy: SuspicionPolicy = .lifeguard) -> Instant {
        if case .plain(let wait) = policy { return since + wait }
        return since + (isVouchedFor || isLonely ? MeshLimits.suspicionMax : MeshLimits.suspicionMin) * healthFactor
    }
}
