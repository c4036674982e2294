/// The size from which other limits are derived.
public enum MeshScale {
    /// Peers to which one node has links. Further peers are refused, and told the reason.
    public static let peersMax = 64
}
