package import Primitives

/// What will happen, in the order of its time; ties go to whatever was scheduled first.
///
/// A binary heap of small keys; the payloads lie still in a slab beside it, so that sifting moves
/// 24 bytes and touches no reference counts.
package struct EventQueue<Payload> {
    private struct Key {
        var at: Int64
        var sequence: UInt64
        var slot: Int
    }

    private var heap: [Key] = []
    private var slab: [Payload?] = []
    private var freeSlots: [Int] = []
    private var sequence: UInt64 = 0

    package init() {}

    package var count: Int { heap.count }
    package var nextInstant: Instant? { heap.first.map { Instant(nanoseconds: $0.at) } }

    package mutating func schedule(_ payload: Payload, at instant: Instant) {
        let slot: Int
        if let free = freeSlots.popLast() {
            slab[free] = payload
            slot = free
        } else {
            slot = slab.count
            slab.append(payload)
        }
        heap.append(Key(at: instant.nanoseconds, sequence: sequence, slot: slot))
        sequence += 1
        siftUp(from: heap.count - 1)
    }

    package mutating func popFirst() -> (at: Instant, payload: Payload)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        if !heap.isEmpty {
            siftDown(placing: last)
        }
        guard let payload = slab[first.slot].take() else { illegal("pop", in: "empty slot \(first.slot)") }
        freeSlots.append(first.slot)
        return (Instant(nanoseconds: first.at), payload)
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
