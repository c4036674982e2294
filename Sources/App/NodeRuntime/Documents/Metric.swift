/// One figure of the status for monitoring systems, with all its samples. A name ends with its base unit.
package struct Metric: Sendable {
    package enum Kind: String, Sendable { case gauge, counter }

    package struct Sample: Sendable {
        package var labels: [(name: String, text: String)] = []
        package var value: Double
    }

    package let name: String
    package let kind: Kind
    /// The meaning of the figure, in one sentence.
    package let help: String
    /// Empty if the figure is not known.
    package let samples: [Sample]

    init(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        self.name = name
        self.kind = kind
        self.help = help
        self.samples = samples
    }

    /// A gauge with one sample; with none if `value` is nil.
    init(_ name: String, _ help: String, _ value: Double?) {
        self.init(name, .gauge, help, value.map { [Sample(value: $0)] } ?? [])
    }
}
