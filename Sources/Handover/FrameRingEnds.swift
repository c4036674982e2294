import Synchronization

/// The writing end of a `FrameRing`. Only one thread uses it.
package struct FrameRingProducer: ~Copyable, @unchecked Sendable {
    private let slots: UnsafeMutableRawPointer
    private let slotStride: Int
    private let slotBytesMax: Int
    private let mask: Int
    private let indices: RingIndices
    /// Held only to keep the memory alive.
    private let ring: FrameRing

    init(_ ring: FrameRing) {
        (slots, slotStride, slotBytesMax) = (ring.slots, ring.slotStride, ring.slotBytesMax)
        mask = ring.capacity - 1
        indices = ring.indices
        self.ring = ring
    }

    /// Copies a frame into the ring. False if the ring is full or the frame is larger than a slot; this is counted.
    @_noAllocation @_noLocks
    package func push(_ header: RingHeader, _ bytes: UnsafeRawBufferPointer) -> Bool {
        let written = indices.written.pointee.load(ordering: .relaxed)
        let isFull = mask < written &- indices.taken.pointee.load(ordering: .acquiring)
        guard !isFull, bytes.count <= slotBytesMax else {
            indices.refused.pointee.wrappingAdd(1, ordering: .relaxed)
            return false
        }
        let slot = slots + (written & mask) &* slotStride
        var header = header
        header.byteCount = UInt16(truncatingIfNeeded: bytes.count)
        slot.storeBytes(of: header, as: RingHeader.self)
        if let source = bytes.baseAddress {
            (slot + MemoryLayout<RingHeader>.stride).copyMemory(from: source, byteCount: bytes.count)
        }
        indices.written.pointee.store(written &+ 1, ordering: .releasing)
        return true
    }

    /// Number of frames ever pushed.
    package var writtenCount: Int { indices.written.pointee.load(ordering: .relaxed) }

    /// Number of frames that the other end has ever taken out.
    package var takenCount: Int { indices.taken.pointee.load(ordering: .acquiring) }
}

/// The reading end of a `FrameRing`. Only one thread uses it.
package struct FrameRingConsumer: ~Copyable, @unchecked Sendable {
    private let slots: UnsafeMutableRawPointer
    private let slotStride: Int
    private let mask: Int
    private let indices: RingIndices
    /// Held only to keep the memory alive.
    private let ring: FrameRing

    init(_ ring: FrameRing) {
        (slots, slotStride) = (ring.slots, ring.slotStride)
        mask = ring.capacity - 1
        indices = ring.indices
        self.ring = ring
    }

    /// The oldest frame, in its slot, or nil if there is none. Its bytes are valid until `removeFirst`.
    @_noAllocation @_noLocks
    package func front() -> RingFrame? {
        let taken = indices.taken.pointee.load(ordering: .relaxed)
        guard taken != indices.written.pointee.load(ordering: .acquiring) else { return nil }
        let slot = slots + (taken & mask) &* slotStride
        let header = slot.load(as: RingHeader.self)
        let bytes = UnsafeRawBufferPointer(
            start: slot + MemoryLayout<RingHeader>.stride, count: Int(header.byteCount))
        return RingFrame(header: header, bytes: bytes)
    }

    /// Gives the slot of `front` back to the producer. Traps if the ring is empty.
    @_noAllocation @_noLocks
    package func removeFirst() {
        let taken = indices.taken.pointee.load(ordering: .relaxed)
        precondition(taken != indices.written.pointee.load(ordering: .acquiring), "the ring is empty")
        indices.taken.pointee.store(taken &+ 1, ordering: .releasing)
    }

    /// Number of frames that wait.
    package var count: Int {
        indices.written.pointee.load(ordering: .acquiring) &- indices.taken.pointee.load(ordering: .relaxed)
    }
}

/// A frame inside a ring.
package struct RingFrame {
    package let header: RingHeader
    package let bytes: UnsafeRawBufferPointer
}
