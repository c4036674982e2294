package import NIOCore
package import Primitives

/// What waits for a peer: voice first, then everything else in order.
///
/// Voice has a queue of its own, because 200 ms old voice is worthless and a megabyte of texts is
/// not: the one drops its oldest, the other refuses and so ends the carrier.
package struct OutboundQueue {
    private let limits: CarrierLimits
    private var bulk = CircularBuffer<[UInt8]>()
    private var bulkBytes = 0
    private var voice: BoundedQueue<(frame: [UInt8], since: Instant)>

    package init(limits: CarrierLimits) {
        self.limits = limits
        voice = BoundedQueue(capacity: limits.voiceFramesMax)
    }

    package var isEmpty: Bool { bulk.isEmpty && voice.isEmpty }

    /// False where the frame does not fit any more.
    package mutating func append(_ frame: [UInt8]) -> Bool {
        let bytes = frame.count + FrameReader.lengthBytes
        guard bulkBytes + bytes <= limits.outboundBytesMax else { return false }
        bulk.append(frame)
        bulkBytes += bytes
        return true
    }

    /// The number of older frames that were dropped for it.
    package mutating func appendVoice(_ frame: [UInt8], now: Instant) -> Int {
        let expired = dropExpired(now: now)
        let displaced = voice.appendDroppingOldest((frame, now))
        return displaced == nil ? expired : expired + 1
    }

    /// The next piece to hand to TLS, with lengths, and the number of voice frames that had become
    /// too old; nil where nothing waits.
    package mutating func nextPiece(
        now: Instant, allocator: ByteBufferAllocator
    ) -> (piece: ByteBuffer?, dropped: Int) {
        let dropped = dropExpired(now: now)
        guard !isEmpty else { return (nil, dropped) }
        var piece = allocator.buffer(capacity: min(limits.writeBytesMax, bulkBytes + 4_096))
        while piece.readableBytes < limits.writeBytesMax, let frame = next() {
            piece.writeInteger(UInt32(frame.count))
            piece.writeBytes(frame)
        }
        return (piece, dropped)
    }

    private mutating func next() -> [UInt8]? {
        if let oldest = voice.popFirst() { return oldest.frame }
        guard let frame = bulk.popFirst() else { return nil }
        bulkBytes -= frame.count + FrameReader.lengthBytes
        return frame
    }

    private mutating func dropExpired(now: Instant) -> Int {
        var dropped = 0
        while let oldest = voice.first, limits.voiceAgeMax < now - oldest.since {
            _ = voice.popFirst()
            dropped += 1
        }
        return dropped
    }
}
