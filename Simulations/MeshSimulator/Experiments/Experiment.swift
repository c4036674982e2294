/// A question put to the protocol, answered with figures: one function from a seed to measurements, run over many
/// seeds. A row is one figure; it may be held to a bound.
package struct Experiment: Sendable {
    package let name: String
    /// One sentence for `meshsim experiment --list`.
    package let summary: String
    /// Seeds that are run where the command names none.
    package let seeds: ClosedRange<UInt64>
    package let parts: [ExperimentPart]
    /// Whether the sum over all runs says something: of counts that are compared.
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

/// One set-up of an experiment and the rows that it fills.
package struct ExperimentPart: Sendable {
    package let name: String
    package let rows: [ExperimentRow]
    /// One seed in so many is run: large meshes cost more than small ones.
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

    /// - Parameter isTraced: writes down faults, dials, carriers and events, to the millisecond.
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

/// What one part gave for one seed.
package struct PartReport: Sendable {
    package let part: String
    package let seed: UInt64
    package let samples: [Sample]
    /// Broken promises of the protocol that the checkers saw meanwhile.
    package let violations: [Violation]
    package let transcript: [String]
}

/// One figure of one row.
package struct Sample: Hashable, Sendable {
    /// `ExperimentRow.key`.
    package let row: String
    /// In the row's unit; nil where what was waited for did not happen while somebody watched.
    package let figure: Int64?

    package init(row: String, figure: Int64?) {
        self.row = row
        self.figure = figure
    }
}
