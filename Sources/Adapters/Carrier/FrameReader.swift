package import NIOCore

/// Cuts a byte stream into frames: a length of four bytes, big-endian, then as many bytes.
///
/// Before `trust` one frame is cut off and no more. What is buffered is bounded by the caller, which stops reading once
/// `next` says `tooLong` or `awaitsTrust`, and looks at `bufferedBytes`.
package struct FrameReader {
    /// What the bytes so far amount to.
    package enum Step: Equatable, Sendable {
        case frame([UInt8])
        /// Not enough bytes yet.
        case incomplete
        /// A second frame, which is a trusted peer's alone. Ask again after `trust`.
        case awaitsTrust
        /// No peer may send this.
        case tooLong
    }

    package static let lengthBytes = 4

    private let bytesMax: Int
    private let bytesBeforeTrustMax: Int
    private var buffer = ByteBuffer()
    private var isTrusted = false
    private var isFirst = true

    package init(bytesMax: Int, bytesBeforeTrustMax: Int) {
        self.bytesMax = bytesMax
        self.bytesBeforeTrustMax = bytesBeforeTrustMax
    }

    /// Lifts the smaller limit.
    package mutating func trust() { isTrusted = true }

    /// Bytes that no frame has been made of.
    package var bufferedBytes: Int { buffer.readableBytes }

    /// Takes what the stream brought; empties `bytes`.
    package mutating func append(_ bytes: inout ByteBuffer) {
        if buffer.readableBytes == 0 {
            swap(&buffer, &bytes)
            return
        }
        buffer.discardReadBytes()
        buffer.writeBuffer(&bytes)
    }

    /// The next whole frame. An empty frame is a frame.
    package mutating func next() -> Step {
        guard isTrusted || isFirst else {
            // It may have overtaken our `trust`: the peer has accepted us, and its records are here before we have
            // accepted it.
            return buffer.readableBytes == 0 ? .incomplete : .awaitsTrust
        }
        guard let length = buffer.getInteger(at: buffer.readerIndex, as: UInt32.self) else { return .incomplete }
        let lengthMax = isTrusted ? bytesMax : bytesBeforeTrustMax
        guard length <= UInt32(lengthMax) else { return .tooLong }
        guard FrameReader.lengthBytes + Int(length) <= buffer.readableBytes else { return .incomplete }
        buffer.moveReaderIndex(forwardBy: FrameReader.lengthBytes)
        isFirst = false
        return .frame(buffer.readBytes(length: Int(length)) ?? [])
    }
}
