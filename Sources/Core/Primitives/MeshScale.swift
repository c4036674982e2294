/// The size that every other bound is derived from.
package enum MeshScale {
    /// Peers that one node links to; more are refused politely.
    package static let peersMax = 64
}
