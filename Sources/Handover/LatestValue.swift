package import Synchronization

/// A value that one thread publishes and one other reads: the newest wins, neither waits.
///
/// Three copies: the writer fills its own, then swaps it with the shared one; the reader swaps the
/// shared one with its own when it is fresh ("triple buffer"). No copy is ever touched by both.
package final class LatestValue<Value: BitwiseCopyable & Sendable>: @unchecked Sendable {
    @usableFromInline let copies: UnsafeMutablePointer<Value>
    /// Bits 0 and 1: which copy is shared; bit 2: the reader has not seen it.
    @usableFromInline let shared = Atomic<UInt8>(1)
    private let writerTaken = Atomic<Bool>(false)
    private let readerTaken = Atomic<Bool>(false)

    package init(_ initial: Value) {
        copies = .allocate(capacity: 3)
        copies.initialize(repeating: initial, count: 3)
    }

    deinit { copies.deallocate() }

    /// The publishing end; traps when taken twice.
    package func takeWriter() -> LatestValueWriter<Value> {
        precondition(!writerTaken.exchange(true, ordering: .relaxed), "a latest value has one writer")
        return LatestValueWriter(self)
    }

    /// The reading end; traps when taken twice.
    package func takeReader() -> LatestValueReader<Value> {
        precondition(!readerTaken.exchange(true, ordering: .relaxed), "a latest value has one reader")
        return LatestValueReader(self)
    }
}

/// Publishes; belongs to one thread.
package struct LatestValueWriter<Value: BitwiseCopyable & Sendable>: ~Copyable, @unchecked Sendable {
    @usableFromInline let value: LatestValue<Value>
    @usableFromInline var own: Int = 0

    init(_ value: LatestValue<Value>) { self.value = value }

    /// Makes `newest` what the reader gets next.
    @inlinable
    package mutating func publish(_ newest: Value) {
        value.copies[own] = newest
        own = Int(value.shared.exchange(UInt8(own) | 0b100, ordering: .acquiringAndReleasing) & 0b11)
    }
}

/// Reads; belongs to one thread.
package struct LatestValueReader<Value: BitwiseCopyable & Sendable>: ~Copyable, @unchecked Sendable {
    @usableFromInline let value: LatestValue<Value>
    @usableFromInline var own: Int = 2

    init(_ value: LatestValue<Value>) { self.value = value }

    /// The newest published value; the same again where nothing newer came.
    @inlinable
    package mutating func latest() -> Value {
        if value.shared.load(ordering: .relaxed) & 0b100 != 0 {
            own = Int(value.shared.exchange(UInt8(own), ordering: .acquiringAndReleasing) & 0b11)
        }
        return value.copies[own]
    }
}
