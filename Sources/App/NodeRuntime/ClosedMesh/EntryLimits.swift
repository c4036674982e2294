package import Primitives

/// Limits of a newcomer's search for its mesh.
package enum EntryLimits {
    /// How long a search goes on after a node has shown another code: the mesh of this code may be another one.
    package static let searchAfterWrongCode = Interval.seconds(5)
    /// Nodes that refused and are counted for the outcome.
    static let refusingNodesMax = 256
}
