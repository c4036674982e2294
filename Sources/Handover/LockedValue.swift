import Synchronization

/// A value of any size behind a lock, for what changes seldom: how a device is, not how a block was.
///
/// An audio thread touches it only while it keeps no time. Everything else that it tells goes through `LatestValue`.
package final class LockedValue<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    package init(_ initial: Value) { value = Mutex(initial) }

    package var current: Value { value.withLock { $0 } }

    package func update(_ change: (inout Value) -> Void) { value.withLock { change(&$0) } }
}
