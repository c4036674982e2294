import Synchronization

/// Passes sound from one thread to one other thread, sample by sample. The reader may take any number of samples,
/// whatever number was written at once.
///
/// The capacity is a power of two, and the memory exists from the start. If there is no room, the newest samples are
/// dropped, since the writer must not move the reader's index. Each end is taken once and keeps the ring alive.
package final class SampleRing: @unchecked Sendable {
    package let capacity: Int
    let samples: UnsafeMutablePointer<Float>
    /// Number of samples ever written, and ever taken out.
    let written = Atomic<Int>(0)
    let taken = Atomic<Int>(0)
    private let producerTaken = Atomic<Bool>(false)
    private let consumerTaken = Atomic<Bool>(false)

    /// Makes a ring of `capacity` samples, rounded up to a power of two.
    package init(capacity: Int) {
        precondition(0 < capacity, "a ring without room")
        self.capacity = 1 << (Int.bitWidth - (capacity - 1).leadingZeroBitCount)
        samples = .allocate(capacity: self.capacity)
        samples.initialize(repeating: 0, count: self.capacity)
    }

    deinit { samples.deallocate() }

    /// Takes the writing end. Traps if it has been taken before.
    package func takeProducer() -> SampleRingProducer {
        precondition(!producerTaken.exchange(true, ordering: .relaxed), "a ring has one producer")
        return SampleRingProducer(ring: self)
    }

    /// Takes the reading end. Traps if it has been taken before.
    package func takeConsumer() -> SampleRingConsumer {
        precondition(!consumerTaken.exchange(true, ordering: .relaxed), "a ring has one consumer")
        return SampleRingConsumer(ring: self)
    }
}

/// The writing end of a `SampleRing`. Only one thread uses it.
package struct SampleRingProducer: ~Copyable, @unchecked Sendable {
    fileprivate let ring: SampleRing

    /// Number of samples for which there is room.
    package var room: Int {
        ring.capacity - (ring.written.load(ordering: .relaxed) &- ring.taken.load(ordering: .acquiring))
    }

    /// Copies `count` samples into the ring, or as many as there is room for. Returns the number of copied samples.
    @discardableResult
    package func push(_ source: UnsafePointer<Float>, count: Int) -> Int {
        let written = ring.written.load(ordering: .relaxed)
        let mask = ring.capacity - 1
        let fitting = min(count, room)
        for index in 0..<fitting { ring.samples[(written &+ index) & mask] = source[index] }
        ring.written.store(written &+ fitting, ordering: .releasing)
        return fitting
    }
}

/// The reading end of a `SampleRing`. Only one thread uses it.
package struct SampleRingConsumer: ~Copyable, @unchecked Sendable {
    fileprivate let ring: SampleRing

    /// Number of samples that wait.
    package var count: Int { ring.written.load(ordering: .acquiring) &- ring.taken.load(ordering: .relaxed) }

    /// Drops the oldest `count` samples. Traps if fewer wait.
    package func drop(_ count: Int) {
        precondition(0 <= count && count <= self.count, "\(count) samples are not there")
        ring.taken.store(ring.taken.load(ordering: .relaxed) &+ count, ordering: .releasing)
    }

    /// Moves the oldest `count` samples into `target`. Traps if fewer wait.
    package func take(into target: UnsafeMutablePointer<Float>, count: Int) {
        precondition(0 <= count && count <= self.count, "\(count) samples are not there")
        let taken = ring.taken.load(ordering: .relaxed)
        let mask = ring.capacity - 1
        for index in 0..<count { target[index] = ring.samples[(taken &+ index) & mask] }
        ring.taken.store(taken &+ count, ordering: .releasing)
    }

    /// Takes the oldest `count` samples out, and adds them to every channel of the interleaved `target`. Their factor
    /// goes linearly from `start` to `end`. Traps if fewer wait.
    package func add(
        to target: UnsafeMutablePointer<Float>, channels: Int = 1, count: Int, from start: Float, to end: Float
    ) {
        precondition(0 <= count && count <= self.count, "\(count) samples are not there")
        let taken = ring.taken.load(ordering: .relaxed)
        let mask = ring.capacity - 1
        let step = (end - start) / Float(max(1, count))
        for index in 0..<count {
            let sample = ring.samples[(taken &+ index) & mask] * (start + step * Float(index))
            for channel in 0..<channels { target[index * channels + channel] += sample }
        }
        ring.taken.store(taken &+ count, ordering: .releasing)
    }
}
