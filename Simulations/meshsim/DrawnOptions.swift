import ArgumentParser
import MeshSimulator

/// A flag for each option that is otherwise drawn from the seed.
struct DrawnOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("A long life: intervals of faults, with minutes or hours of rest between.", valueName: "6h"))
    var life: String?
    @Option(help: ArgumentHelp("Least delay of a packet.", valueName: "time"))
    var delayMin: String?
    @Option(help: ArgumentHelp("Mean of the exponential part of the delay.", valueName: "time"))
    var delayMean: String?
    @Option(help: ArgumentHelp("Independent loss.", valueName: "permille"))
    var loss: String?
    @Option(help: ArgumentHelp("Loss in bursts: mean good time, mean bad time, loss then.", valueName: "5s/300ms@700"))
    var bursts: String?
    @Option(help: ArgumentHelp("Datagrams that arrive twice.", valueName: "permille"))
    var duplicate: String?
    @Option(help: ArgumentHelp("Datagrams with a flipped bit.", valueName: "permille"))
    var corrupt: String?
    @Option(help: ArgumentHelp("The nodes' own beacons.", valueName: "on|off"))
    var beacon: String?
    @Option(help: ArgumentHelp("A directory, such as Avahi.", valueName: "on|off"))
    var directory: String?
    @Option(help: ArgumentHelp("Delay of the directory's reports.", valueName: "10ms..2s"))
    var directoryDelay: String?
    @Option(help: ArgumentHelp("Reports of the directory that never arrive.", valueName: "permille"))
    var directoryLoss: String?
    @Option(help: ArgumentHelp("Reports of the directory that arrive twice.", valueName: "permille"))
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
    @Option(help: ArgumentHelp("Whether these nodes live on, cut in one direction, or are dead.", valueName: "on|off"))
    var lostLive: String?
    @Option(
        help: ArgumentHelp(
            "A node with a worse network: how many of 1,000 packets from it, and to it, are lost in the first act.",
            valueName: "2:0/150"))
    var worse: String?
    @Option(help: ArgumentHelp("Two nodes that cannot reach each other in the second act, for good.", valueName: "0-3"))
    var severed: String?
    @Option(
        help: ArgumentHelp("A queue at each direction: time of a datagram, greatest length.", valueName: "500usx20"))
    var queue: String?
    @Option(
        help: ArgumentHelp(
            "Kinds of hostile faults: all, none, or some; drawn for hostile members beside those of the seed.",
            valueName: "hijack,slow,…|drawn"))
    var hostile: String?
    @Option(help: ArgumentHelp("Mean time between hostile faults.", valueName: "time"))
    var hostileEvery: String?
    @Option(
        help: ArgumentHelp(
            "Members that lie, withhold or refuse: drawn, none, their conducts, or the conducts of each.",
            valueName: "liar+thief|1:liar,3:sybil@1s"))
    var members: String?
    @Option(help: ArgumentHelp("A second machine with the identity of node 0, a duplicate.", valueName: "on|off"))
    var duplicateIdentity: String?
    @Option(
        help: ArgumentHelp(
            "Limits that are small, so that tables are full and allowances spent: drawn, all, none, or some.",
            valueName: "linkStates,…"))
    var tight: String?

    @Option(
        help: ArgumentHelp(
            "Whole nodes, instead of `--talkers`: people talk on channels, and their voice is decoded and played.",
            valueName: "drawn|none"))
    var voice: String?
    @Option(
        help: ArgumentHelp("People create, delete, rename and join channels.", valueName: "drawn|none"))
    var channels: String?
    @Option(
        help: ArgumentHelp(
            "A closed mesh, newcomers with its code, and strangers; people then name no channels.",
            valueName: "drawn|none"))
    var standings: String?

    /// The options that were given, by name.
    private var given: [(name: String, text: String)] {
        let all: [(String, String?)] = [
            ("life", life), ("delay-min", delayMin), ("delay-mean", delayMean), ("loss", loss), ("bursts", bursts),
            ("duplicate", duplicate), ("corrupt", corrupt), ("beacon", beacon), ("directory", directory),
            ("directory-delay", directoryDelay), ("directory-loss", directoryLoss),
            ("directory-duplicate", directoryDuplicate), ("faults", faults), ("fault-every", faultEvery),
            ("break-for", breakFor), ("talkers", talkers), ("lost", lost), ("lost-live", lostLive),
            ("worse", worse), ("severed", severed),
            ("queue", queue), ("hostile", hostile), ("hostile-every", hostileEvery), ("members", members),
            ("duplicate-identity", duplicateIdentity),
            ("tight", tight), ("voice", voice), ("channels", channels), ("standings", standings),
        ]
        return all.compactMap { name, text in text.map { (name, $0) } }
    }

    /// The options in the form of a command line that repeats the run.
    var words: [String] { given.flatMap { ["--\($0.name)", $0.text] } }

    func validate() throws {
        // This checks only the form of each option: 64 is the greatest number of nodes that a mesh can have.
        _ = try options(seed: 1, nodes: 64)
    }

    /// Returns the seed's options, overridden by the options that were given.
    func options(seed: UInt64, nodes: Int?) throws -> SwarmOptions {
        // A long life has fewer nodes where the seed draws their number. An invalid length is refused below.
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

    /// Returns every option in the form of a command line. An option that was given has a star.
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
    /// Fills the text up with spaces. It is never cut.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
