/// A sound device as `status` shows it.
package struct DeviceStatus: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        case opening
        case running
        /// The device is missing, and silence replaces it. The reason is a text for people.
        case reopening(reason: String)
        case stopped
    }

    /// The name that a person gave, for example `alsa:default`.
    package var device: String
    package var state = State.opening
    package var periodSamples = 0
    package var bufferSamples = 0
    package var channels = 0
    /// `yes, SCHED_FIFO 20`, or `no` and the reason.
    package var realTime = ""
    /// Times that the device was lost since start.
    package var losses = 0

    package init(device: String) { self.device = device }
}
