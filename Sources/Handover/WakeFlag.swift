import Synchronization

/// Wakes a sleeping thread once when there is work, however many frames come before that thread looks.
///
/// ```
///        raise (true: wake it)          raise (false: it has been woken)
///  lowered ───────────────▶ raised ◀──┐
///     ▲                       │  └────┘
///     └──────── lower ────────┘
/// ```
/// The sleeping thread lowers the flag *before* it empties the ring. So a frame that comes afterwards raises the flag
/// again. The flag itself wakes no thread: the caller does.
package final class WakeFlag: Sendable {
    private let isRaised = Atomic<Bool>(false)

    package init() {}

    /// Raises the flag. True if the sleeping thread must be woken now, for example by a write to its eventfd.
    @_noAllocation @_noLocks
    package func raise() -> Bool { !isRaised.exchange(true, ordering: .acquiringAndReleasing) }

    /// Lowers the flag. The sleeping thread calls it when it is awake and before it looks.
    @_noAllocation @_noLocks
    package func lower() { _ = isRaised.exchange(false, ordering: .acquiringAndReleasing) }
}
