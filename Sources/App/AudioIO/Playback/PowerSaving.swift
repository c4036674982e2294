import Synchronization

/// Whether the audio threads wake up as seldom as they can: the node loop says so, they look once a block.
package final class PowerSaving: Sendable {
    private let isOnFlag = Atomic<Bool>(false)

    package init() {}

    package var isOn: Bool {
        get { isOnFlag.load(ordering: .relaxed) }
        set { isOnFlag.store(newValue, ordering: .relaxed) }
    }
}
