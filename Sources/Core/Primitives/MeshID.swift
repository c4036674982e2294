/// Identifier of a mesh, 16 bytes as two big-endian words. That of an open mesh is derived from its name (module
/// Channels).
public struct MeshID: Hashable, Sendable {
    public let high: UInt64
    public let low: UInt64
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}
