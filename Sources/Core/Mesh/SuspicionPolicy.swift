package import Primitives

/// How long a suspected peer may stay silent before it is declared dead.
package enum SuspicionPolicy: Hashable, Sendable {
    /// The time from link down to dead: `least` if all neighbours have lost the peer too, `most` if a neighbour still
    /// has a link to it.
    case lifeguard(least: Interval, most: Interval)
    /// A fixed wait, as in plain SWIM; for measuring the effect of Lifeguard.
    case plain(Interval)

    package static let standard = lifeguard(least: MeshLimits.suspicionMin, most: MeshLimits.suspicionMax)
}
