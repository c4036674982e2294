import Primitives
import Trust
import Wire

/// A challenge to an address: a sealed number, which the peer must send back from there. Only the peer can answer, so
/// NAT, several interfaces and roaming work, and redirection does not (RFC 9000 §8.2, §9.3).
///
/// Neither a challenge nor an answer to an unproved address may have more bytes than came from there, so that this node
/// amplifies nothing.
enum PathChallenge {
    /// Returns the bytes of a sealed challenge or answer without padding.
    /// - Parameter overhead: the bytes that sealing adds, with the present key id and counter.
    static func unpaddedBytes(overhead: Int) -> Int { overhead + WireSizes.pathNumberBodyBytes }

    /// Returns the content of a challenge with this number; nil if the sealed challenge would have more than `sizeMax`
    /// bytes.
    static func body(number: UInt64, sizeMax: Int, overhead: Int) -> DatagramBody? {
        let size = unpaddedBytes(overhead: overhead)
        guard size <= sizeMax else { return nil }
        // Pads the challenge to the length of the longest answer, but to no more bytes than came from the address. The
        // padding is needed because the peer may not know this node's address either: it then answers with no more
        // bytes than the challenge has.
        let answerMax = unpaddedBytes(overhead: MediaSession.overheadBytesMax)
        return DatagramBody(pathChallenge: number, paddingBytes: max(0, min(sizeMax, answerMax) - size))
    }
}
