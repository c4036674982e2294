import ControlPlane
import NodeRuntime

/// A node that runs, and that no command reaches: its control socket is gone.
package struct LostNode: Hashable, Sendable {
    /// What is wrong, as a clause.
    package let finding: String
    /// What helps, as a clause.
    package let remedy: String

    package init(finding: String, remedy: String) {
        self.finding = finding
        self.remedy = remedy
    }

    /// Nil if the node of these options does not run, or if something is at its socket.
    init?(_ options: RunOptions) {
        guard let (process, control) = options.shownNode else { return nil }
        do throws(ControlClientError) {
            // The node has just made its socket, or a person has named another path.
            _ = try ControlClient(path: control)
            return nil
        } catch {
            guard case .noNodeRunning = error else { return nil }
        }
        let folder = "with the state folder \(options.stateDirectory)"
        finding =
            process.map { "process \($0) runs a node \(folder), but its control socket \(control) is gone" }
            ?? "a node runs \(folder), but its control socket \(control) is not there"
        remedy =
            LostNode.way(to: control)
            + (process.map { ", and `kill \($0)` ends the node" }
                ?? "; if the node runs in a container or on another machine, give the command there")
    }

    /// What must happen so that there is a socket again, as a clause.
    private static func way(to control: String) -> String {
        ControlServer.obstacle(at: control).map { "\($0): when it is out of the way, the node makes the socket again" }
            ?? "the node makes the socket again when its folder can be made"
    }

    /// A sentence for a person.
    var words: String { "\(finding); \(remedy)" }
}
