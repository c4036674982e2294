import Primitives

/// Limits of a newcomer's search for its mesh.
enum EntryLimits {
    /// Nodes that refused, or were noticed, and are counted for the outcome.
    static let countedNodesMax = 256
    /// How long the search for the window of a pairing code goes on after a node has shown another code. The member
    /// with the window sends a beacon every two seconds.
    static let afterWrongPairingCode = Interval.seconds(8)
}
