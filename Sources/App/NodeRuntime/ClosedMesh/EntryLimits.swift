import Primitives

/// Limits of a newcomer's search for its mesh.
enum EntryLimits {
    /// Nodes that refused, or were noticed, and are counted for the outcome.
    static let countedNodesMax = 256
    /// How long the search goes on after one node has shown another pairing code, or after all named nodes have shown
    /// another code of the mesh. A member with a pairing window sends a beacon every two seconds.
    static let afterWrongCode = Interval.seconds(8)
}
