import ArgumentParser
import ControlPlane
import NodeRuntime

struct StatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Prints what the node measures and counts, a line each.",
        discussion: """
            --prom is the text format of Prometheus; for its node_exporter, which must not read half a file: \
            partyline stats --prom > partyline.tmp && mv partyline.tmp partyline.prom
            """)

    @OptionGroup var node: NodeChoice
    @Flag(help: "With HELP and TYPE lines, as Prometheus reads it.")
    var prom = false

    func run() throws {
        let document = try node.connect().status(timeoutSeconds: NodeChoice.timeoutSeconds)
        let text = PrometheusText(document)
        Output.lines(prom ? text.lines : text.samples)
    }
}
