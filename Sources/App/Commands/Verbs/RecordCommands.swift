import ArgumentParser
import ControlPlane
import NodeRuntime

struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Records what this node hears, into WAV files.",
        discussion: """
            Each recording has a folder of its own with mix.wav, the stereo mix that is heard here. With --tracks \
            there is also a file for the voice of each peer, by its id, even if it leaves and comes back. All files \
            begin at the same instant; pauses are silence.
            """,
        subcommands: [Start.self, Stop.self, Status.self])

    struct Start: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Begins to record.")

        @OptionGroup var node: NodeChoice
        @Option(
            help: ArgumentHelp(
                "The folder for recordings (~/.local/share/partyline or $XDG_DATA_HOME/partyline).", valueName: "dir"),
            completion: .directory)
        var dir: String?
        @Flag(help: "Makes a file for each peer too.")
        var tracks = false

        func run() throws {
            let directory = Surroundings.absolute(dir) ?? Surroundings.paths.recordingsDirectory
            let document = try node.ask(RecordRequest.start(in: directory, tracks: tracks))
            try Output.line("recording into \(Output.safe(document.folder ?? directory))")
        }
    }

    struct Stop: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Ends the recording.")

        @OptionGroup var node: NodeChoice

        func run() throws {
            let document = try node.connect().ask(RecordRequest.stop, timeoutSeconds: NodeChoice.diskTimeoutSeconds)
            guard document.folder != nil else {
                try Output.line("the recording that was to begin is called off")
                return
            }
            try Output.line(RecordCommand.line(document))
        }
    }

    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Shows whether a recording runs.")

        @OptionGroup var node: NodeChoice
        @Flag(help: "Prints the document partyline.recording/1.")
        var json = false

        func run() throws {
            let document = try node.ask(RecordRequest.status)
            if json { try Output.document(document) } else { try Output.line(RecordCommand.line(document)) }
        }
    }

    static func line(_ document: RecordingDocument) -> String {
        guard let folder = document.folder else { return "no recording is running" }
        let count = document.files.counted("file")
        let length = RecordingDocument.length(ofPieces: document.piecesLost)
        let lost = document.piecesLost == 0 ? "" : ", \(length) of sound lost"
        if let failure = document.failure {
            let why = Output.safe(failure)
            return "the recording in \(Output.safe(folder)) has ended by itself, \(count)\(lost): \(why)"
        }
        let alone = document.piecesWithoutTrack
        let untracked = alone == 0 ? "" : ", \(alone.counted("piece")) of 5 ms without a track"
        let files = "\(count), \(Figures.age(document.lengthS))\(lost)\(untracked)"
        return "\(document.recording ? "recording" : "recorded") into \(Output.safe(folder)): \(files)"
    }
}

struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Writes the latest seconds that were heard into a WAV file.",
        usage: "partyline replay [<options>] [<seconds>]",
        discussion: "The node keeps them if it was started with --replay SECONDS.")

    @OptionGroup var node: NodeChoice
    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("1 to 300 (30).", valueName: "seconds"))
    var words: [String] = []
    @Option(
        help: ArgumentHelp(
            "The folder for the file (~/.local/share/partyline or $XDG_DATA_HOME/partyline).", valueName: "dir"),
        completion: .directory)
    var dir: String?

    private static let secondsStandard = 30

    /// Nil if the words are no valid number.
    private var wantedSeconds: Int? {
        if words.isEmpty { return ReplayCommand.secondsStandard }
        guard let number = words.signedWord.flatMap({ Int($0) }) else { return nil }
        return (1...ControlLimits.replaySecondsMax).contains(number) ? number : nil
    }

    func validate() throws {
        guard wantedSeconds == nil else { return }
        try words.refuseOption()
        throw ValidationError("replay takes 1 to \(ControlLimits.replaySecondsMax) seconds")
    }

    func run() throws {
        let seconds = wantedSeconds ?? ReplayCommand.secondsStandard
        let directory = Surroundings.absolute(dir) ?? Surroundings.paths.recordingsDirectory
        let document = try node.connect().ask(
            ReplayRequest(seconds: seconds, directory: directory), timeoutSeconds: NodeChoice.diskTimeoutSeconds)
        let kept = document.lengthS < seconds ? " (\(document.lengthS) s: the node keeps no more)" : ""
        try Output.line(Output.safe(document.path) + kept)
    }
}
