import ArgumentParser
import ControlPlane
package import NodeRuntime

struct StatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Prints the node's measurements and counters, one a line.",
        discussion: """
            --prom prints the text format of Prometheus. Its node_exporter must not read half a file, so use: \
            partyline stats --prom > partyline.tmp && mv partyline.tmp partyline.prom
            """)

    @OptionGroup var node: NodeChoice
    @Flag(help: "With the HELP and TYPE lines of Prometheus.")
    var prom = false

    func run() throws {
        let document = try node.ask(StatusRequest())
        let text = PrometheusText(document)
        try Output.lines(prom ? text.lines : text.samples)
    }
}

/// A node's status in the text format of Prometheus, version 0.0.4.
package struct PrometheusText {
    private let metrics: [Metric]

    package init(_ status: StatusDocument) { metrics = status.metrics.filter { !$0.samples.isEmpty } }

    /// All samples, with the heading of each metric.
    package var lines: [String] { metrics.flatMap { PrometheusText.heading($0) + PrometheusText.samples($0) } }

    /// All samples, without headings.
    package var samples: [String] { metrics.flatMap(PrometheusText.samples) }

    private static func heading(_ metric: Metric) -> [String] {
        let name = name(of: metric)
        return ["# HELP \(name) \(metric.help)", "# TYPE \(name) \(metric.kind.rawValue)"]
    }

    private static func samples(_ metric: Metric) -> [String] {
        metric.samples.map { sample in
            let labels = sample.labels.map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ",")
            return "\(name(of: metric))\(labels.isEmpty ? "" : "{\(labels)}") \(text(sample.value))"
        }
    }

    private static func name(of metric: Metric) -> String { "partyline_" + metric.name }

    /// Escapes characters that the value of a label must not hold. `safe` has removed line feeds.
    private static func escaped(_ text: String) -> String {
        Output.safe(text).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }

    private static func text(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
    }
}
