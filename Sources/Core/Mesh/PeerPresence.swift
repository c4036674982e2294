package import Primitives

/// The slow verdict on one peer: is it there at all? The fast one, on the link, is in `LinkState`.
///
///     unmet ──up──► present ──silent──► suspected ──time is over──► dead
///                      ▲                    │                        │
///                      └────────up──────────┴───────────up───────────┘
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

/// A silent peer, and how long it is given (Lifeguard, "LHA-Suspicion", arXiv 1707.00788 §4.2): the
/// more neighbours have lost it too, the shorter.
package struct Suspicion: Hashable, Sendable {
    package let since: Instant
    /// Neighbours that have no link with it either, up to `witnessesMax`; none while one still has.
    package private(set) var confirmations = 0
    /// Neighbours that could say something, at most `MeshLimits.suspicionWitnessesMax`.
    package private(set) var witnessesMax = 0

    package init(since: Instant) { self.since = since }

    /// Takes in what the neighbours' rows of links say now.
    /// - Parameters:
    ///   - neighbours: those that are linked and have told their row.
    ///   - losing: those of them that have no link with the suspect.
    package mutating func review(neighbours: Int, losing: Int) {
        precondition(losing <= neighbours, "\(losing) of \(neighbours) neighbours")
        witnessesMax = min(neighbours, MeshLimits.suspicionWitnessesMax)
        // Somebody who still hears it outweighs all who do not, until the longest wait is over.
        confirmations = losing == neighbours ? min(losing, witnessesMax) : 0
    }

    /// max − (max − min) · log(confirmations + 1) / log(witnesses + 1), times the local health.
    package func deadline(healthFactor: Int64) -> Instant {
        let (least, most) = (MeshLimits.suspicionMin, MeshLimits.suspicionMax)
        let wait = most - (most - least) * Suspicion.sharePermille(confirmations, of: witnessesMax) / 1_000
        return since + wait * healthFactor
    }

    /// log(confirmations + 1) / log(witnesses + 1) in thousandths. Who is alone has nobody to ask.
    static func sharePermille(_ confirmations: Int, of witnesses: Int) -> Int64 {
        let shares: [[Int64]] = [[1_000], [0, 1_000], [0, 631, 1_000], [0, 500, 792, 1_000]]
        return shares[witnesses][confirmations]
    }
}
