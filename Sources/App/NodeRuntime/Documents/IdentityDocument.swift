import Mesh
import Node
import Primitives
import StateStore
import SystemClock
import TrustCrypto

/// What `partyline id --json` prints.
package struct IdentityDocument: Codable, Hashable, Sendable {
    /// Always `partyline.id/1`.
    package var schema = "partyline.id/1"
    /// The node's name on this machine.
    package var name: String
    /// The whole NodeID in its written form.
    package var id: String
    /// The beginning of `id`, as a label; it proves nothing.
    package var shortId: String
    /// The instance: which start of the node; the last one where no node runs.
    package var instance: UInt64?
    /// The folder in which the identity is kept.
    package var stateDirectory: String
    /// Whether the identity is in memory alone.
    package var guest: Bool
    /// Whether a running node answered; else the files were read.
    package var running: Bool
}

extension IdentityDocument {
    /// Of a running node, on its loop.
    init(of node: NodeLoop, _ description: NodeDescription) {
        let mesh = node.core.mesh.status(now: .monotonicNow())
        name = description.options.name.text
        id = mesh.node.text
        shortId = mesh.node.short
        instance = mesh.instance.number
        stateDirectory = description.options.stateDirectory
        guest = description.isGuest
        running = true
    }

    /// Of a node that does not run, from its state folder; nil where the folder holds no whole key. A node that starts
    /// there makes one.
    package init?(readingStateOf options: RunOptions) {
        guard let stored = try? StoredIdentity.read(folder: options.stateDirectory),
            // Nothing is signed or sealed with it, so no randomness is ever asked for.
            let sealing = try? CryptoSealing(privateKey: stored.key, randomBytes: { Array(repeating: 0, count: $0) })
        else { return nil }
        name = options.name.text
        id = sealing.nodeID.text
        shortId = sealing.nodeID.short
        instance = stored.instance?.number
        stateDirectory = options.stateDirectory
        guest = false
        running = false
    }
}
