package import Wire

/// How one listener is served: chosen from its reception reports.
package struct ListenerScheme: Hashable, Sendable {
    /// How many new frames share a packet.
    package var bundling: VoiceBundling
    /// How many packets back each copy lies, nearest first: adjacent for single losses, spread for
    /// bursts. At most `VoiceLimits.copiesMax`, each 1 … `VoiceLimits.copyDistanceMax`.
    package private(set) var copyDistances: [Int]

    /// One copy of the packet before: how every listener starts.
    package static let initial = ListenerScheme(bundling: .single, copyDistances: [1])

    /// Distances outside their bounds are left out; what does not fit into a packet, too.
    package init(bundling: VoiceBundling, copyDistances: [Int]) {
        self.bundling = bundling
        let room = WireLimits.voiceBlocksMax / bundling.frameCount - 1
        let good = copyDistances.filter { 1 <= $0 && $0 <= VoiceLimits.copyDistanceMax }
        self.copyDistances = Array(good.prefix(min(room, VoiceLimits.copiesMax)))
    }
}
