package import Primitives

/// The wait until the next search for a direct carrier, while the session uses a tunnel.
package struct DirectSearch: Hashable, Sendable {
    /// Searches that were scheduled since the peer last had a direct carrier.
    private var searches = 0

    package init() {}

    /// Whether the peer has had a tunnelled carrier, and no direct one since.
    package var isUnderWay: Bool { 0 < searches }

    /// Returns the wait until the next search: U[d/2, d], where d doubles with each call, from
    /// `TunnelLimits.directSearchFirst` to `directSearchMax`. Because of the random part, the two ends do not search at
    /// the same time.
    package mutating func nextWait(random: inout SeededRandom) -> Interval {
        // 2^3 · 2 s exceeds the cap already.
        let full = min(TunnelLimits.directSearchFirst * (1 << Int64(min(searches, 3))), TunnelLimits.directSearchMax)
        searches += 1
        return random.interval(in: full / 2...full)
    }
}
