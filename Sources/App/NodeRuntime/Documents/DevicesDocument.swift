package import AudioIO

/// What `partyline devices --json` prints.
package struct DevicesDocument: Codable, Hashable, Sendable {
    /// Always `partyline.devices/1`.
    package var schema = "partyline.devices/1"
    /// Devices that sound can be captured from.
    package var inputs: [Device]
    /// Devices that sound can be played on.
    package var outputs: [Device]

    /// A sound device.
    package struct Device: Codable, Hashable, Sendable {
        /// As `--input` and `--output` take it, for example `alsa:hw:0,0`.
        package var name: String
        /// What the driver calls it.
        package var text: String
        /// Whether the node that answers was started with it; false where no node runs.
        package var inUse: Bool
    }
}

extension DevicesDocument {
    /// The sound devices of this machine; no node is needed to list them.
    ///
    /// - Parameter options: those of the node that answers; nil where none does.
    package static func ofThisMachine(usedBy options: RunOptions? = nil) -> DevicesDocument {
        DevicesDocument(of: SoundDevice.all(), input: options?.input, output: options?.output)
    }

    /// - Parameters:
    ///   - devices: those that there are.
    ///   - input: what the answering node hears its user through; nil where no node answers.
    ///   - output: what it makes its user hear through.
    package init(of devices: [SoundDevice], input: DeviceSpecification? = nil, output: DeviceSpecification? = nil) {
        inputs = devices.filter(\.isInput).map { Device($0, used: input) }
        outputs = devices.filter(\.isOutput).map { Device($0, used: output) }
    }
}

extension DevicesDocument.Device {
    fileprivate init(_ device: SoundDevice, used: DeviceSpecification?) {
        name = device.specification.description
        text = device.text
        inUse = device.specification == used
    }
}
