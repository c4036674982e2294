import AudioIO
import CLinux
import Carrier
import Channels
import ControlPlane
import Discovery
import Foundation
import Logging
import MediaSocket
import Mesh
import NIOCore
import NIOPosix
import OpusCodec
import Primitives
import Recording
import ServiceLifecycle
import StateStore
import SystemClock
import Voice
import Wire

/// A node whose start has succeeded; as a service it waits for the end and tidies up.
package final class StartedNode: Service {
    private let options: RunOptions
    private let logger: Logger
    private let group: MultiThreadedEventLoopGroup
    private let node: NodeLoop
    private let carrier: CarrierService
    private let control: ControlServer
    private let audio: AudioEngine
    private let recorder: Recorder
    private let state: NodeState
    private let left = AsyncStream<Void>.makeStream()

    /// For a program that runs several nodes, and ends each by its control socket.
    package convenience init(options: RunOptions) async throws {
        try await self.init(options: options, logger: NodeLogging.logger(level: options.logLevel))
    }

    init(options: RunOptions, logger: Logger) async throws {
        self.options = options
        self.logger = logger
        Descriptors.raiseLimit()
        guard let channel = ChannelName(options.channel) else { throw StartError.channelUnreadable }
        let startedAt = Instant.monotonicNow()
        state = try NodeState(folder: options.stateDirectory, unixSeconds: UInt64(Date().timeIntervalSince1970)) {
            OSRandom.bytes(count: 32)
        }
        let remembered = state.database.load()
        for warning in state.warnings { logger.warning("\(warning)") }
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        // All voice passes through the node loop, so it goes before other programs where that is permitted.
        try await loop.submit { _ = linux_thread_set_nice(AudioLimits.niceValue) }.get()
        let inbox = NodeInbox<NodeLoop>(loop: loop)
        let impairment = NetworkImpairment(options, loop: loop)
        let tellEvent: @Sendable (CarrierEvent) -> Void = { event in inbox.deliver { $0.arrived(event) } }
        carrier = try CarrierService(
            identity: state.key, nodeLoop: loop, split: CarrierMessage.singly, onEvent: impairment.events(tellEvent))
        logger.notice("\(options.nick) is \(carrier.node.short), instance \(state.instance)")
        let binding = try await PortBinding.bind(
            options.listen, remembered: remembered.port, carrier: carrier, loop: loop,
            onBatch: impairment.datagrams { batch in inbox.deliverIfOpen { $0.arrived(batch) } })
        state.database.remember(port: binding.port)
        state.database.remember(channel: options.channel)

        let profile = VoiceProfile(options.profile)
        audio = try AudioEngine(
            options.audioConfiguration(profile: profile),
            encoder: try .opus(
                profile: profile, frame: options.frame, bitsPerSecond: options.bitrateKilobits.map { $0 * 1_000 }),
            decoders: try VoiceDecoder.opusForEveryTalker())
        recorder = Recorder(
            ring: audio.recordingRing, control: audio.recordingSwitch, replaySeconds: options.replaySeconds)
        let handler = ControlRequestHandlerBox()
        control = ControlServer(path: options.controlPath) { request in await handler.answer(request) }
        try await control.start()

        let materials = NodeMaterials(
            options: options, channel: channel, remembered: remembered, startedAt: startedAt, logger: logger,
            loop: loop, inbox: inbox, binding: binding, carrier: impairment.carrier(carrier, tellEvent),
            impairment: impairment, audio: audio, recorder: recorder, control: control, state: state)
        node = try await loop.submit { try NodeLoop(of: materials) }.get()
        handler.open(
            ControlRequestHandler(
                node: node,
                description: NodeDescription(
                    options: options, profile: profile, isGuest: state.isGuest,
                    warnings: state.warnings.map(\.description), startedAt: startedAt),
                cut: impairment.cut,
                listDevices: { DevicesReport.document(input: options.input, output: options.output) }))
        try await begin(inbox, remembered: remembered)
    }

    private func begin(_ inbox: NodeInbox<NodeLoop>, remembered: Remembered) async throws {
        let (node, audio, options, left) = (node, audio, options, left.continuation)
        try audio.start()
        try await CapturedFrames.attach(to: audio, loop: node.loop) {
            inbox.deliverIfOpen { $0.drainCaptured() }
        }
        try await node.loop.submit {
            node.onLeft = { left.finish() }
            node.parts.recorder.whenEnded { end in
                node.loop.execute {
                    node.tell(.recordingEnded(end))
                    if !node.isLeaving { node.feed(.command(.setRecording(false))) }
                }
            }
            audio.key.move(to: node.talk.position)
            node.start()
            for peer in remembered.peers where options.discovery != .none {
                node.feed(.discovered(PeerHint(source: .remembered, node: peer.node, endpoints: peer.endpoints)))
            }
            if options.followsBattery {
                node.battery = BatteryWatch(options.powerSupply) { isOnBattery in
                    node.loop.execute { node.savePower(isOnBattery) }
                }
            }
            inbox.watcher = InterfaceWatcher(loop: node.loop) { interfaces in node.interfacesChanged(interfaces) }
            node.loop.scheduleRepeatedTask(initialDelay: .milliseconds(500), delay: .milliseconds(500)) { _ in
                node.reportReception()
                node.watchSound()
            }
            inbox.open(node)
        }.get()
    }

    /// Returns when the node has left the mesh.
    package func run() async throws {
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
        recorder.shutDown()
        let node = node
        try? await node.loop.flatSubmit {
            node.battery = nil
            node.parts.beacon?.close()
            let avahi = node.parts.avahi?.close() ?? node.loop.makeSucceededVoidFuture()
            return avahi.and(node.parts.media.close()).map { _ in }
        }.get()
        state.close()
        try? await group.shutdownGracefully()
        NodeLogging.flush()
    }
}
