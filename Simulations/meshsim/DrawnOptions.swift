import ArgumentParser
import MeshSimulator

/// A flag for each option that is otherwise drawn from the seed.
struct DrawnOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("A long life: spells of faults with rests of minutes and hours between.", valueName: "6h"))
    var life: String?
    @Option(help: ArgumentHelp("Least delay of a packet.", valueName: "time"))
    var delayMin: String?
    @Option(help: ArgumentHelp("Mean of the exponential part of the delay.", valueName: "time"))
    var delayMean: String?
    @Option(help: ArgumentHelp("Independent loss.", valueName: "permille"))
    var loss: String?
    @Option(help: ArgumentHelp("Loss in runs: mean good time, mean bad time, loss in it.", valueName: "5s/300ms@700"))
    var bursts: String?
    @Option(help: ArgumentHelp("Datagrams that come twice.", valueName: "permille"))
    var duplicate: String?
    @Option(help: ArgumentHelp("Datagrams with a flipped bit.", valueName: "permille"))
    var corrupt: String?
    @Option(help: ArgumentHelp("The nodes' own beacons.", valueName: "on|off"))
    var beacon: String?
    @Option(help: ArgumentHelp("A directory as Avahi is one.", valueName: "on|off"))
    var directory: String?
    @Option(help: ArgumentHelp("How late the directory's word comes.", valueName: "10ms..2s"))
    var directoryDelay: String?
    @Option(help: ArgumentHelp("Words of the directory that never come.", valueName: "permille"))
    var directoryLoss: String?
    @Option(help: ArgumentHelp("Words of the directory that come twice.", valueName: "permille"))
    var directoryDuplicate: String?
    @Option(help: ArgumentHelp("Kinds of faults: all, none, or some.", valueName: "kill,cut,…"))
    var faults: String?
    @Option(help: ArgumentHelp("Mean time between faults.", valueName: "time"))
    var faultEvery: String?
    @Option(help: ArgumentHelp("Length of the first act.", valueName: "time"))
    var breakFor: String?
    @Option(help: ArgumentHelp("Nodes that talk without pause.", valueName: "count"))
    var talkers: String?
    @Option(help: ArgumentHelp("Nodes that stay broken in the second act.", valueName: "1,4"))
    var lost: String?
    @Option(help: ArgumentHelp("Whether those live on, deaf on one side, or are dead.", valueName: "on|off"))
    var lostLive: String?
    @Option(
        help: ArgumentHelp(
            "A node, and how many of 1,000 packets from it and to it are lost in the first act.",
            valueName: "2:0/150"))
    var worse: String?
    @Option(help: ArgumentHelp("Two that are cut off from each other for good in the second act.", valueName: "0-3"))
    var severed: String?
    @Option(
        help: ArgumentHelp("A queue before each way: time of a datagram, how many may wait.", valueName: "500usx20"))
    var queue: String?
    @Option(help: ArgumentHelp("Kinds of hostile faults: all, none, or some.", valueName: "hijack,slow,…"))
    var hostile: String?
    @Option(help: ArgumentHelp("Mean time between hostile faults.", valueName: "time"))
    var hostileEvery: String?
    @Option(help: ArgumentHelp("A second machine with the identity of node 0.", valueName: "on|off"))
    var twin: String?
    @Option(
        help: ArgumentHelp(
            "What nodes have little of, so that tables are full and allowances spent: drawn, all, none, or some.",
            valueName: "linkStates,…"))
    var tight: String?

    @Option(
        help: ArgumentHelp(
            "Whole nodes: people talk on channels, in place of `--talkers`, and what they say is decoded and sounds.",
            valueName: "drawn|none"))
    var voice: String?

    /// What was given, by the flag's name.
    private var given: [(name: String, text: String)] {
        let all: [(String, String?)] = [
            ("life", life), ("delay-min", delayMin), ("delay-mean", delayMean), ("loss", loss), ("bursts", bursts),
            ("duplicate", duplicate), ("corrupt", corrupt), ("beacon", beacon), ("directory", directory),
            ("directory-delay", directoryDelay), ("directory-loss", directoryLoss),
            ("directory-duplicate", directoryDuplicate), ("faults", faults), ("fault-every", faultEvery),
            ("break-for", breakFor), ("talkers", talkers), ("lost", lost), ("lost-live", lostLive),
            ("worse", worse), ("severed", severed),
            ("queue", queue), ("hostile", hostile), ("hostile-every", hostileEvery), ("twin", twin),
            ("tight", tight), ("voice", voice),
        ]
        return all.compactMap { name, text in text.map { (name, $0) } }
    }

    /// As they stand in a command line that repeats the run.
    var words: [String] { given.flatMap { ["--\($0.name)", $0.text] } }

    func validate() throws {
        // As many nodes as a mesh can have, so that only the form is judged.
        _ = try options(seed: 1, nodes: 64)
    }

    /// The seed's options with what was given instead.
    func options(seed: UInt64, nodes: Int?) throws -> SwarmOptions {
        // A life decides how many nodes are drawn; a text that is none is refused below.
        var options = SwarmOptions(seed: seed, nodeCount: nodes, life: life.flatMap { TimeText.interval($0) })
        for (name, text) in given {
            guard let setting = SwarmSetting.named(name) else { preconditionFailure("--\(name) is no setting") }
            do {
                try setting.set(text, in: &options)
            } catch {
                throw ValidationError(error.description)
            }
        }
        return options
    }

    /// Every option in a form that can be given back, those that were overridden with a star.
    func table(of options: SwarmOptions) -> String {
        let names = given.map(\.name)
        let drawn = SwarmSetting.all.map { setting -> String in
            let star = names.contains(setting.name) ? "  *" : ""
            return "  --" + setting.name.padded(to: 22) + setting.text(in: options) + star
        }
        return (["  --" + "nodes".padded(to: 22) + String(options.nodeCount)] + drawn).joined(separator: "\n")
    }
}

extension String {
    /// Filled up with spaces; never cut.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
