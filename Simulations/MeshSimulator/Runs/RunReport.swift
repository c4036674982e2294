package import Primitives

/// The result of one run.
package struct RunReport: Sendable {
    package var seed: UInt64
    /// The options as drawn, in one line.
    package var options: String
    package var traceHash: TraceHash
    package var violation: Violation?
    /// From the end of the faults to the complete clique, in the slowest round; nil if a round formed no clique, or a
    /// violation came before.
    package var convergence: Interval?
    /// From the end of the faults to the last invitation, in the slowest round; nil if the run ended before that was
    /// known.
    package var quietness: Interval?
    /// How long links took, in both acts.
    package var times: LinkTimes
    package var virtualTime: Interval
    /// How long processes lived: the sum over all nodes.
    package var nodeTime: Interval
    package var counts: WorldCounts
    package var marks: CoverageMarks
    /// How listeners heard the talkers after the faults; empty if voice was not simulated.
    package var hearings: [SpeechLedger.Hearing] = []
    /// The faults of the first act, as text.
    package var faults: [String]
    /// Faults, dials, carriers and events in order; empty unless the run was traced.
    package var transcript: [String] = []

    package var verdict: Verdict {
        switch violation?.kind {
        case nil: .pass
        case .safety: .safety
        case .liveness: .liveness
        }
    }
}

package enum Verdict: String, Sendable {
    case pass, safety, liveness
}
