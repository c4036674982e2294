/// One figure of the status as monitoring systems know it, with all its samples. Names end in base units.
package struct Metric: Sendable {
    package enum Kind: String, Sendable { case gauge, counter }

    package struct Sample: Sendable {
        package var labels: [(name: String, text: String)] = []
        package var value: Double
    }

    package let name: String
    package let kind: Kind
    /// What it is, in a sentence.
    package let help: String
    /// Empty where it is not known.
    package let samples: [Sample]

    init(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        self.name = name
        self.kind = kind
        self.help = help
        self.samples = samples
    }

    /// One figure, or none where it is not known.
    init(_ name: String, _ help: String, _ value: Double?) {
        self.init(name, .gauge, help, value.map { [Sample(value: $0)] } ?? [])
    }
}
