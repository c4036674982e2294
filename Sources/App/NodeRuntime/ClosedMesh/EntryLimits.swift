import Primitives

/// Limits of a newcomer's search for its mesh.
enum EntryLimits {
    /// Nodes that refused, or were noticed, and are counted for the outcome.
    static let countedNodesMax = 256
    /// How long the search goes on after one node has shown another pairing code, or after each named node has shown
    /// another code of the mesh or takes no connections from here. A member with a pairing window sends a beacon every
    /// two seconds.
    static let afterRefusal = Interval.seconds(8)
}
