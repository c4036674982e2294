import Synchronization

/// Whether playback wakes up as seldom as it can: the node loop says so, the thread looks once a block.
package final class PowerSaving: Sendable {
    private let isOnFlag = Atomic<Bool>(false)

    package init() {}

    package var isOn: Bool {
        get { isOnFlag.load(ordering: .relaxed) }
        set { isOnFlag.store(newValue, ordering: .relaxed) }
    }
}
