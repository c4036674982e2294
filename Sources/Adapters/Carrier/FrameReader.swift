package import NIOCore

/// Splits a byte stream into frames: each is a length of four bytes, big-endian, and that number of bytes.
///
/// Before `trust` it returns one frame, and one more for each `admitFrame`. The caller bounds the buffer: it stops
/// reading when `next` returns `tooLong` or `awaitsTrust`, and checks `bufferedBytes`.
package struct FrameReader {
    /// Result of `next`.
    package enum Step: Equatable, Sendable {
        case frame([UInt8])
        /// The next frame is not complete.
        case incomplete
        /// There are bytes of one more frame, which is allowed only after `admitFrame` or `trust`.
        case awaitsTrust
        /// The length exceeds the limit.
        case tooLong
    }

    /// Bytes of the length field.
    package static let lengthBytes = 4

    private let bytesMax: Int
    private let bytesBeforeTrustMax: Int
    private var buffer = ByteBuffer()
    private var isTrusted = false
    private var isNextAdmitted = true

    package init(bytesMax: Int, bytesBeforeTrustMax: Int) {
        self.bytesMax = bytesMax
        self.bytesBeforeTrustMax = bytesBeforeTrustMax
    }

    /// Allows more than one frame, and frames of the full size.
    package mutating func trust() { isTrusted = true }

    /// Allows one more frame, of the small size.
    package mutating func admitFrame() { isNextAdmitted = true }

    /// Bytes that were appended, and not yet returned in a frame.
    package var bufferedBytes: Int { buffer.readableBytes }

    /// Appends bytes of the stream; `bytes` is empty afterwards.
    package mutating func append(_ bytes: inout ByteBuffer) {
        if buffer.readableBytes == 0 {
            swap(&buffer, &bytes)
            return
        }
        buffer.discardReadBytes()
        buffer.writeBuffer(&bytes)
    }

    /// Returns the next complete frame, which may be empty.
    package mutating func next() -> Step {
        guard isTrusted || isNextAdmitted else {
            // One more frame may rightly come here: the peer may send its next one, for example MEMBER, HELLO, INVITE
            // or REFUSE, before this node has handled the last one.
            return buffer.readableBytes == 0 ? .incomplete : .awaitsTrust
        }
        guard let length = buffer.getInteger(at: buffer.readerIndex, as: UInt32.self) else { return .incomplete }
        let lengthMax = isTrusted ? bytesMax : bytesBeforeTrustMax
        guard length <= UInt32(lengthMax) else { return .tooLong }
        guard FrameReader.lengthBytes + Int(length) <= buffer.readableBytes else { return .incomplete }
        buffer.moveReaderIndex(forwardBy: FrameReader.lengthBytes)
        isNextAdmitted = false
        return .frame(buffer.readBytes(length: Int(length)) ?? [])
    }
}
