package import NodeRuntime

/// A problem with one peer that the running node names, and what helps against it.
package struct PeerTrouble: Hashable, Sendable {
    /// It begins with the name of the peer.
    package var finding: String
    package var remedy: String

    /// Nil if the line is not about one peer alone, or if it names a remedy itself.
    /// - Parameters:
    ///   - line: a line of the health in a status.
    ///   - peers: those of the same status.
    package init?(_ line: String, among peers: [StatusDocument.Peer]) {
        let meant = peers.filter { line.hasPrefix("peer \($0.nameOrId): ") }
        guard let remedy = meant.compactMap(PeerTrouble.remedy(for:)).first else { return nil }
        finding = String(line.dropFirst("peer ".count))
        self.remedy = remedy
    }

    /// What helps against the problem with a peer; nil if there is none.
    private static func remedy(for peer: StatusDocument.Peer) -> String? {
        if peer.flapping || peer.suspicionEndsInS != nil || peer.state == "verifying" {
            return "see whether its machine runs, and mend the network between the two"
        }
        guard peer.isLinked else {
            if peer.state == "awaitingDecision" || peer.lastFailure == FailureText.notAllowed {
                return "its person lets this node in: `partyline accept` there, or `partyline trust`"
            }
            return peer.state == "quarantined" ? "`partyline discover` says why, and when it is tried again" : nil
        }
        if peer.carrierVia != nil || (peer.path ?? "direct") != "direct" {
            return "open the ports of both nodes for TCP and UDP, in their firewalls and between their networks"
        }
        guard let loss = peer.lossInPct, StatusHealth.lossPctMin <= loss else { return nil }
        return "mend the network between the two; a cable loses less than radio"
    }
}
