/// The digest of a peer's records, as its newest control block has brought it.
struct ArrivedDigest {
    let value: UInt32
    /// Whether it differed from this node's own digest when it came.
    let differed: Bool
}
