package import Synchronization

/// A value that one thread publishes and one other thread reads. The reader gets the newest value, and neither thread
/// waits.
///
/// There are three copies ("triple buffer"). The writer fills its own copy, and then swaps it with the shared one. The
/// reader swaps its own copy with the shared one if that is new. No copy is ever used by both threads at once.
package final class LatestValue<Value: BitwiseCopyable & Sendable>: @unchecked Sendable {
    @usableFromInline let copies: UnsafeMutablePointer<Value>
    /// Bits 0 and 1 are the index of the shared copy. Bit 2 is set while the reader has not seen it.
    @usableFromInline let shared = Atomic<UInt8>(1)
    private let writerTaken = Atomic<Bool>(false)
    private let readerTaken = Atomic<Bool>(false)

    package init(_ initial: Value) {
        copies = .allocate(capacity: 3)
        copies.initialize(repeating: initial, count: 3)
    }

    deinit { copies.deallocate() }

    /// Takes the publishing end. Traps if it has been taken before.
    package func takeWriter() -> LatestValueWriter<Value> {
        precondition(!writerTaken.exchange(true, ordering: .relaxed), "a latest value has one writer")
        return LatestValueWriter(self)
    }

    /// Takes the reading end. Traps if it has been taken before.
    package func takeReader() -> LatestValueReader<Value> {
        precondition(!readerTaken.exchange(true, ordering: .relaxed), "a latest value has one reader")
        return LatestValueReader(self)
    }
}

/// The publishing end of a `LatestValue`. Only one thread uses it.
package struct LatestValueWriter<Value: BitwiseCopyable & Sendable>: ~Copyable, @unchecked Sendable {
    @usableFromInline let value: LatestValue<Value>
    @usableFromInline var own: Int = 0

    init(_ value: LatestValue<Value>) { self.value = value }

    /// Publishes `newest`: the reader gets it next.
    @inlinable
    package mutating func publish(_ newest: Value) {
        value.copies[own] = newest
        own = Int(value.shared.exchange(UInt8(own) | 0b100, ordering: .acquiringAndReleasing) & 0b11)
    }
}

/// The reading end of a `LatestValue`. Only one thread uses it.
package struct LatestValueReader<Value: BitwiseCopyable & Sendable>: ~Copyable, @unchecked Sendable {
    @usableFromInline let value: LatestValue<Value>
    @usableFromInline var own: Int = 2

    init(_ value: LatestValue<Value>) { self.value = value }

    /// The newest published value. It is the same again if no newer one has come.
    @inlinable
    package mutating func latest() -> Value {
        if value.shared.load(ordering: .relaxed) & 0b100 != 0 {
            own = Int(value.shared.exchange(UInt8(own), ordering: .acquiringAndReleasing) & 0b11)
        }
        return value.copies[own]
    }
}

/// A value of any size behind a lock. It is for values that change rarely, such as the state of a device.
///
/// An audio thread uses it only when no sound is at stake. Everything else that it reports goes through `LatestValue`.
package final class LockedValue<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    package init(_ initial: Value) { value = Mutex(initial) }

    package var current: Value { value.withLock { $0 } }

    package func update(_ change: (inout Value) -> Void) { value.withLock { change(&$0) } }
}
