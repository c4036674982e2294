import Synchronization

/// Tells a sleeping thread once that there is work, however many frames come before it looks.
///
/// ```
///        raise (true: wake it)          raise (false: it has been woken)
///  lowered ───────────────▶ raised ◀──┐
///     ▲                       │  └────┘
///     └──────── lower ────────┘
/// ```
/// The waiter lowers the flag *before* it drains the ring, so that a frame which comes after the
/// drain raises it again. Does no input or output itself.
package final class WakeFlag: Sendable {
    private let isRaised = Atomic<Bool>(false)

    package init() {}

    /// True where the waiter must be woken now, for example by a write to its eventfd.
    @_noAllocation @_noLocks
    package func raise() -> Bool { !isRaised.exchange(true, ordering: .acquiringAndReleasing) }

    /// The waiter is awake and is about to look.
    @_noAllocation @_noLocks
    package func lower() { _ = isRaised.exchange(false, ordering: .acquiringAndReleasing) }
}
