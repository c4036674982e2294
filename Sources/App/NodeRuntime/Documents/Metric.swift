/// One metric with all its samples, as Prometheus reads it.
struct PrometheusFamily {
    enum Kind: String { case gauge, counter }

    struct Sample {
        var labels: [(String, String)] = []
        var value: Double
    }

    let samples: [Sample]
    private let name: String
    private let kind: Kind
    private let help: String

    init(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        self.name = "partyline_" + name
        self.kind = kind
        self.help = help
        self.samples = samples
    }

    /// One figure, or none where it is not known.
    init(_ name: String, _ help: String, _ value: Double?) {
        self.init(name, .gauge, help, value.map { [Sample(value: $0)] } ?? [])
    }

    var heading: [String] { ["# HELP \(name) \(help)", "# TYPE \(name) \(kind.rawValue)"] }

    var lines: [String] {
        samples.map { sample in
            let labels = sample.labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
            return "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(Self.text(sample.value))"
        }
    }

    /// Characters that a label's value may not hold as they are; line feeds do not get past `safe`.
    private static func escaped(_ text: String) -> String {
        Output.safe(text).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }

    private static func text(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
    }
}
