extension StatusDocument {
    /// The mesh as this node sees it.
    package struct Mesh: Codable, Hashable, Sendable {
        /// Other nodes that are known and witnessed.
        package var peersKnown: Int
        /// Of these, how many are linked.
        package var linksUp: Int
        /// Whether everybody hears everybody, as far as is known here.
        package var cliqueComplete: Bool
        /// How many peers hold the same view.
        package var digestAgree: Int
        /// Signs that the fault is this node's own: 0 is healthy, 8 the worst.
        package var localHealth: Int
        /// Pairs of others for which this node brings datagrams on.
        package var pairsRelayed: Int
        /// Every counter that is not zero, by name: `ghosts_dropped`, `repairs`, …
        package var counters: [String: UInt64]

        package init(
            peersKnown: Int, linksUp: Int, cliqueComplete: Bool, digestAgree: Int, localHealth: Int = 0,
            pairsRelayed: Int = 0, counters: [String: UInt64] = [:]
        ) {
            self.peersKnown = peersKnown
            self.linksUp = linksUp
            self.cliqueComplete = cliqueComplete
            self.digestAgree = digestAgree
            self.localHealth = localHealth
            self.pairsRelayed = pairsRelayed
            self.counters = counters
        }

        private enum CodingKeys: String, CodingKey {
            case counters
            case peersKnown = "peers_known"
            case linksUp = "links_up"
            case cliqueComplete = "clique_complete"
            case digestAgree = "digest_agree"
            case localHealth = "local_health"
            case pairsRelayed = "pairs_relayed"
        }
    }
}
