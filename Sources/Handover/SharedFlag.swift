import Synchronization

/// A flag that one thread writes and other threads read at any time. No thread waits.
///
/// A thread that sees a new value also sees everything that the writer did before it.
package final class SharedFlag: Sendable {
    private let flag: Atomic<Bool>

    package init(_ isOn: Bool = false) { flag = Atomic(isOn) }

    package var isOn: Bool {
        @_noAllocation @_noLocks get { flag.load(ordering: .acquiring) }
        @_noAllocation @_noLocks set { flag.store(newValue, ordering: .releasing) }
    }
}

/// A number, or values packed into a number, that one thread writes and other threads read at any time. No thread
/// waits.
///
/// A thread that sees a new value also sees everything that the writer did before it.
package final class SharedNumber: Sendable {
    private let number: Atomic<UInt64>

    package init(_ value: UInt64 = 0) { number = Atomic(value) }

    package var value: UInt64 {
        @_noAllocation @_noLocks get { number.load(ordering: .acquiring) }
        @_noAllocation @_noLocks set { number.store(newValue, ordering: .releasing) }
    }
}
