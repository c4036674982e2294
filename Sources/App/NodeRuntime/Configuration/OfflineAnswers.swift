import AlsaAudio
package import ControlPlane
package import Primitives
import StateStore
import TrustCrypto

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

/// Who a node will be, read from its state folder while it does not run (`partyline id`).
package struct OfflineIdentity: Sendable {
    package let node: NodeID
    /// The last start's instance; nil where the counter is lost.
    package let instance: Instance?

    /// Nil where the folder holds no whole key; a node that starts there makes one.
    package static func read(stateDirectory: String) -> OfflineIdentity? {
        guard let stored = try? StoredIdentity.read(folder: stateDirectory),
            // Nothing is signed or sealed with it, so no randomness is ever asked for.
            let sealing = try? CryptoSealing(privateKey: stored.key, randomBytes: { Array(repeating: 0, count: $0) })
        else { return nil }
        return OfflineIdentity(node: sealing.nodeID, instance: stored.instance)
    }
}
