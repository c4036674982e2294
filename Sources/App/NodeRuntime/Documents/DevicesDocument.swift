package import AudioIO

/// What `partyline devices --json` prints.
package struct DevicesDocument: Codable, Hashable, Sendable {
    /// Always `partyline.devices/1`.
    package var schema = "partyline.devices/1"
    /// The devices for capture.
    package var inputs: [Device]
    /// The devices for playback.
    package var outputs: [Device]

    /// A sound device.
    package struct Device: Codable, Hashable, Sendable {
        /// The name for `--input` and `--output`, for example `alsa:hw:0,0`.
        package var name: String
        /// The name that the driver gives.
        package var text: String
        /// Whether the node that answers uses it; false if no node runs.
        package var inUse: Bool
    }
}

extension DevicesDocument {
    /// The sound devices of this machine; no node is needed to list them.
    package static func ofThisMachine() -> DevicesDocument { DevicesDocument(of: SoundDevice.all()) }

    /// - Parameters:
    ///   - devices: the devices of this machine.
    ///   - audio: the sound of the node that answers.
    init(of devices: [SoundDevice], usedBy audio: AudioEngine) {
        let used = audio.devices
        let outputs = [used.output.device, used.second?.device].compactMap { $0 }
        self.init(
            of: devices, input: try? DeviceSpecification(used.input.device, as: .input),
            outputs: outputs.compactMap { try? DeviceSpecification($0, as: .output) })
    }

    /// - Parameters:
    ///   - devices: the devices of this machine.
    ///   - input: the capture device of the node that answers; nil if no node does.
    ///   - used: the playback devices of that node.
    package init(
        of devices: [SoundDevice], input: DeviceSpecification? = nil, outputs used: [DeviceSpecification] = []
    ) {
        inputs = devices.filter(\.isInput).map { Device($0, inUse: $0.specification == input) }
        outputs = devices.filter(\.isOutput).map { Device($0, inUse: used.contains($0.specification)) }
    }
}

extension DevicesDocument.Device {
    fileprivate init(_ device: SoundDevice, inUse: Bool) {
        name = device.specification.description
        text = device.text
        self.inUse = inUse
    }
}
