import AlsaAudio
package import ControlPlane

/// The sound devices of this machine, listed without a node (`partyline devices`).
package enum OfflineDevices {
    package static func list() -> DevicesDocument {
        let devices = AlsaDevice.list()
        func document(_ device: AlsaDevice) -> DevicesDocument.Device {
            DevicesDocument.Device(name: "alsa:\(device.name)", text: device.summary)
        }
        return DevicesDocument(
            inputs: devices.filter { $0.direction != .playback }.map(document),
            outputs: devices.filter { $0.direction != .capture }.map(document))
    }
}
