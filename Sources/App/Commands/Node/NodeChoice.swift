import ArgumentParser
import ControlPlane
import Foundation
import NodeRuntime

/// Which running node a verb talks to.
struct NodeChoice: ParsableArguments {
    @Option(help: "The node's name on this machine.")
    var name: String?
    @Option(help: ArgumentHelp("The node's state folder.", valueName: "dir"))
    var stateDir: String?
    @Option(help: ArgumentHelp("The node's control socket.", valueName: "path"))
    var control: String?

    /// Seconds that a node has to answer.
    static let timeoutSeconds = 5.0

    /// Everything that `run` would make of the same options; only the paths are of interest.
    func options() throws -> RunOptions {
        var settings = RunSettings()
        settings.set(.name, option: name)
        settings.set(.stateDir, option: Surroundings.absolute(stateDir))
        settings.set(.control, option: Surroundings.absolute(control))
        // A mistake in the file is `run`'s to report; a verb needs three names of it at most.
        let file = (try? Surroundings.fileSettings(named: nil)) ?? RunSettings()
        return try RunResolution.resolve(
            options: settings, file: file, paths: Surroundings.paths, hostName: Surroundings.hostName)
    }

    /// Connects to the node that was named; without a name to the standard one, or to the only
    /// one that runs.
    func connect() throws -> ControlClient {
        let options = try options()
        do throws(ControlClientError) {
            return try ControlClient(path: options.controlPath)
        } catch {
            guard case .noNodeRunning = error, name == nil, stateDir == nil, control == nil else { throw error }
            return try onlyOther(than: options.controlPath, otherwise: error)
        }
    }

    private func onlyOther(than path: String, otherwise error: ControlClientError) throws -> ControlClient {
        let paths = NodeChoice.socketPaths(Surroundings.paths).filter { $0 != path }
        let running = paths.compactMap { path in (try? ControlClient(path: path)).map { (path, $0) } }
        guard let (found, client) = running.first else { throw error }
        guard running.count == 1 else {
            let names = running.map { NodeChoice.name(ofSocket: $0.0) }.joined(separator: ", ")
            throw CommandEnd(status: .usage, message: "several nodes are running; choose one with --name: \(names)")
        }
        Output.note("using the node '\(NodeChoice.name(ofSocket: found))'")
        return client
    }

    /// Every socket file where nodes put theirs.
    private static func socketPaths(_ paths: StandardPaths) -> [String] {
        paths.controlSearch.flatMap { place in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: place.folder)) ?? []
            return names.sorted().compactMap { name in
                if place.socketIsInSubfolder { return "\(place.folder)/\(name)/control.sock" }
                return name.hasSuffix(".sock") ? "\(place.folder)/\(name)" : nil
            }
        }
    }

    private static func name(ofSocket path: String) -> String {
        let parts = path.split(separator: "/")
        let last = parts.last.map(String.init) ?? path
        return last == "control.sock" ? parts.dropLast().last.map(String.init) ?? last : String(last.dropLast(5))
    }
}
