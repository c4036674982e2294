package import NIOCore
package import Primitives

/// The frames that wait for a peer: voice first, then all others in order.
///
/// Voice has a queue of its own: if it is full, or a frame is too old, the oldest frame is dropped, because old voice
/// is worthless. The queue of other frames drops nothing: if it is full, it refuses the frame, and the carrier ends.
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

    /// Appends a frame; returns false if there is no room for it.
    package mutating func append(_ frame: [UInt8]) -> Bool {
        let bytes = frame.count + FrameReader.lengthBytes
        guard bulkBytes + bytes <= limits.outboundBytesMax else { return false }
        bulk.append(frame)
        bulkBytes += bytes
        return true
    }

    /// Appends a voice frame; returns the number of older voice frames that were dropped.
    package mutating func appendVoice(_ frame: [UInt8], now: Instant) -> Int {
        let expired = dropExpired(now: now)
        let displaced = voice.appendDroppingOldest((frame, now))
        return displaced == nil ? expired : expired + 1
    }

    /// Returns the next bytes for TLS: frames with their lengths, or nil if nothing waits. `dropped` is the number of
    /// voice frames that had become too old.
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
