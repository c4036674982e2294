import Primitives
import Synchronization

/// Frames from one thread to one other, without waiting on either side.
///
/// ```
///   producer ──push──▶ [slot][slot][slot][slot] ──front, removeFirst──▶ consumer
///             writes `written` only            writes `taken` only
/// ```
/// Slots have a fixed size and exist from the start. A full ring refuses the newest frame and
/// counts it: the producer may not move the consumer's index. Each end is taken once, by the thread
/// that uses it, and keeps the ring alive.
package final class FrameRing: @unchecked Sendable {
    /// Slots; a power of two.
    package let capacity: Int
    /// Bytes that one slot holds.
    package let slotBytesMax: Int

    let slots: UnsafeMutableRawPointer
    let slotStride: Int
    let indices: RingIndices
    private let producerTaken = Atomic<Bool>(false)
    private let consumerTaken = Atomic<Bool>(false)

    /// A ring of `capacity` slots, rounded up to a power of two.
    package init(capacity: Int, slotBytesMax: Int) {
        precondition(0 < capacity && 0 < slotBytesMax && slotBytesMax <= Int(UInt16.max), "a ring without room")
        self.capacity = 1 << (Int.bitWidth - (capacity - 1).leadingZeroBitCount)
        self.slotBytesMax = slotBytesMax
        slotStride = (MemoryLayout<RingHeader>.stride + slotBytesMax + 15) & ~15
        slots = .allocate(byteCount: slotStride * self.capacity, alignment: 64)
        // Written once so that the pages exist before the audio thread touches them.
        slots.initializeMemory(as: UInt8.self, repeating: 0, count: slotStride * self.capacity)
        indices = RingIndices()
    }

    deinit {
        indices.destroy()
        slots.deallocate()
    }

    /// The writing end; traps when taken twice.
    package func takeProducer() -> FrameRingProducer {
        precondition(!producerTaken.exchange(true, ordering: .relaxed), "a ring has one producer")
        return FrameRingProducer(self)
    }

    /// The reading end; traps when taken twice.
    package func takeConsumer() -> FrameRingConsumer {
        precondition(!consumerTaken.exchange(true, ordering: .relaxed), "a ring has one consumer")
        return FrameRingConsumer(self)
    }

    /// Frames refused because the ring was full. May be read from any thread.
    package var refusedCount: Int { indices.refused.pointee.load(ordering: .relaxed) }
}

/// The three counters of a ring, each on cache lines of its own so that the two threads do not
/// take them from each other.
struct RingIndices: @unchecked Sendable {
    /// Frames ever pushed; the producer writes it.
    let written: UnsafeMutablePointer<Atomic<Int>>
    /// Frames ever taken out; the consumer writes it.
    let taken: UnsafeMutablePointer<Atomic<Int>>
    /// Frames ever refused; the producer writes it.
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

    /// Two lines of 64 bytes: neighbours are fetched in pairs on x86.
    private static let lineBytes = 128
}
