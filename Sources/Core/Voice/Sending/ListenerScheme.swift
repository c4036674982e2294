package import Wire

/// How one listener is served: chosen from its reception reports.
package struct ListenerScheme: Hashable, Sendable {
    /// How many new frames share a packet.
    package var bundling: VoiceBundling
    /// How many packets after its own packet each copy of a frame travels, shortest distance first: adjacent distances
    /// against single losses, spread ones against bursts. At most `VoiceLimits.copiesMax` distances, each 1 …
    /// `VoiceLimits.copyDistanceMax`.
    package private(set) var copyDistances: [Int]

    /// The scheme with which every listener starts: one copy of the packet before.
    package static let initial = ListenerScheme(bundling: .single, copyDistances: [1])

    /// Leaves out distances that are out of bounds, and copies that do not fit into a packet.
    package init(bundling: VoiceBundling, copyDistances: [Int]) {
        self.bundling = bundling
        let room = WireLimits.voiceBlocksMax / bundling.frameCount - 1
        let good = copyDistances.filter { 1 <= $0 && $0 <= VoiceLimits.copyDistanceMax }
        self.copyDistances = Array(good.prefix(min(room, VoiceLimits.copiesMax)))
    }
}
