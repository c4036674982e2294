package import Primitives

/// How long a silent peer is given.
package enum SuspicionPolicy: Hashable, Sendable {
    /// Between link down and dead: where all neighbours agree, and where one still hears it.
    case lifeguard(least: Interval, most: Interval)
    /// Always the same, as in plain SWIM; for measuring what Lifeguard brings.
    case plain(Interval)

    package static let standard = lifeguard(least: MeshLimits.suspicionMin, most: MeshLimits.suspicionMax)
}

/// A peer without a link, and how long it is given: short where every neighbour has lost it too,
/// long while one, or this node itself, still hears it, longer where this node's own health is in
/// doubt (after Lifeguard, arXiv 1707.00788; docs/decisions/014-suspicion.md says why there is nothing
/// between short and long). While several are silent and nobody is left to ask, no time passes:
/// then it is mostly this node that receives nothing.
package struct Suspicion: Hashable, Sendable {
    /// Why it is suspected.
    package enum Cause: Hashable, Sendable {
        /// It fell silent.
        case silence
        /// It was started anew, and the new boot has yet to link.
        case replaced
        /// Others speak of it, and it was never reached.
        case indirect
    }

    package let cause: Cause
    package private(set) var since: Instant
    /// When something of it last came, though no link came of it.
    package private(set) var heardAt: Instant?
    /// Linked neighbours that have told their rows of links, and those of them without the suspect.
    package private(set) var neighbours = 0
    package private(set) var confirmations = 0
    /// Nobody is left to ask, and more than one fell silent.
    package private(set) var isAlone = false

    package init(_ cause: Cause, since: Instant) {
        self.cause = cause
        self.since = since
    }

    /// It has proved that it lives, or this node that it received nothing: the whole wait begins again.
    package mutating func restart(now: Instant) {
        since = now
        heardAt = nil
    }

    /// Something authentic of it came.
    package mutating func hear(now: Instant) { heardAt = now }

    /// Takes in what the neighbours' rows of links say now.
    /// - Parameter suspects: how many are suspected for their silence, this one counted.
    package mutating func review(neighbours: Int, confirmations: Int, suspects: Int, now: Instant) {
        precondition(confirmations <= neighbours, "\(confirmations) of \(neighbours) neighbours")
        let wasAlone = isAlone
        isAlone = neighbours == 0 && 1 < suspects
        if wasAlone, !isAlone { restart(now: now) }
        self.neighbours = neighbours
        self.confirmations = confirmations
    }

    /// Whether somebody still hears it.
    package var mayBeConfirmed: Bool { confirmations < neighbours }

    package func deadline(healthFactor: Int64, policy: SuspicionPolicy) -> Instant {
        switch policy {
        case .plain(let wait): return since + wait
        case .lifeguard(let least, let most):
            if isAlone { return max(since, heardAt ?? since) + MeshLimits.suspicionAloneMax }
            if mayBeConfirmed { return since + most * healthFactor }
            // However ill this node is, a death that all its neighbours have noticed is concluded.
            return min(since + most, max(since, heardAt ?? since) + least * healthFactor)
        }
    }
}
