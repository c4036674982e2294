package import NodeRuntime
package import Primitives

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

extension LabReport {
    /// The result of one ordered pair; with several channels, of one pair on the channels of one of the speaker's
    /// turns.
    package struct Pair: Codable, Hashable, Sendable {
        package var from: Int
        package var to: Int
        /// The channels on which the speaker talked. Absent in a lab of one channel.
        package var channels: [String]?
        /// Whether the listener is on one of them, and must hear the speaker.
        package var expected = true
        /// Whether it heard the speaker. For a pair that must not hear, whether anything leaked.
        package var heard: Bool
        package var latencyMs: Double?
        /// Absent for a pair that must not hear.
        package var lossPct: Double?
        /// The level at which the voice was heard, and the one at which the listener hears these channels. Absent in a
        /// lab of one channel, and for a pair that must not hear.
        package var levelDb: Double?
        package var levelExpectedDb: Double?
        /// The same for the ear: `both`, `left` or `right`. The ear heard is absent if it differed between turns.
        package var ear: String?
        package var earExpected: String?
        /// For a pair that must not hear: the loudest sound of the turns, in dB against the speaker's pilot. Absent if
        /// there was none.
        package var leakDb: Double?

        package init(_ judgement: PairJudgement) {
            from = judgement.from
            to = judgement.to
            heard = judgement.isHeard
            latencyMs = judgement.latency.map { Pair.rounded($0.fractionalMilliseconds) }
            lossPct = Pair.rounded(judgement.lossPercent)
        }

        /// A pair that must not hear.
        package init(from: Int, to: Int, _ leak: LeakJudgement) {
            (self.from, self.to, expected) = (from, to, false)
            heard = leak.isLeak
            leakDb = leak.decibels.map(Pair.rounded)
        }

        /// Adds at which level and in which ear the pair hears, and has to hear.
        package mutating func add(_ hearing: HearingJudgement, levelExpectedDecibels: Double, earExpected: Ear) {
            levelDb = hearing.levelDecibels.map(Pair.rounded)
            levelExpectedDb = levelExpectedDecibels
            ear = hearing.ear.map { EarWord($0).rawValue }
            self.earExpected = EarWord(earExpected).rawValue
        }

        /// Whether the listener heard what it must not hear.
        package var isLeak: Bool { !expected && heard }
        /// Whether the level is wrong, for a pair that was heard.
        package var isLevelWrong: Bool {
            guard expected, heard, let levelExpectedDb else { return false }
            return levelDb.map { LabLimits.levelErrorDecibelsMax < abs($0 - levelExpectedDb) } ?? true
        }
        /// Whether the ear is wrong, for a pair that was heard.
        package var isEarWrong: Bool { expected && heard && earExpected != nil && ear != earExpected }

        private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
    }
}
