package import Mesh
import Primitives

/// A capacity that is small at every node of a run, so that a small mesh meets full tables and spent allowances
/// (after FoundationDB's BUGGIFY). All promises hold in such a mesh too.
package enum TightLimit: String, CaseIterable, Codable, Sendable {
    case agreements, connectRequests, linkStates, identities, challenges, recordChecks, tunnelRequests, versions
    /// The number of direct paths of a session: two, the path in use and one for a new address.
    case paths
    /// Records in an answer to a list of versions. The peer gets the others after the digests are compared again.
    case answers
    /// Datagrams of one key: so few that new keys are due before their time.
    case keyDatagrams
    case beaconChecks, beaconNews
    /// Datagrams that a neighbour relays for a pair in one burst: room for a voice packet and a heartbeat, and for the
    /// next two if a delay brings all four at once.
    case relay
    /// Runs of JOIN at once, and those that wait for their turn.
    case joins

    package func tighten(_ capacity: inout MeshCapacity) {
        switch self {
        case .agreements: capacity.agreementsBurst = 1
        case .connectRequests: capacity.connectRequestsForwardedBurst = 1
        case .linkStates: capacity.linkStatesAcceptedBurst = 1
        case .identities: capacity.newIdentitiesBurst = 1
        case .challenges: capacity.pathChallengeBurst = 1
        case .recordChecks: capacity.recordChecksBurst = 1
        case .tunnelRequests: capacity.tunnelRequestsBurst = 1
        case .versions: capacity.versionsAnsweredBurst = 1
        case .paths: capacity.directPathsMax = 2
        case .answers: capacity.recordsPerVersionsMax = 1
        case .keyDatagrams: capacity.datagramsPerKey = 50
        case .beaconChecks: capacity.beaconChecksPerSourceBurst = 1
        case .beaconNews: capacity.beaconNewsBurst = 1
        case .relay: capacity.relayBurst = 4
        case .joins: (capacity.joinsBurst, capacity.joinsWaitingMax) = (1, 4)
        }
    }
}

extension SwarmSetting {
    /// The flag `--tight`: the capacities that are small at all nodes. A seed draws none of them by itself.
    static let tightLimits = SwarmSetting(name: "tight", form: tightForm) { options in
        guard let limits = options.tightLimits, !limits.isEmpty else { return "none" }
        return limits.map(\.rawValue).joined(separator: ",")
    } write: { options, text in
        switch text {
        case "none": options.tightLimits = nil
        case "all": options.tightLimits = TightLimit.allCases
        case "drawn": options.drawTightLimits()
        default:
            let words = text.split(separator: ",").map(String.init)
            let limits = words.compactMap { TightLimit(rawValue: $0) }
            guard !limits.isEmpty, limits.count == words.count else { return false }
            options.tightLimits = limits
        }
        return true
    }

    private static let tightForm =
        "drawn, all, none, or some of \(TightLimit.allCases.map(\.rawValue).joined(separator: ","))"
}

extension SwarmOptions {
    /// Draws each limit with probability 1/4, because one small limit can hide what another shows.
    package mutating func drawTightLimits() {
        var random = SeedStreams(seed: seed).tightLimits
        tightLimits = TightLimit.allCases.filter { _ in random.chance(permille: 250) }
    }
}
