import Foundation
import NodeRuntime

/// The files of a node that a command examines, also while a disk does not answer. Each path is tried before it is
/// read, since a reading of a dead disk has no end.
struct ExaminedFiles {
    /// The node that was asked for, or the only one that runs.
    let node: NodeChoice
    /// The options of the next start, as far as its files can be read.
    let options: RunOptions
    /// The mistakes in these files.
    let mistakes: ConfigurationMistakes
    let trials: DiskTrials

    /// - Parameter config: the configuration file of the next start, which is meant then, and not a node that runs; nil
    ///   for the standard file.
    /// - Throws: `CommandEnd` if several nodes run, or if the disk of the configuration file or of the crew file does
    ///   not answer; `ConfigurationMistakes` of the command line.
    init(_ node: NodeChoice, config: String? = nil) throws {
        let trials = DiskTrials()
        // Without this file not even the state folder of the node is known.
        try ExaminedFiles.require(Surroundings.absolute(config) ?? Surroundings.paths.configurationFile, trials)
        let node = try config == nil ? node.settled(where: trials.answers) : node
        let origin = Surroundings.origin(node.settings(), file: config)
        // Without this one neither its channels nor its settings are known.
        if let crew = origin.crewWritten { try ExaminedFiles.require(crew, trials) }
        let examined = try origin.examineFiles()
        (self.node, self.trials) = (node, trials)
        (options, mistakes) = (examined.options, examined.mistakes)
    }

    private static func require(_ path: String, _ trials: DiskTrials) throws {
        guard trials.answers(path) else {
            throw CommandEnd(status: .degraded, message: "\(Output.safe(path)): the disk does not answer")
        }
    }
}

extension RunOptions {
    /// The folders that a command reads before it knows whether the node runs: the state folder and that of the control
    /// socket.
    var foldersOfNode: [String] { [stateDirectory, (controlPath as NSString).deletingLastPathComponent] }
}
