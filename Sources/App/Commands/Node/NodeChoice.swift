import ArgumentParser
import ControlPlane
import Foundation
import NodeRuntime

/// Options that select the running node to which a command talks.
struct NodeChoice: ParsableArguments {
    @Option(help: "The node's name on this machine.")
    var name: String?
    @Option(help: ArgumentHelp("The node's state folder.", valueName: "dir"))
    var stateDir: String?
    @Option(help: ArgumentHelp("The node's control socket.", valueName: "path"))
    var control: String?

    /// Time in which a node must answer.
    static let timeoutSeconds = 5.0
    /// The same for a request with a code: its key takes a tenth of a second of an idle machine, and the node may wait
    /// some seconds until it is known whether a linked peer has the code.
    static let codeTimeoutSeconds = 20.0

    /// Returns the options of `run` with the name and the paths of the selected node; nothing else in them is set. The
    /// files may have mistakes in other settings: a person who edits them must still reach the node that runs.
    /// - Throws: `ConfigurationMistakes` if a name or path is not valid.
    func options() throws -> RunOptions { try Surroundings.origin(settings()).place() }

    /// These options as settings of the command line, with more of them.
    func settings(_ more: RunSettings = RunSettings()) -> RunSettings {
        var settings = more
        settings.set(.name, option: name)
        settings.set(.stateDir, option: Surroundings.absolute(stateDir))
        settings.set(.control, option: Surroundings.absolute(control))
        return settings
    }

    /// Connects to the selected node. If no option selects one, connects to the default node, or to the only node that
    /// runs.
    /// - Throws: `ControlClientError` if the node does not run or does not answer, `CommandEnd` if several nodes run.
    func connect() throws -> ControlClient {
        let options = try options()
        do throws(ControlClientError) {
            return try ControlClient.reaching(options)
        } catch {
            guard case .noNodeRunning = error, name == nil, stateDir == nil, control == nil else { throw error }
            return try onlyOther(than: options.controlPath, otherwise: error)
        }
    }

    /// Connects to the selected node, and asks it once.
    /// - Throws: the errors of `connect`, and `ControlClientError` if the node refuses or does not answer.
    @discardableResult
    func ask<Request: ControlRequest>(_ request: Request) throws -> Request.Answer {
        try connect().ask(request, timeoutSeconds: NodeChoice.timeoutSeconds)
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

    /// Returns the paths of all control sockets in the standard folders, and in those of nodes that could use none.
    private static func socketPaths(_ paths: StandardPaths) -> [String] {
        paths.rescue.sockets(of: nil)
            + paths.controlSearch.flatMap { place -> [String] in
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

extension ControlClient {
    /// Connects to the node that `options` name, also if its socket is in a folder of its own. There a socket has the
    /// node's name alone, so a node that says that it has another state folder is passed over.
    /// - Throws: the errors of `init(path:)` for the path in the options.
    static func reaching(_ options: RunOptions) throws(ControlClientError) -> ControlClient {
        do throws(ControlClientError) {
            return try ControlClient(path: options.controlPath)
        } catch {
            for path in options.controlPaths.dropFirst() {
                guard let client = try? ControlClient(path: path) else { continue }
                let identity = try? client.ask(IdentityRequest(), timeoutSeconds: NodeChoice.timeoutSeconds)
                // A node that looks for its closed mesh does not say it.
                guard let identity else { return client }
                if identity.stateDirectory == options.stateDirectory { return client }
            }
            throw error
        }
    }
}
