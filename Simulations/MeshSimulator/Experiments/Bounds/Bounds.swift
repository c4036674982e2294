import Primitives

extension Experiment {
    /// The liveness bounds of the protocol on healthy networks, each with a set-up of its own. A measurement of
    /// recovery begins when the last fault has ended. One-way delays are 50 ms at most.
    static let bounds = Experiment(
        name: "bounds", summary: "The liveness bounds L1 to L14, each in a set-up of its own.", seeds: 1...100,
        parts: [
            .formation(nodes: 8, oneSeedIn: 1), .formation(nodes: 32, oneSeedIn: 20),
            .formation(nodes: 64, oneSeedIn: 100),
            .lossyFormation, .join, .hole, .afterFaults, .stopped, .crash, .partition(nodes: 8, oneSeedIn: 1),
            .partition(nodes: 32, oneSeedIn: 50), .leave, .restart, .rolledBack, .quarantined, .relayed, .flapper,
            .deaf, .quiet, .oneWayDiscovery,
        ])
}
