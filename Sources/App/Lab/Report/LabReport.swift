package import NodeRuntime

/// The document of `partyline lab --json`: results from the recordings, and the status that each node reported. Keys
/// carry their units; a figure that is not known is absent.
package struct LabReport: Codable, Sendable {
    /// Always `partyline.lab/1`.
    package var schema = "partyline.lab/1"
    /// Number of nodes.
    package var nodes: Int
    /// Whether all nodes that run at the end report a link to all others that run.
    package var cliqueComplete: Bool
    /// Time from the first start until all nodes reported links to all others for the first time, in seconds.
    package var cliqueS: Double?
    /// Ordered pairs of which one had to hear the other in at least one turn.
    package var pairsExpected: Int
    package var pairsHeard: Int
    /// Delay from mouth to ear, over all pairs that were heard.
    package var latencyMs: Spread?
    /// Processor time of the nodes since the schedule began; 100 is one core.
    package var cpuPct: Spread?
    /// Resident memory of the nodes.
    package var rssMib: Spread?
    package var pairs: [Pair]
    package var faults: [FaultSeen]
    /// Errors of the run, one sentence each.
    package var complaints: [String]
    /// The last status of each node that runs at the end.
    package var nodesStatus: [StatusDocument]

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

    /// The result of one ordered pair.
    package struct Pair: Codable, Hashable, Sendable {
        package var from: Int
        package var to: Int
        package var heard: Bool
        package var latencyMs: Double?
        package var lossPct: Double

        package init(_ judgement: PairJudgement) {
            from = judgement.from
            to = judgement.to
            heard = judgement.isHeard
            latencyMs = judgement.latency.map { ($0.inMilliseconds * 100).rounded() / 100 }
            lossPct = (judgement.lossPercent * 100).rounded() / 100
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

    /// Whether the clique is complete, everybody heard everybody, and there was no error.
    package var isPassed: Bool {
        cliqueComplete && 0 < pairsExpected && pairsHeard == pairsExpected && complaints.isEmpty
    }
}
