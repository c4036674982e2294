import AudioIO
import Carrier
import Channels
import ControlPlane
import Discovery
import Dispatch
import Logging
import MediaSocket
import Mesh
import NIOCore
import Node
import Primitives
import Recording
import StateStore
import SystemClock
import TrustCrypto
import Voice

/// What a start has brought together by the time the node loop can be made.
struct NodeMaterials: Sendable {
    let options: RunOptions
    let channel: ChannelName
    let remembered: Remembered
    let startedAt: Instant
    let logger: Logger
    let loop: any EventLoop
    let inbox: NodeInbox<NodeLoop>
    let binding: PortBinding
    let carrier: any CarrierAdapter
    let impairment: NetworkImpairment
    let audio: AudioEngine
    let recorder: Recorder
    let control: ControlServer
    let state: NodeState
    let disk: DispatchQueue
}

extension NodeLoop {
    /// Made on the loop that owns it from its first moment on.
    convenience init(of materials: NodeMaterials) throws {
        let (options, state) = (materials.options, materials.state)
        let sealing = try CryptoSealing(privateKey: state.key, randomBytes: OSRandom.bytes(count:))
        let channel = ChannelID(of: materials.channel, inMesh: options.mesh, sealing: sealing)
        let directory = PeerDirectory(database: state.database, remembered: materials.remembered)
        var configuration = MeshConfiguration(
            mesh: options.mesh, name: options.nick, role: SafeText(""), colour: 0, instance: state.instance,
            bootNonce: BootNonce(number: OSRandom.number()), port: materials.binding.port,
            interfaces: NetworkInterface.current().advertised(listen: options.listen.address), invitations: .open,
            blocked: directory.blocked, reachablePrefixes: options.reach, staticPeers: options.peers,
            channels: [channel], beaconEnabled: options.discovery.usesBeacon)
        configuration.takesPlain = options.isPlain
        let mesh = MeshNode(configuration, sealing: sealing, seed: OSRandom.number(), now: .monotonicNow())
        self.init(
            loop: materials.loop, parts: NodeParts(of: materials, node: sealing.nodeID),
            core: VoiceNode(mesh, voice: VoiceFanOut(channel: channel, channelSlot: 0, wish: options.encoderWish)),
            talk: TalkSwitch(
                mode: options.talk, keyLimit: options.speaking.keyLimit, isHalfDuplex: options.speaking.isHalfDuplex),
            directory: directory)
        beeps = options.beepsOnLoss ? LossBeeps() : nil
    }
}

extension NodeParts {
    fileprivate init(of materials: NodeMaterials, node: NodeID) {
        let (options, inbox, loop) = (materials.options, materials.inbox, materials.loop)
        var beacon: BeaconSocket?
        if options.discovery.usesBeacon {
            beacon = BeaconSocket(loop: loop) { bytes, source in
                inbox.deliver { $0.arrivedBeacon(bytes, from: source) }
            }
        }
        var avahi: AvahiDiscovery?
        if options.discovery.usesAvahi {
            let announcement = ServiceAnnouncement(
                node: node, name: options.nick, mesh: options.mesh, port: materials.binding.port)
            avahi = AvahiDiscovery(loop: loop, announcement: announcement) { service in
                inbox.deliver { $0.arrived(service) }
            }
        }
        self.init(
            mesh: options.mesh, port: materials.binding.port, listenAddress: options.listen.address,
            listening: materials.binding.listening, carrier: materials.carrier,
            media: materials.impairment.media(materials.binding.media.value),
            beacon: beacon, avahi: avahi, audio: materials.audio, recorder: materials.recorder,
            store: RememberedPeers(database: materials.state.database), state: materials.state, disk: materials.disk,
            announcer: EventAnnouncer(
                control: materials.control, logger: materials.logger, startedAt: materials.startedAt))
    }
}
