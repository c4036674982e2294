package import AudioIO
package import ControlPlane

/// The sound devices of this machine, for `partyline devices`.
package enum DevicesReport {
    /// - Parameters:
    ///   - devices: those that there are.
    ///   - input: what the answering node hears its user through; nil where no node answers.
    ///   - output: what it makes its user hear through.
    package static func document(
        of devices: [SoundDevice] = SoundDevice.all(), input: DeviceSpecification? = nil,
        output: DeviceSpecification? = nil
    ) -> DevicesDocument {
        func document(_ device: SoundDevice, used: DeviceSpecification?) -> DevicesDocument.Device {
            DevicesDocument.Device(
                name: device.specification.description, text: device.text, inUse: device.specification == used)
        }
        return DevicesDocument(
            inputs: devices.filter(\.isInput).map { document($0, used: input) },
            outputs: devices.filter(\.isOutput).map { document($0, used: output) })
    }
}
