package import Primitives

/// Future events in the order of their time. Events of one instant keep the order in which they were scheduled.
///
/// A binary heap of small keys. The payloads stay at fixed slots of a slab beside the heap, so that sifting moves 24
/// bytes and touches no reference counts.
package struct EventQueue<Payload>: ~Copyable {
    private struct Key {
        var at: Int64
        var sequence: UInt64
        var slot: Int
    }

    private var heap: [Key] = []
    /// Payloads by slot. This is raw memory, because a payload is moved in and out; an array of optionals would copy
    /// and destroy it.
    private var slab = UnsafeMutablePointer<Payload>.allocate(capacity: 64)
    private var capacity = 64
    private var freeSlots: [Int] = []
    private var sequence: UInt64 = 0

    package init() {}

    deinit {
        for key in heap { (slab + key.slot).deinitialize(count: 1) }
        slab.deallocate()
    }

    package var count: Int { heap.count }
    package var nextInstant: Instant? { heap.first.map { Instant(nanoseconds: $0.at) } }

    package mutating func schedule(_ payload: consuming Payload, at instant: Instant) {
        // Each key in the heap has one slot of the slab, for its payload. When `freeSlots` is empty, the keys have
        // exactly the slots below `heap.count`, so the next slot is `heap.count`.
        let slot = freeSlots.popLast() ?? heap.count
        if slot == capacity { grow() }
        (slab + slot).initialize(to: payload)
        heap.append(Key(at: instant.nanoseconds, sequence: sequence, slot: slot))
        sequence += 1
        siftUp(from: heap.count - 1)
    }

    package mutating func popFirst() -> (at: Instant, payload: Payload)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        if !heap.isEmpty {
            siftDown(placing: last)
        }
        freeSlots.append(first.slot)
        return (Instant(nanoseconds: first.at), (slab + first.slot).move())
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Payload>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: slab, count: capacity)
        slab.deallocate()
        slab = larger
        capacity *= 2
    }

    private static func precedes(_ a: Key, _ b: Key) -> Bool {
        a.at < b.at || (a.at == b.at && a.sequence < b.sequence)
    }

    private mutating func siftUp(from start: Int) {
        let key = heap[start]
        var hole = start
        while 0 < hole {
            let parent = (hole - 1) / 2
            guard Self.precedes(key, heap[parent]) else { break }
            heap[hole] = heap[parent]
            hole = parent
        }
        heap[hole] = key
    }

    private mutating func siftDown(placing key: Key) {
        var hole = 0
        while true {
            var child = 2 * hole + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, Self.precedes(heap[child + 1], heap[child]) { child += 1 }
            guard Self.precedes(heap[child], key) else { break }
            heap[hole] = heap[child]
            hole = child
        }
        heap[hole] = key
    }
}
