import Synchronization

/// A sound device as `status` shows it.
package struct DeviceStatus: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        case opening
        case running
        /// In words for a person; a silent device stands in.
        case reopening(reason: String)
        case stopped
    }

    /// As in the configuration: `alsa:default`.
    package var device: String
    package var state = State.opening
    package var periodSamples = 0
    package var bufferSamples = 0
    package var channels = 0
    /// `yes, SCHED_FIFO 20`, or `no` and why.
    package var realTime = ""
    /// Times that the device was lost since start.
    package var losses = 0

    package init(device: String) { self.device = device }
}

/// Where an audio thread writes its device's status. Locked only while a device is opened or
/// lost, when the thread is not keeping time; never in between.
final class DeviceStatusBoard: Sendable {
    private let board: Mutex<DeviceStatus>

    init(device: String) { board = Mutex(DeviceStatus(device: device)) }

    var current: DeviceStatus { board.withLock { $0 } }

    func update(_ change: (inout DeviceStatus) -> Void) { board.withLock { change(&$0) } }
}
