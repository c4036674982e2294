package import Primitives
import Synchronization

/// Passes frames from one thread to one other thread. Neither thread ever waits.
///
/// ```
///   producer ──push──▶ [slot][slot][slot][slot] ──front, removeFirst──▶ consumer
///             writes `written` only            writes `taken` only
/// ```
/// Slots have a fixed size and exist from the start. A full ring refuses the newest frame and counts it, since the
/// producer must not move the consumer's index. Each end is taken once, by the thread that uses it, and keeps the ring
/// alive.
package final class FrameRing: @unchecked Sendable {
    /// The number of slots, a power of two.
    package let capacity: Int
    /// The most bytes that one slot holds.
    package let slotBytesMax: Int

    let slots: UnsafeMutableRawPointer
    let slotStride: Int
    let indices: RingIndices
    private let producerTaken = Atomic<Bool>(false)
    private let consumerTaken = Atomic<Bool>(false)

    /// Makes a ring of `capacity` slots, rounded up to a power of two.
    package init(capacity: Int, slotBytesMax: Int) {
        precondition(0 < capacity && 0 < slotBytesMax && slotBytesMax <= Int(UInt16.max), "a ring without room")
        self.capacity = 1 << (Int.bitWidth - (capacity - 1).leadingZeroBitCount)
        self.slotBytesMax = slotBytesMax
        slotStride = (MemoryLayout<RingHeader>.stride + slotBytesMax + 15) & ~15
        slots = .allocate(byteCount: slotStride * self.capacity, alignment: 64)
        // Written once, so that the memory pages exist before an audio thread uses them.
        slots.initializeMemory(as: UInt8.self, repeating: 0, count: slotStride * self.capacity)
        indices = RingIndices()
    }

    deinit {
        indices.destroy()
        slots.deallocate()
    }

    /// Takes the writing end. Traps if it has been taken before.
    package func takeProducer() -> FrameRingProducer {
        precondition(!producerTaken.exchange(true, ordering: .relaxed), "a ring has one producer")
        return FrameRingProducer(self)
    }

    /// Takes the reading end. Traps if it has been taken before.
    package func takeConsumer() -> FrameRingConsumer {
        precondition(!consumerTaken.exchange(true, ordering: .relaxed), "a ring has one consumer")
        return FrameRingConsumer(self)
    }

    /// Frames that were refused because the ring was full or the frame too large. Any thread may read it.
    package var refusedCount: Int { indices.refused.pointee.load(ordering: .relaxed) }
}

/// The three counters of a ring. Each has cache lines of its own, so that the two threads do not slow each other down.
struct RingIndices: @unchecked Sendable {
    /// Number of frames ever pushed. The producer writes it.
    let written: UnsafeMutablePointer<Atomic<Int>>
    /// Number of frames ever taken out. The consumer writes it.
    let taken: UnsafeMutablePointer<Atomic<Int>>
    /// Number of frames ever refused. The producer writes it.
    let refused: UnsafeMutablePointer<Atomic<Int>>
    private let storage: UnsafeMutableRawPointer

    init() {
        storage = .allocate(byteCount: 3 * Self.lineBytes, alignment: Self.lineBytes)
        written = Self.counter(at: storage)
        taken = Self.counter(at: storage + Self.lineBytes)
        refused = Self.counter(at: storage + 2 * Self.lineBytes)
    }

    private static func counter(at place: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Atomic<Int>> {
        let counter = place.bindMemory(to: Atomic<Int>.self, capacity: 1)
        counter.initialize(to: Atomic(0))
        return counter
    }

    func destroy() { storage.deallocate() }

    /// Two cache lines of 64 bytes, since x86 fetches neighbouring lines in pairs.
    private static let lineBytes = 128
}

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

/// The header of one `FrameRing` slot, beside its bytes.
///
/// The ring itself uses only `byteCount`. The two threads that share the ring agree on the meaning of the rest.
package struct RingHeader: Hashable, Sendable, BitwiseCopyable {
    /// The kind of the slot's content, for example the frame duration: a raw value of an enum of the two threads.
    package var kind: UInt8
    /// Flags of that kind.
    package var flags: UInt8
    /// A number of that kind, for example the talk spurt with its keys, or a gain.
    package var mark: UInt16
    /// The peer's `PeerSlot.index` or the number of a line, if the kind has one of them here.
    package var peerIndex: UInt16
    /// Number of bytes in the slot.
    package var byteCount: UInt16
    private var samples: UInt32
    private var nanoseconds: Int64

    package var sampleTime: SampleTime { SampleTime(samples: samples) }
    /// The instant that belongs to the content, for example that of its arrival or capture.
    package var instant: Instant { Instant(nanoseconds: nanoseconds) }

    package init(
        kind: UInt8, flags: UInt8 = 0, mark: UInt16 = 0, peerIndex: UInt16 = 0,
        sampleTime: SampleTime = SampleTime(samples: 0), instant: Instant = .zero
    ) {
        self.kind = kind
        self.flags = flags
        self.mark = mark
        self.peerIndex = peerIndex
        self.byteCount = 0
        samples = sampleTime.samples
        nanoseconds = instant.nanoseconds
    }
}
