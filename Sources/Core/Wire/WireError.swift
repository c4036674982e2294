/// Why bytes from the network were refused. Errors are counted by kind; the bytes are never shown.
package enum WireError: Int, Error, CaseIterable, Sendable {
    /// The bytes end before the message does.
    case truncated
    /// Bytes are left over after the message.
    case trailing
    /// A length, count or size is above its limit.
    case oversized
    /// A value outside its range: an instance above 48 bits, an unknown class, a zero port.
    case outOfRange
    /// A kind or version that this node does not know; newer nodes may send it.
    case unknownKind
    /// A required field is missing or has the wrong size.
    case malformed
    /// A signature is wrong, or the NodeID of a record is not that of the signing key.
    case forged
}
