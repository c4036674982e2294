import ControlPlane
import Foundation
package import NodeRuntime

/// A node of this user that answers at its control socket, and the options that select it.
package struct RunningNode {
    let client: ControlClient
    /// Its name on this machine.
    package let name: String
    /// Its state folder, if the name alone selects another one; nil otherwise.
    package let stateDir: String?

    /// The nodes with a socket in the standard folders, or in a folder of their own, without the one at `path`.
    /// - Parameter answers: whether the disk of a path answers. Nodes are looked for only where it does.
    package static func found(
        by paths: StandardPaths, besides path: String, where answers: (String) -> Bool = { _ in true }
    ) -> [RunningNode] {
        socketPaths(paths, where: answers).filter { $0 != path && answers($0) }.compactMap { path in
            (try? ControlClient(path: path)).map { RunningNode($0, at: path, paths) }
        }
    }

    /// The options of all nodes, for a person who has to choose one.
    package static func choice(of nodes: [RunningNode]) -> String {
        let areNamed = nodes.allSatisfy { $0.stateDir == nil }
        return areNamed
            ? "choose one with --name: \(Output.list(nodes.map(\.name)))"
            : "choose one by its options: \(Output.list(nodes.map(\.words)))"
    }

    private init(_ client: ControlClient, at path: String, _ paths: StandardPaths) {
        self.client = client
        let name = RunningNode.name(ofSocket: path)
        self.name = name
        // A node that looks for its closed mesh does not say its folder.
        let identity = try? client.ask(IdentityRequest(), timeoutSeconds: NodeChoice.timeoutSeconds)
        let standard = NodeName(name).map { paths.stateDirectory(of: $0) }
        stateDir = identity.flatMap { $0.stateDirectory == standard ? nil : $0.stateDirectory }
    }

    private var words: String {
        guard let stateDir else { return "--name \(name)" }
        let isStandard = name == NodeName.standard.text
        return (isStandard ? "" : "--name \(name) ") + "--state-dir \(OptionEcho.word(stateDir))"
    }

    private static func socketPaths(_ paths: StandardPaths, where answers: (String) -> Bool) -> [String] {
        paths.rescue.sockets(of: nil)
            + paths.controlSearch.flatMap { place -> [String] in
                guard answers(place.folder) else { return [] }
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
