import Primitives
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
