import Mesh
import Node
import Primitives
import StateStore
import SystemClock

/// What `partyline id --json` prints.
package struct IdentityDocument: Codable, Hashable, Sendable {
    /// Always `partyline.id/1`.
    package var schema = "partyline.id/1"
    /// The node's name on this machine.
    package var name: String
    /// The whole NodeID in its written form.
    package var id: String
    /// A label for people. It proves nothing.
    package var shortId: String
    /// The number of this start; that of the last start if no node runs.
    package var instance: UInt64?
    /// The folder that holds the identity.
    package var stateDirectory: String
    /// The configuration file that the command line of the running node names; absent if it names none.
    package var configuration: String?
    /// The crew file that it names; absent if it names none.
    package var crew: String?
    /// The role of a crew file that it names; absent if it names none.
    package var crewRole: String?
    /// Whether the identity is kept in memory only.
    package var guest: Bool
    /// True if a running node answered; false if the files were read.
    package var running: Bool
}

extension IdentityDocument {
    /// The identity of a running node. Call it on the node loop.
    init(of node: NodeLoop, _ description: NodeDescription) {
        let mesh = node.core.mesh.status(now: .monotonicNow())
        name = description.options.name.text
        id = mesh.node.text
        shortId = mesh.node.short
        instance = mesh.instance.number
        stateDirectory = description.options.stateDirectory
        if let named = description.options.origin?.named {
            (configuration, crew, crewRole) = (named.configuration, named.crew, named.crewRole)
        }
        guest = description.isGuest
        running = true
    }

    /// The identity of a node that does not run, from its state folder. Nil if the folder holds no complete key; a node
    /// makes one when it starts there.
    package init?(readingStateOf options: RunOptions) {
        guard let stored = try? StoredIdentity.read(folder: options.stateDirectory) else { return nil }
        let node = NodeID(ofPrivateKey: stored.key)
        name = options.name.text
        id = node.text
        shortId = node.short
        instance = stored.instance?.number
        stateDirectory = options.stateDirectory
        guest = false
        running = false
    }
}
