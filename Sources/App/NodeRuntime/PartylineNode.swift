import Carrier
import Channels
import ControlPlane
import Discovery
import Foundation
import Glibc
import Logging
import MediaSocket
import Mesh
import NIOCore
import NIOPosix
import OpusCodec
import Primitives
import ServiceLifecycle
import StateStore
import TrustCrypto
import UnixSignals
import Voice

/// A whole node: Core, its adapters and their threads (docs/ARCHITECTURE.md, "The node").
///
/// Start: state → keys → sound → ports → control socket → mesh → discovery. End: good-bye →
/// carriers flushed → sound → state. A lack on the way (no sound card, no Avahi, no network, no
/// writable folder) is a warning in `status`; what a person must decide (name in use, port taken)
/// ends the start with a clear error.
package struct PartylineNode: Sendable {
    private let options: RunOptions

    package init(options: RunOptions) { self.options = options }

    /// Returns when the node has left the mesh.
    package func run() async throws {
        let logger = NodeLogging.logger(level: options.logLevel)
        let node = try await StartedNode(options: options, logger: logger)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: node, successTerminationBehavior: .gracefullyShutdownGroup)
                ],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: NodeLogging.quiet(logger)))
        try await group.run()
    }
}

/// A node whose start has succeeded; as a service it waits for the end and tidies up.
private final class StartedNode: Service {
    private let options: RunOptions
    private let logger: Logger
    private let group: MultiThreadedEventLoopGroup
    private let node: NodeLoop
    private let carrier: CarrierService
    private let control: ControlServer
    private let audio: AudioEngine
    private let state: NodeState
    private let left = AsyncStream<Void>.makeStream()

    init(options: RunOptions, logger: Logger) async throws {
        self.options = options
        self.logger = logger
        Descriptors.raiseLimit()
        let startedAt = MonotonicClock.now()
        state = try NodeState(folder: options.stateDirectory, unixSeconds: UInt64(Date().timeIntervalSince1970)) {
            OSRandom.bytes(count: 32)
        }
        let remembered = state.database.load()
        for warning in state.warnings { logger.warning("\(warning)") }
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let inbox = NodeInbox(loop: loop)
        carrier = try CarrierService(identity: state.key, nodeLoop: loop) { event in inbox.deliver { $0.arrived(event) } }
        logger.notice("\(options.nick) is \(carrier.node.short), instance \(state.instance)")
        let binding = try await PortBinding.bind(
            options.listen, remembered: remembered.port, carrier: carrier, loop: loop
        ) { batch in
            inbox.deliver { node in
                node.turn(now: batch.arrivedAt) {
                    for datagram in batch.datagrams {
                        node.arrivedDatagram(datagram.bytes, from: datagram.from, at: batch.arrivedAt)
                    }
                }
            }
        }
        state.database.remember(port: binding.port)
        state.database.remember(channel: options.channel)

        let profile = VoiceProfile(options.profile)
        audio = try AudioEngine(
            options.audioConfiguration(profile: profile),
            encoder: try .opus(profile: profile, bitsPerSecond: options.bitrateKilobits.map { $0 * 1_000 }),
            decoders: try VoiceDecoder.opusForEveryTalker())
        let desk = ControlDeskBox()
        control = ControlServer(path: options.controlPath) { request in await desk.answer(request) }
        try await control.start()

        guard let channelName = ChannelName(options.channel) else { throw StartError.channelUnreadable }
        let (audio, carrier, control, state) = (audio, carrier, control, state)
        // Made on the loop that owns them from their first moment on.
        node = try await loop.submit {
            let sealing = try CryptoSealing(privateKey: state.key, randomBytes: OSRandom.bytes(count:))
            let channel = ChannelID(of: channelName, inMesh: options.mesh, sealing: sealing)
            let directory = PeerDirectory(database: state.database, remembered: remembered)
            let discovery = options.discovery
            let listen = options.listen.address
            let announcement = ServiceAnnouncement(
                node: sealing.nodeID, name: options.nick, mesh: options.mesh, port: binding.port)
            let parts = NodeParts(
                mesh: options.mesh, port: binding.port, listenAddress: listen, listening: binding.listening,
                carrier: carrier, media: binding.media.value,
                beacon: discovery.usesBeacon
                    ? BeaconSocket(loop: loop) { bytes, source in inbox.deliver { $0.arrivedBeacon(bytes, from: source) } }
                    : nil,
                avahi: discovery.usesAvahi
                    ? AvahiDiscovery(loop: loop, announcement: announcement) { service in
                        inbox.deliver { $0.arrived(service) }
                    } : nil,
                audio: audio, store: RememberedPeers(database: state.database),
                announcer: EventAnnouncer(control: control, logger: logger, startedAt: startedAt))
            let configuration = MeshConfiguration(
                mesh: options.mesh, name: options.nick, role: SafeText(""), colour: 0, instance: state.instance,
                bootNonce: BootNonce(number: OSRandom.number()), port: binding.port,
                interfaces: NetworkInterface.current().advertised(listen: listen), invitations: .open,
                blocked: directory.blocked, reachablePrefixes: [], staticPeers: options.peers, channels: [channel],
                beaconEnabled: discovery.usesBeacon)
            return NodeLoop(
                loop: loop, parts: parts,
                mesh: MeshNode(configuration, sealing: sealing, seed: OSRandom.number(), now: MonotonicClock.now()),
                talk: TalkSwitch(mode: options.talk), voice: VoiceFanOut(channel: channel, channelSlot: 0),
                directory: directory)
        }.get()
        desk.open(
            ControlDesk(
                node: node,
                description: NodeDescription(
                    options: options, profile: profile, isGuest: state.isGuest,
                    warnings: state.warnings.map(\.description), startedAt: startedAt),
                listDevices: OfflineDevices.list))
        try await begin(inbox, remembered: remembered)
    }

