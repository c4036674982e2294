import ArgumentParser
import ControlPlane
import NodeRuntime

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
