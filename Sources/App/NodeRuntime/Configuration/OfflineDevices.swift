import AudioIO
package import ControlPlane

/// The sound devices of this machine, listed without a node (`partyline devices`).
package enum OfflineDevices {
    package static func list() -> DevicesDocument {
        let devices = SoundDevice.all()
        func document(_ device: SoundDevice) -> DevicesDocument.Device {
            DevicesDocument.Device(name: device.specification.description, text: device.text)
        }
        return DevicesDocument(
            inputs: devices.filter(\.isInput).map(document), outputs: devices.filter(\.isOutput).map(document))
    }
}
