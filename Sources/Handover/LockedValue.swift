import Synchronization

/// A value of any size behind a lock. It is for values that change rarely, such as the state of a device.
///
/// An audio thread uses it only when no sound is at stake. Everything else that it reports goes through `LatestValue`.
package final class LockedValue<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    package init(_ initial: Value) { value = Mutex(initial) }

    package var current: Value { value.withLock { $0 } }

    package func update(_ change: (inout Value) -> Void) { value.withLock { change(&$0) } }
}
