package import NodeRuntime

/// What `partyline lab --json` prints: what was heard, judged from recordings, and what everyone
/// says of its health. Keys carry their units; a figure that is not known is absent.
package struct LabReport: Codable, Sendable {
    /// Always `partyline.lab/1`.
    package var schema = "partyline.lab/1"
    package var nodes: Int
    /// Everyone that runs at the end says that it is linked to everyone that runs.
    package var cliqueComplete: Bool
    /// From the first start until everyone said so for the first time.
    package var cliqueS: Double?
    package var pairsExpected: Int
    package var pairsHeard: Int
    /// Mouth to ear over all pairs that were heard.
    package var latencyMs: Spread?
    /// Over all nodes, from the first word on; 100 is one core.
    package var cpuPct: Spread?
    package var rssMib: Spread?
    package var pairs: [Pair]
    package var faults: [FaultSeen]
    /// What went wrong on the way, one sentence each.
    package var complaints: [String]
    package var nodesStatus: [StatusDocument]

    package struct Spread: Codable, Hashable, Sendable {
        package var median: Double
        package var max: Double

        /// Nil where there is nothing.
        package init?(_ values: [Double]) {
            let sorted = values.sorted()
            guard let last = sorted.last else { return nil }
            median = (sorted[sorted.count / 2] * 100).rounded() / 100
            max = (last * 100).rounded() / 100
        }
    }

    /// One ordered pair.
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

    /// How one other node saw a kill or a restart.
    package struct FaultSeen: Codable, Hashable, Sendable {
        package var node: Int
        package var by: Int
        package var downSeenS: Double?
        package var backSeenS: Double?
        package var instance: UInt64?
    }

    /// Whether the lab was passed: the clique is whole and everybody heard everybody.
    package var isPassed: Bool {
        cliqueComplete && 0 < pairsExpected && pairsHeard == pairsExpected && complaints.isEmpty
    }
}
