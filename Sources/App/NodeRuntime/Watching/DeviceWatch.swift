package import AudioIO

/// Notices that a sound device is lost, and that it is back. A device that cannot be opened at the start counts as
/// lost.
package struct DeviceWatch {
    /// A change of one device.
    package struct Change: Hashable, Sendable {
        /// `input`, `output` or `output2`.
        package var side: String
        /// The name in the configuration.
        package var device: String
        /// Why it is lost, for people; nil if it is back.
        package var reason: String?

        package init(side: String, device: String, reason: String?) {
            (self.side, self.device, self.reason) = (side, device, reason)
        }
    }

    private var isInputLost = false
    private var isOutputLost = false
    private var isSecondLost = false

    package init() {}

    /// Returns the changes since the last call.
    package mutating func changes(_ audio: AudioStatus) -> [Change] {
        [
            DeviceWatch.change("input", audio.input, isStuck: audio.isInputStuck, &isInputLost),
            DeviceWatch.change("output", audio.output, isStuck: audio.isOutputStuck, &isOutputLost),
            audio.second.flatMap { DeviceWatch.change("output2", $0.device, isStuck: $0.isStuck, &isSecondLost) },
        ].compactMap { $0 }
    }

    private static func change(
        _ side: String, _ device: DeviceStatus, isStuck: Bool, _ isLost: inout Bool
    ) -> Change? {
        let reason: String?
        switch device.state {
        case .reopening(let why): reason = why
        case .running: reason = isStuck ? "it does not answer" : nil
        case .opening, .stopped: return nil
        }
        guard isLost != (reason != nil) else { return nil }
        isLost = reason != nil
        return Change(side: side, device: device.device, reason: reason)
    }
}
