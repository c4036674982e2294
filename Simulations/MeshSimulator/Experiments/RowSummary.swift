/// All figures of one row in rising order, and the verdict on its bounds.
package struct RowSummary: Sendable {
    package enum Verdict: String, Sendable {
        /// The row has neither target nor bound.
        case shown
        case good
        /// The verdict if in more than one run of a hundred the figure is above the target or missing, and no run is
        /// above the bound.
        case targetMissed = "target missed"
        case boundMissed = "BOUND MISSED"
        case empty = "no runs"
    }

    package let row: ExperimentRow
    /// In rising order, without the runs in which the awaited event never happened.
    package let figures: [Int64]
    package let neverCount: Int

    package init(row: ExperimentRow, samples: [Sample]) {
        self.row = row
        let own = samples.filter { $0.row == row.key }
        figures = own.compactMap(\.figure).sorted()
        neverCount = own.count - figures.count
    }

    package var count: Int { figures.count + neverCount }

    /// Sum of all figures.
    package var total: Int64 { figures.reduce(0, +) }

    /// Returns the least figure that `percent` of the runs do not exceed; nil if nothing ran, or if the awaited event
    /// never happened in too many runs.
    package func quantile(_ percent: Int) -> Int64? {
        guard 0 < count else { return nil }
        let rank = max(1, (count * percent + 99) / 100)
        return rank <= figures.count ? figures[rank - 1] : nil
    }

    package var verdict: Verdict {
        guard 0 < count else { return .empty }
        if let bound = row.hardBound {
            guard let worst = quantile(100), worst <= bound else { return .boundMissed }
        }
        if let target = row.target {
            guard let high = quantile(99), high <= target else { return .targetMissed }
        }
        return row.hardBound == nil && row.target == nil ? .shown : .good
    }

    /// Returns a quantile as people read it.
    package func text(_ percent: Int) -> String {
        if count == 0 { return "–" }
        return quantile(percent).map { row.text($0) } ?? "never"
    }
}
