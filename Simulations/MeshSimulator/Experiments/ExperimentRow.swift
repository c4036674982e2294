package import Primitives

/// One line of an experiment's table.
package struct ExperimentRow: Sendable {
    package enum Unit: String, Sendable {
        case seconds
        case count
        /// Hundredths, for ratios and shares: 153 is shown as 1.53.
        case hundredths
        case bytesPerSecond = "bytes_per_s"
    }

    package let id: String
    package let text: String
    package let unit: Unit
    /// The variant of the protocol (the subject) whose figure this is, where several are compared; nil if none are.
    package let subject: String?
    /// The value that 99 of 100 runs should not exceed, in the row's unit; nil if there is no promise.
    package let target: Int64?
    /// The value that no run may exceed, in the row's unit; nil if there is no promise.
    package let hardBound: Int64?
    /// The value that others have published or measured, as text.
    package let published: String?

    package init(
        _ id: String, _ text: String, unit: Unit, subject: String? = nil, target: Int64? = nil,
        hardBound: Int64? = nil, published: String? = nil
    ) {
        self.id = id
        self.text = text
        self.unit = unit
        self.subject = subject
        self.target = target
        self.hardBound = hardBound
        self.published = published
    }

    /// A row of times, which are shown in seconds.
    package init(
        _ id: String, _ text: String, target: Interval? = nil, hard: Interval? = nil, subject: String? = nil,
        published: String? = nil
    ) {
        self.init(
            id, text, unit: .seconds, subject: subject, target: target?.nanoseconds, hardBound: hard?.nanoseconds,
            published: published)
    }

    /// Returns the same row for another subject.
    package func of(_ subject: String) -> ExperimentRow {
        ExperimentRow(
            id, text, unit: unit, subject: subject, target: target, hardBound: hardBound, published: published)
    }

    package var key: String { subject.map { "\(id) \($0)" } ?? id }

    /// Returns a figure as people read it.
    package func text(_ figure: Int64) -> String {
        switch unit {
        case .count, .bytesPerSecond: String(figure)
        case .hundredths: ExperimentRow.decimal(figure, digits: 2)
        case .seconds: ExperimentRow.decimal((figure + 500_000) / 1_000_000, digits: 3)
        }
    }

    private static func decimal(_ figure: Int64, digits: Int) -> String {
        let padded = String(repeating: "0", count: digits) + String(figure.magnitude)
        let whole = padded.dropLast(digits).drop { $0 == "0" }
        return (figure < 0 ? "-" : "") + (whole.isEmpty ? "0" : whole) + "." + padded.suffix(digits)
    }
}
