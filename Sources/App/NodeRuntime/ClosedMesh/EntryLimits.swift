/// Limits of a newcomer's search for its mesh.
enum EntryLimits {
    /// Nodes that refused and are counted for the outcome.
    static let refusingNodesMax = 256
}
