package import Mesh
package import Primitives
import Wire

/// Which missing links are troubles here. Nodes of another mesh, keys that are kept out here, and nodes that are gone
/// are none: they stay in the list of peers, each with its reason.
package struct ExpectedLinks {
    private let expected: Set<NodeID>
    private let isLetIn: (NodeID) -> Bool

    /// - Parameters:
    ///   - expected: the nodes with which this node expects a link (`MeshNode.visitExpectedNodes`).
    ///   - isLetIn: whether the person here lets a node in (`NodeLoop.letsIn`). If not, it is kept out.
    package init(expected: Set<NodeID>, isLetIn: @escaping (NodeID) -> Bool) {
        (self.expected, self.isLetIn) = (expected, isLetIn)
    }

    /// Whether it is a trouble that attempts to link with a peer fail again and again: the peer is there, as far as
    /// this node knows, and belongs to its mesh.
    package func misses(_ peer: PeerStatus) -> Bool {
        guard isLetIn(peer.node) else { return false }
        if expected.contains(peer.node) { return true }
        switch peer.presence {
        case .present, .suspected: return true
        case .unmet, .dead, .left: break
        }
        guard case .refused(let reason)? = peer.failure else { return false }
        switch reason {
        case .version, .staleInstance, .duplicateIdentity, .full, .blocked, .coolingDown, .alreadyLinked, .offLink:
            return true
        case .otherMesh, .noProof, .wrongCode, .undecided, .notAllowed: return false
        }
    }

    /// Whether all expected nodes are linked here and with each other, and some have links to nodes that are kept out
    /// here. The verdict of the mesh counts those links as missing ones.
    /// - Parameter matrix: what this node and each linked peer say of their links.
    package func isCompleteApartFromKeptOut(_ matrix: [AdvertisedLinks], of node: NodeID) -> Bool {
        let linked = Set(matrix.map(\.node))
        guard linked == expected.union([node]) else { return false }
        var keptOut: Set<NodeID> = []
        for row in matrix where row.node != node {
            var peers: Set<NodeID> = [row.node]
            for entry in row.entries {
                if linked.contains(entry.peer) {
                    // A linked node is not judged. This node is one of them, and `isLetIn` may know other keys only.
                    peers.insert(entry.peer)
                } else if !keptOut.contains(entry.peer) {
                    guard !isLetIn(entry.peer) else { return false }
                    keptOut.insert(entry.peer)
                }
            }
            guard peers.count == linked.count else { return false }
        }
        return !keptOut.isEmpty
    }
}
