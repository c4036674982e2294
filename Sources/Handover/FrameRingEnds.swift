import Synchronization

/// The writing end of a `FrameRing`; belongs to one thread.
package struct FrameRingProducer: ~Copyable, @unchecked Sendable {
    private let slots: UnsafeMutableRawPointer
    private let slotStride: Int
    private let slotBytesMax: Int
    private let mask: Int
    private let indices: RingIndices
    /// Only to keep the memory alive.
    private let ring: FrameRing

    init(_ ring: FrameRing) {
        (slots, slotStride, slotBytesMax) = (ring.slots, ring.slotStride, ring.slotBytesMax)
        mask = ring.capacity - 1
        indices = ring.indices
        self.ring = ring
    }

    /// Copies a frame in; false, counted, where the ring is full or the frame larger than a slot.
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

    /// Frames ever pushed.
    package var writtenCount: Int { indices.written.pointee.load(ordering: .relaxed) }

    /// Frames that the other end has ever taken out.
    package var takenCount: Int { indices.taken.pointee.load(ordering: .acquiring) }
}

/// The reading end of a `FrameRing`; belongs to one thread.
package struct FrameRingConsumer: ~Copyable, @unchecked Sendable {
    private let slots: UnsafeMutableRawPointer
    private let slotStride: Int
    private let mask: Int
    private let indices: RingIndices
    /// Only to keep the memory alive.
    private let ring: FrameRing

    init(_ ring: FrameRing) {
        (slots, slotStride) = (ring.slots, ring.slotStride)
        mask = ring.capacity - 1
        indices = ring.indices
        self.ring = ring
    }

    /// The oldest frame where it lies, or nil; its bytes are good until `removeFirst`.
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

    /// Gives the slot of `front` back to the producer; traps where there is none.
    @_noAllocation @_noLocks
    package func removeFirst() {
        let taken = indices.taken.pointee.load(ordering: .relaxed)
        precondition(taken != indices.written.pointee.load(ordering: .acquiring), "the ring is empty")
        indices.taken.pointee.store(taken &+ 1, ordering: .releasing)
    }

    /// Frames that wait.
    package var count: Int {
        indices.written.pointee.load(ordering: .acquiring) &- indices.taken.pointee.load(ordering: .relaxed)
    }
}

/// A frame inside a ring.
package struct RingFrame {
    package let header: RingHeader
    package let bytes: UnsafeRawBufferPointer
}
