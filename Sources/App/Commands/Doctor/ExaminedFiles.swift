import ControlPlane
import Foundation
import NodeRuntime

/// The files of a node that a command examines, also while a disk does not answer. Each path is tried before it is
/// read, since a reading of a dead disk has no end.
struct ExaminedFiles {
    /// The options of the next start, as far as its files can be read.
    let options: RunOptions
    /// The mistakes in these files.
    let mistakes: ConfigurationMistakes
    let trials: DiskTrials

    /// - Parameter config: the configuration file of the next start, which is meant then, and not a node that runs; nil
    ///   for that of the node that runs, or else the standard file.
    /// - Throws: `CommandEnd` if several nodes run, or if the disk of the configuration file or of the crew file does
    ///   not answer; `ConfigurationMistakes` of the command line.
    init(_ node: NodeChoice, config: String? = nil) throws {
        let trials = DiskTrials()
        // Without this file not even the state folder of the node is known.
        try trials.require(
            Surroundings.absolute(config) ?? Surroundings.paths.configurationFile, orEndWith: .degraded)
        let node = try config == nil ? node.settled(where: trials.answers) : node
        let running = config == nil ? ExaminedFiles.identity(of: node, trials) : nil
        if let file = running?.configuration { try trials.require(file, orEndWith: .degraded) }
        let origin = Surroundings.origin(
            node.settings(ExaminedFiles.crew(of: running)), file: config ?? running?.configuration)
        // Without this one neither its channels nor its settings are known.
        if let crew = origin.crewWritten { try trials.require(crew, orEndWith: .degraded) }
        let examined = try origin.examineFiles()
        (options, mistakes, self.trials) = (examined.options, examined.mistakes, trials)
    }

    /// What the running node tells of itself; nil if none answers. One that looks for its closed mesh does not tell it.
    private static func identity(of node: NodeChoice, _ trials: DiskTrials) -> IdentityDocument? {
        guard let options = try? node.options(), options.foldersOfNode.allSatisfy(trials.answers),
            let client = try? ControlClient.reaching(options)
        else { return nil }
        return try? client.ask(IdentityRequest(), timeoutSeconds: NodeChoice.timeoutSeconds)
    }

    /// The crew file, and the role in it, that only the command line of the running node names. A mistake in them is
    /// one of that file, and not of the command line of this command.
    private static func crew(of running: IdentityDocument?) -> RunSettings {
        var settings = RunSettings()
        guard let running else { return settings }
        let place = ConfigurationError.Place.file(path: running.crew ?? running.configuration ?? "crew file", line: nil)
        if let crew = running.crew { settings.set(.crew, [RunSettings.Value(crew, at: place)]) }
        if let role = running.crewRole { settings.set(.role, [RunSettings.Value(role, at: place)]) }
        return settings
    }
}

extension RunOptions {
    /// The folders that a command reads before it knows whether the node runs: the state folder and that of the control
    /// socket.
    var foldersOfNode: [String] { [stateDirectory, controlFolder] }

    /// The folder of the control socket.
    var controlFolder: String { (controlPath as NSString).deletingLastPathComponent }
}
