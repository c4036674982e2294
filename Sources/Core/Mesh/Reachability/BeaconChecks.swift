package import Primitives

/// Limits the rate of signature checks of beacons, for each source address and for all together. A source that sends
/// garbage uses up its own share first, and so hardly delays other sources.
package struct BeaconChecks: Sendable {
    private var sources: SourceAllowances
    private var all: TokenBucket

    package init(burstPerSource: Int = MeshLimits.beaconChecksPerSourceBurst, now: Instant) {
        sources = SourceAllowances(burst: burstPerSource, interval: MeshLimits.beaconCheckPerSourceInterval)
        all = TokenBucket(burst: MeshLimits.beaconChecksBurst, interval: MeshLimits.beaconCheckInterval, now: now)
    }

    package mutating func take(_ address: IPAddress, now: Instant) -> Bool {
        sources.take(address, now: now) && all.take(now: now)
    }
}
