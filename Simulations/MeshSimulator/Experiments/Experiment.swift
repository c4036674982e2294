/// A question about the protocol that figures answer: a function from a seed to measurements, run over many seeds. A
/// row is one figure, and may have a bound.
package struct Experiment: Sendable {
    package let name: String
    /// One sentence for `meshsim experiment --list`.
    package let summary: String
    /// The seeds that run if the command names none.
    package let seeds: ClosedRange<UInt64>
    package let parts: [ExperimentPart]
    /// Whether the sum over all runs means something, as it does for counts that are compared.
    package let showsTotals: Bool

    package init(
        name: String, summary: String, seeds: ClosedRange<UInt64>, parts: [ExperimentPart], showsTotals: Bool = false
    ) {
        self.name = name
        self.summary = summary
        self.seeds = seeds
        self.parts = parts
        self.showsTotals = showsTotals
        let keys = parts.flatMap(\.rows).map(\.key)
        precondition(Set(keys).count == keys.count, "a row of \(name) is named twice")
    }

    package var rows: [ExperimentRow] { parts.flatMap(\.rows) }
}

/// One set-up of an experiment, and the rows that it fills.
package struct ExperimentPart: Sendable {
    package let name: String
    package let rows: [ExperimentRow]
    /// Every `oneSeedIn`-th seed is run, because large meshes cost more than small ones.
    package let oneSeedIn: UInt64
    private let measure: @Sendable (Stage) -> Void

    package init(
        _ name: String, rows: [ExperimentRow], oneSeedIn: UInt64 = 1, measure: @escaping @Sendable (Stage) -> Void
    ) {
        self.name = name
        self.rows = rows
        self.oneSeedIn = oneSeedIn
        self.measure = measure
    }

    package func runs(seed: UInt64) -> Bool { seed % oneSeedIn == 0 }

    /// - Parameter isTraced: whether to write down faults, dials, carriers and events, to the microsecond.
    package func run(seed: UInt64, sealing: @escaping SealingFactory, isTraced: Bool = false) -> PartReport {
        let stage = Stage(seed: seed, part: name, sealing: sealing, isTraced: isTraced)
        measure(stage)
        for sample in stage.samples {
            precondition(rows.contains { $0.key == sample.row }, "\(name) has no row \(sample.row)")
        }
        return PartReport(
            part: name, seed: seed, samples: stage.samples, violations: stage.violations,
            transcript: stage.transcript)
    }
}

/// The results of one part for one seed.
package struct PartReport: Sendable {
    package let part: String
    package let seed: UInt64
    package let samples: [Sample]
    /// Violations that the checkers found meanwhile.
    package let violations: [Violation]
    package let transcript: [String]
}

/// One figure of one row.
package struct Sample: Hashable, Sendable {
    /// `ExperimentRow.key`.
    package let row: String
    /// The measured value, in the row's unit; nil if the awaited event did not happen in time.
    package let figure: Int64?

    package init(row: String, figure: Int64?) {
        self.row = row
        self.figure = figure
    }
}

extension Experiment {
    /// Every experiment, in the order in which `meshsim experiment --list` shows them.
    package static let all: [Experiment] = [
        .bounds, .oneWay, .lossyNode, .dissemination, .broadcast, .slowProcessors, .suspicionTrade,
        .starved, .starvedFleet,
    ]

    package static func named(_ name: String) -> Experiment? { all.first { $0.name == name } }
}
