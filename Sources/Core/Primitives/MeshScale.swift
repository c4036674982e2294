/// The size that every other bound is derived from.
public enum MeshScale {
    /// Peers that one node links to; more are refused politely.
    public static let peersMax = 64
}
