package import NodeRuntime

/// The document of `partyline lab --json`: results from the recordings, and the status that each node reported. Keys
/// carry their units; a figure that is not known is absent.
package struct LabReport: Codable, Sendable {
    /// Always `partyline.lab/1`.
    package var schema = "partyline.lab/1"
    /// Number of nodes.
    package var nodes: Int
    /// Number of channels.
    package var channels: Int
    /// Whether all nodes that run at the end report a link to all others that run.
    package var cliqueComplete = true
    /// Time from the first start until all nodes reported links to all others for the first time, in seconds.
    package var cliqueS: Double?
    /// Ordered pairs of which one had to hear the other in at least one turn. With several channels a pair counts once
    /// for each of the speaker's targets: one channel after another, then all of them at once.
    package var pairsExpected: Int
    package var pairsHeard: Int
    /// Pairs of which one must not hear the other, and did.
    package var leaks: Int
    /// Delay from mouth to ear, over all pairs that were heard.
    package var latencyMs: Spread?
    /// Processor time of the nodes since the schedule began; 100 is one core.
    package var cpuPct: Spread?
    /// Resident memory of the nodes.
    package var rssMib: Spread?
    package var pairs: [Pair]
    package var faults: [FaultSeen] = []
    /// Errors of the run, one sentence each.
    package var complaints: [String] = []
    /// The last status of each node that runs at the end.
    package var nodesStatus: [StatusDocument] = []

    /// A report of these pairs: of a whole clique, without faults and errors.
    package init(nodes: Int, channels: Int, pairs: [Pair]) {
        (self.nodes, self.channels) = (nodes, channels)
        self.pairs = pairs.sorted { ($0.from, $0.to) < ($1.from, $1.to) }
        pairsExpected = pairs.count(where: \.expected)
        pairsHeard = pairs.count { $0.expected && $0.heard }
        leaks = pairs.count(where: \.isLeak)
        latencyMs = Spread(pairs.filter(\.heard).compactMap(\.latencyMs))
    }

    /// Median and maximum of a figure.
    package struct Spread: Codable, Hashable, Sendable {
        package var median: Double
        package var max: Double

        /// Nil if there are no values.
        package init?(_ values: [Double]) {
            let sorted = values.sorted()
            guard let last = sorted.last else { return nil }
            median = (sorted[sorted.count / 2] * 100).rounded() / 100
            max = (last * 100).rounded() / 100
        }
    }

    /// The observation of a kill or a restart by one other node.
    package struct FaultSeen: Codable, Hashable, Sendable {
        /// The node that was killed.
        package var node: Int
        /// The node that observed it.
        package var by: Int
        /// Time from the fault until the observer reported that its link was down, in seconds; nil if it did not.
        package var downSeenS: Double?
        /// Time from the fault until the observer reported a link to the next instance, in seconds; nil if it did not.
        package var backSeenS: Double?
        /// That instance.
        package var instance: UInt64?
    }

    /// Whether the clique is complete, everybody heard all that it must hear and nothing else, as it must hear it, and
    /// there was no error.
    package var isPassed: Bool {
        cliqueComplete && 0 < pairsExpected && pairsHeard == pairsExpected && leaks == 0
            && !pairs.contains { $0.isLevelWrong || $0.isEarWrong } && complaints.isEmpty
    }
}