    private func begin(_ inbox: NodeInbox, remembered: Remembered) async throws {
        let (node, audio, options, left) = (node, audio, options, left.continuation)
        try audio.start()
        try await CapturedFrames.attach(to: audio, loop: node.loop) { inbox.deliver { $0.drainCaptured() } }
        try await node.loop.submit {
            node.onLeft = { left.finish() }
            audio.setTalking(node.talk.isTalking)
            inbox.open(node)
            node.start()
            for peer in remembered.peers where options.discovery != .none {
                node.feed(.discovered(PeerHint(source: .remembered, node: peer.node, endpoints: peer.endpoints)))
            }
            inbox.watcher = InterfaceWatcher(loop: node.loop) { interfaces in node.interfacesChanged(interfaces) }
            node.loop.scheduleRepeatedTask(initialDelay: .milliseconds(500), delay: .milliseconds(500)) { _ in
                node.reportReception()
            }
        }.get()
    }

    func run() async throws {
        let (node, left) = (node, left)
        await withGracefulShutdownHandler {
            for await _ in left.stream {}
        } onGracefulShutdown: {
            node.loop.execute { node.leave() }
        }
        await end()
    }

    /// Everything in reverse, within two seconds.
    private func end() async {
        logger.notice("leaving")
        await control.stop()
        await carrier.shutdown()
        audio.stop()
        let node = node
        try? await node.loop.flatSubmit {
            node.parts.beacon?.close()
            let avahi = node.parts.avahi?.close() ?? node.loop.makeSucceededVoidFuture()
            return avahi.and(node.parts.media.close()).map { _ in }
        }.get()
        state.database.flush()
        try? await group.shutdownGracefully()
    }
}

/// What ends a start besides the errors of the parts.
package enum StartError: Error, Hashable, Sendable, CustomStringConvertible {
    case channelUnreadable

    package var description: String {
        switch self {
        case .channelUnreadable: "the channel's name holds nothing that can be shown"
        }
    }
}
