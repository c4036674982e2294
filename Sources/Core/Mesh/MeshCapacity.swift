import Trust

/// How much a node keeps of other nodes and does for them: table sizes, and how many tokens each allowance holds.
///
/// Every real node has `standard`. The simulator gives some nodes less, so that a small mesh has full tables and
/// spent allowances (docs/SIMULATION.md, "Tight nodes").
package struct MeshCapacity: Hashable, Sendable {
    package static let standard = Self()

    // MARK: For one peer

    package var agreementsBurst = MeshLimits.agreementsBurst
    package var connectRequestsForwardedBurst = MeshLimits.connectRequestsForwardedPerPeerBurst
    package var linkStatesAcceptedBurst = MeshLimits.linkStatesAcceptedBurst
    package var newIdentitiesBurst = MeshLimits.newIdentitiesBurst
    package var pathChallengeBurst = MeshLimits.pathChallengeBurst
    package var recordChecksBurst = MeshLimits.recordChecksPerPeerBurst
    package var tunnelRequestsBurst = TunnelLimits.requestsPerPeerBurst
    package var versionsAnsweredBurst = MeshLimits.versionsAnsweredBurst
    package var directPathsMax = MeshLimits.directPathsMax
    /// The most records in one answer to a list of versions.
    package var recordsPerVersionsMax = MeshLimits.recordsPerVersionsMax
    /// Datagrams that one key seals before the leader offers the next key.
    package var datagramsPerKey = MediaKeyLimits.packetsMax - MediaKeyLimits.rekeyPacketsLeft

    // MARK: For one host, one pair, all

    package var beaconChecksPerSourceBurst = MeshLimits.beaconChecksPerSourceBurst
    package var relayBurst = MeshLimits.relayBurst
    package var beaconNewsBurst = MeshLimits.beaconNewsBurst
    package var joinsBurst = MeshLimits.joinsBurst
    package var joinsWaitingMax = MeshLimits.joinsWaitingMax
}
