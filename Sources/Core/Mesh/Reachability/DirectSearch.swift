package import Primitives

/// The wait until the next search for a direct carrier, while the session uses a tunnel.
package struct DirectSearch: Hashable, Sendable {
    private var failures = 0

    package init() {}

    /// Whether the peer has had a tunnelled carrier, and no direct one since.
    package var hasFailed: Bool { 0 < failures }

    /// Returns the wait until the next search: U[d/2, d], where d doubles with each call, from
    /// `TunnelLimits.directSearchFirst` to `directSearchMax`. The random part keeps the two sides out of step.
    package mutating func fail(random: inout SeededRandom) -> Interval {
        // 2^3 · 2 s exceeds the cap already.
        let full = min(TunnelLimits.directSearchFirst * (1 << Int64(min(failures, 3))), TunnelLimits.directSearchMax)
        failures += 1
        return random.interval(in: full / 2...full)
    }
}
