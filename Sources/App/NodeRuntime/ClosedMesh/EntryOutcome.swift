package import Primitives
import StateStore

/// How a newcomer's search for its mesh ended.
package enum EntryOutcome: Hashable, Sendable {
    /// The node has the secret of this mesh, durably. From its next start on it is a member.
    /// - Parameter pairedAs: this node, if it came in by a pairing code: two persons compare its short id.
    case entered(mesh: String, pairedAs: NodeID? = nil)
    /// The state folder has a closed mesh already, and the caller did not want another.
    /// - Parameter hasCode: whether this mesh is known to have the code.
    case alreadyMember(mesh: String, hasCode: Bool)
    /// So many nodes of closed meshes answered, and none has this code.
    case wrongCode(nodeCount: Int)
    /// So many nodes compared pairing codes and had another one. Each may be a stranger.
    case wrongPairingCode(nodeCount: Int)
    /// So many nodes of closed meshes answered, and none has an open pairing window.
    case noPairingWindow(nodeCount: Int)
    /// So many nodes answered, and take connections from their own networks only.
    case offLink(nodeCount: Int)
    /// So many nodes of closed meshes were noticed within the time limit, or answered without a comparison of codes.
    case noAnswer(nodeCount: Int)
    /// No node of a closed mesh was noticed within the time limit; so many nodes of open meshes answered.
    case nobodyFound(openNodeCount: Int)
    /// A `stop` over the control socket ended the search.
    case stopped
    /// A node runs with this state folder, or a command changes it.
    case stateFolderTaken(String)
    /// The state folder cannot be used, or the secret could not be kept; the text is the reason.
    case cannotWrite(String)
    /// The key of the code needs 64 MiB.
    case noMemory

    /// The end of a search that cannot begin, or of one whose secret cannot be kept.
    package init(_ error: StoppedNodeError) {
        switch error {
        case .running(let taken): self = .stateFolderTaken(taken.folder)
        case .notWritable(let why): self = .cannotWrite(why)
        case .notKept, .badName, .sameCode, .noMemory: self = .cannotWrite("\(error)")
        }
    }
}
