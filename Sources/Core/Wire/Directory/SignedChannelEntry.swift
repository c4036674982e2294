/// A channel's entry in the directory, as it is sent. It is kept and passed on byte for byte, so that its signatures
/// stay valid.
package struct SignedChannelEntry: Hashable, Sendable {
    package let birth: ChannelBirth
    package let state: ChannelState
    /// Birth, its signature, state, its signature; at most `WireLimits.channelEntryBytesMax`.
    package let bytes: [UInt8]
    /// Where the birth's signature begins, and where the state does.
    private let birthEnd: Int
    private let stateStart: Int

    /// - Parameter birth: the birth and its signature, as in `signedBirth` of another entry.
    /// - Precondition: both signatures have 64 bytes, and the state's epoch is not before the birth's.
    package init(birth: ChannelBirth, signedBirth: [UInt8], state: ChannelState, signature: [UInt8]) {
        precondition(signature.count == WireSizes.signatureBytes, "a signature of \(signature.count) bytes")
        precondition(birth.epoch <= state.epoch, "a state of epoch \(state.epoch) before its birth")
        self.birth = birth
        self.state = state
        birthEnd = signedBirth.count - WireSizes.signatureBytes
        stateStart = signedBirth.count
        bytes = signedBirth + state.encoded() + signature
        precondition(bytes.count <= WireLimits.channelEntryBytesMax, "an entry of \(bytes.count) bytes")
    }

    /// Reads an entry. Its signatures are not checked yet.
    /// - Throws: `oversized`, and the errors of the two halves; `trailing` for bytes after the second signature.
    package init(parsing bytes: [UInt8]) throws(WireError) {
        guard bytes.count <= WireLimits.channelEntryBytesMax else { throw .oversized }
        var reader = ByteReader(bytes)
        birth = try ChannelBirth(from: &reader)
        birthEnd = bytes.count - reader.remaining
        _ = try reader.bytes(count: WireSizes.signatureBytes)
        stateStart = bytes.count - reader.remaining
        state = try ChannelState(from: &reader, bornIn: birth.epoch)
        _ = try reader.bytes(count: WireSizes.signatureBytes)
        try reader.finish()
        self.bytes = bytes
    }

    /// The birth with its signature.
    package var signedBirth: [UInt8] { Array(bytes[..<stateStart]) }
    /// The bytes that the creator signed.
    package var birthBody: [UInt8] { Array(bytes[..<birthEnd]) }
    package var birthSignature: [UInt8] { Array(bytes[birthEnd..<stateStart]) }
    /// The bytes that the editor signed.
    package var stateBody: [UInt8] { Array(bytes[stateStart..<(bytes.count - WireSizes.signatureBytes)]) }
    package var stateSignature: [UInt8] { Array(bytes.suffix(WireSizes.signatureBytes)) }

    /// Whether the channel's creator signed the state.
    package var isByCreator: Bool { state.editor == birth.creator }
}
