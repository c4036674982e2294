/// The secret of one epoch of a closed mesh. A node with it is a member.
package struct EpochSecret: Hashable, Sendable {
    package static let byteCount = 32

    /// At least 1. A change of the code makes the next epoch.
    package let number: UInt32
    package let bytes: [UInt8]

    /// Nil unless the number is at least 1 and there are 32 bytes.
    package init?(number: UInt32, bytes: [UInt8]) {
        guard 1 <= number, bytes.count == EpochSecret.byteCount else { return nil }
        self.number = number
        self.bytes = bytes
    }
}

extension EpochSecret: CustomStringConvertible {
    package var description: String { "epoch \(number) (hidden)" }
}
