import Primitives

/// An instance in a file of the state folder: 48 bits, big-endian.
extension Instance {
    static let byteCount = 6

    var bigEndianBytes: [UInt8] {
        stride(from: 40, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// - Parameter bytes: `byteCount` bytes.
    init?(bigEndian bytes: some Sequence<UInt8>) {
        self.init(exactly: bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }
}
