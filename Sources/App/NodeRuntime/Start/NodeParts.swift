import AudioIO
import Carrier
import Discovery
import Dispatch
import MediaSocket
import Primitives
import Recording
import StateStore

/// Everything outside Core that the node loop acts on.
struct NodeParts {
    let mesh: String
    /// TCP and UDP.
    let port: UInt16
    /// Where this node listens, when not everywhere.
    let listenAddress: IPAddress?
    let listening: [Endpoint]
    let carrier: any CarrierAdapter
    let media: any MediaAdapter
    /// Nil where the beacon is switched off.
    let beacon: BeaconSocket?
    /// Nil where Avahi is switched off.
    let avahi: AvahiDiscovery?
    let audio: AudioEngine
    let recorder: Recorder
    let store: RememberedPeers
    let state: NodeState
    /// Where this node waits for the disk, in order.
    let disk: DispatchQueue
    let announcer: EventAnnouncer
}
