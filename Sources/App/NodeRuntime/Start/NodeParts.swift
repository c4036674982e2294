import AudioIO
import Carrier
import Discovery
import Dispatch
import MediaSocket
import NIOCore
import Primitives
import Recording
import StateStore
import Wire

/// Everything outside Core that the node loop acts on: the adapters, and what belongs to this machine.
///
/// The events of beacons and Avahi are led to the inbox below. Those of carriers and of the media socket are led there
/// in `StartedNode.init`, because both exist before the node loop.
struct NodeParts {
    let mesh: String
    let isMeshClosed: Bool
    /// The port of both TCP and UDP.
    let port: UInt16
    /// The only address on which this node listens; nil for all.
    let listenAddress: IPAddress?
    let listening: [Endpoint]
    let carrier: any CarrierAdapter
    let media: any MediaAdapter
    /// Nil if the beacon is switched off.
    let beacon: BeaconSocket?
    /// Nil if Avahi is switched off.
    let avahi: AvahiDiscovery?
    let audio: AudioEngine
    let recorder: Recorder
    let state: NodeState
    /// The queue on which this node waits for the disk: its instance and its mesh must be durable before it goes on.
    let disk: DispatchQueue
    /// The queue of the keys of codes and the runs of JOIN. Peers can fill it, so nothing else waits there.
    let slowWork: DispatchQueue
    /// The queue on which sound devices open and close while the node runs, one change at a time.
    let devices = DispatchQueue(label: "partyline.devices")
    /// The queue on which reloads read the files, in the order of the requests.
    let reloading = DispatchQueue(label: "partyline.reload")
    /// Lists sound devices for requests.
    let listing = DeviceListing()
    let announcer: EventAnnouncer
    let log: NodeLog
    /// The time for which the machine has been suspended since it booted.
    let asleep: @Sendable () -> Interval
}

extension NodeParts {
    /// Call it on the node loop. It starts the beacon and Avahi if the options ask for them.
    init(of materials: NodeMaterials) {
        let (options, inbox, loop) = (materials.options, materials.inbox, materials.loop)
        var beacon: BeaconSocket?
        if options.discovery.usesBeacon {
            beacon = BeaconSocket(loop: loop) { bytes, source in
                inbox.deliverIfOpen { $0.arrivedBeacon(bytes, from: source) }
            }
        }
        var avahi: AvahiDiscovery?
        if options.discovery.usesAvahi {
            avahi = AvahiDiscovery(loop: loop) { service in inbox.deliverHint { $0.arrived(service) } }
        }
        self.init(
            mesh: options.mesh, isMeshClosed: materials.mesh != nil, port: materials.binding.port,
            listenAddress: options.listen.address,
            listening: materials.binding.listening, carrier: materials.carrier,
            media: materials.impairment.media(materials.binding.media.value),
            beacon: beacon, avahi: avahi, audio: materials.audio, recorder: materials.recorder,
            state: materials.state, disk: materials.disk, slowWork: materials.slowWork,
            announcer: EventAnnouncer(
                control: materials.control, station: options.name.text, logger: materials.log.logger,
                startedAt: materials.startedAt),
            log: materials.log,
            asleep: materials.asleep)
    }
}
