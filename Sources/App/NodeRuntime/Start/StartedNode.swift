import AudioIO
import CLinux
import Carrier
import ControlPlane
import Discovery
import Dispatch
import Foundation
import Logging
import MediaSocket
import Mesh
import NIOBridge
import NIOCore
import NIOPosix
import OpusCodec
package import Primitives
import Recording
import ServiceLifecycle
import StateStore
import SystemClock
import Voice
import Wire

/// A node that has started: Core, its adapters and their threads (docs/ARCHITECTURE.md, "What each module is"). As a
/// service it waits until the node leaves, and then ends every part.
///
/// Start: state and keys → ports → sound and control socket → mesh and discovery. Then the audio threads run, the mesh
/// begins, and remembered peers are dialled. If something is missing (a sound card, Avahi, a network, a writable
/// folder), the node starts all the same and `status` shows a warning. If a person must decide (name in use, port
/// taken), the start fails.
///
/// End: the node says good-bye. Then its parts end in reverse order: discovery → control socket → sound → recording →
/// ports → state. A part that hangs, such as one whose disk does not answer, holds up no other (`Endings`).
///
/// It uses no state of its process. So a program may run several nodes, each with its own name, state folder, control
/// socket and devices.
package final class StartedNode: Service {
    private let id: NodeID
    private let node: NodeLoop
    private let log: NodeLog
    private let handler: ControlRequestHandler
    private let endings: Endings
    private let left = AsyncStream<Void>.makeStream()

    /// Starts a node. Its control socket ends it, or a graceful shutdown of the task that runs it. A start that fails
    /// leaves only files in the state folder.
    ///
    /// - Parameter asleep: the time for which the machine has been suspended since it booted; nil to ask the system.
    /// - Throws: `StateFolderTaken`; `MeshFileFault`; `CarrierError`, `MediaSocketError` or `PortsTaken` of
    ///   the ports; `ControlSocketError`; `OpusError`; `AudioThreadError`, `EventDescriptorError` or an `IOError` if no
    ///   more threads or files can be had.
    package static func start(
        _ options: RunOptions, asleep: (@Sendable () -> Interval)? = nil
    ) async throws -> StartedNode {
        let log = NodeLog(
            level: options.logLevel, form: options.logForm, of: options.feedsProgramme ? "programme" : nil)
        var endings = Endings { part in
            log.logger.warning("\(part) has not ended in time, perhaps because a disk does not answer")
        }
        endings.appendBlocking("the log") { log.flush() }
        do {
            return try await StartedNode(
                options, asleep: asleep ?? { Interval.asleepSinceBoot() }, log: log, endings: &endings)
        } catch {
            await endings.run()
            throw error
        }
    }

    private init(
        _ options: RunOptions, asleep: @escaping @Sendable () -> Interval, log: NodeLog, endings: inout Endings
    ) async throws {
        self.log = log
        let startedAt = Instant.monotonicNow()
        let state = try await BlockingWork.result { try StartedNode.state(options, log) }
        endings.appendBlocking("the state database") { state.close() }
        let mesh = try await BlockingWork.result { try options.closedMesh() }
        let slowWork = DispatchQueue(label: "partyline.codes")
        let (remembered, codeWarnings) = await StartedNode.remembered(by: state, mesh, options, log, slowWork)
        StartedNode.tell(mesh, options, state.warnings, log)
        let options = options.recalling(remembered).inside(mesh)
        let (loop, requestLoop) = try await StartedNode.makeLoop(&endings)
        let disk = DispatchQueue(label: "partyline.instance")
        endings.appendBlocking("the work with codes") { slowWork.sync {} }
        endings.appendBlocking("the work with the instance counter and the mesh file") { disk.sync {} }
        let inbox = NodeInbox<NodeLoop>(loop: loop)
        let impairment = NetworkImpairment(options, loop: loop)
        let tellEvent: @Sendable (CarrierEvent) -> Void = { event in inbox.deliver { $0.arrived(event) } }
        let carrier = try CarrierService(
            identity: state.key, nodeLoop: loop, split: CarrierMessage.singly, onEvent: impairment.events(tellEvent))
        endings.append("the TCP port") { await carrier.shutdown() }
        let name = options.startProfile(remembered.profile).name
        log.logger.notice("\(name) is \(carrier.node.short), instance \(state.instance)")
        let binding = try await PortBinding.bind(
            options.listen, remembered: remembered.port, carrier: carrier, loop: loop,
            onBatch: impairment.datagrams { batch in inbox.deliverIfOpen { $0.arrived(batch) } })
        endings.append("the UDP port") { try? await loop.flatSubmit { binding.media.value.close() }.get() }
        state.database.remember(port: binding.port)

        let profile = VoiceProfile(options.profile)
        let audio = try AudioEngine(options, profile: profile)
        let recorder = Recorder(
            ring: audio.recordingRing, control: audio.recordingSwitch, replaySeconds: options.replaySeconds)
        endings.appendBlocking("the recording") { recorder.shutDown() }
        endings.appendBlocking("the sound") { StartedNode.stop(audio, log) }
        let handler = ControlRequestHandlerBox()
        let control = try await ControlPlace.open(options, tells: { log.tell($0) }) { await handler.answer($0) }
        try await BlockingWork.result { state.showNode(at: control.path) }
        endings.append("the control socket") {
            await control.close()
            handler.close()
        }
        // It waits for the disk. It must end before the control socket: else a command could believe that this node
        // goes on, and has only lost its socket.
        endings.appendBlocking("the lock file") { state.showNode(at: nil) }
        for warning in control.warnings { log.logger.warning("\(warning)") }

        let materials = NodeMaterials(
            options: options, mesh: mesh, remembered: remembered, startedAt: startedAt, log: log,
            loop: loop, inbox: inbox, binding: binding, carrier: impairment.carrier(carrier, tellEvent),
            impairment: impairment, audio: audio, recorder: recorder, control: control.server,
            state: state, disk: disk, slowWork: slowWork, asleep: asleep)
        let node = try await loop.submit { try NodeLoop(of: materials) }.get()
        endings.append("discovery") { await StartedNode.endArrivals(of: node, inbox) }
        self.handler = ControlRequestHandler(
            node: node, loop: requestLoop, state: state.database,
            description: NodeDescription(options, profile, state, control, codeWarnings, startedAt: startedAt),
            cut: impairment.cut)
        (id, self.node, self.endings) = (carrier.node, node, endings)
        try await begin(options, inbox, remembered: remembered)
        // Requests are served from here on: one that ends the node, or talks, needs all that begins above.
        handler.open(self.handler)
    }

    /// Makes the node loop, and the gate before it for requests, which may outlive it.
    private static func makeLoop(
        _ endings: inout Endings
    ) async throws -> (loop: any EventLoop, ofRequests: LoopHandler) {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let ofRequests = LoopHandler(to: loop)
        endings.append("the node loop") {
            ofRequests.shut()
            try? await group.shutdownGracefully()
        }
        // All voice passes through the node loop, so its thread gets a higher priority if that is permitted.
        try await loop.submit { _ = linux_thread_set_nice(AudioLimits.niceValue) }.get()
        return (loop, ofRequests)
    }

    /// Opens the state folder. While it does not answer, the start waits, and the log says so.
    private static func state(_ options: RunOptions, _ log: NodeLog) throws(StateFolderTaken) -> NodeState {
        let folder = options.stateDirectory
        return try SlowFolder.watched(
            tell: { log.logger.warning("\(SlowFolder.words(folder))") },
            { () throws(StateFolderTaken) in
                try NodeState(folder: folder, unixSeconds: WallTime.seconds()) { OSRandom.bytes(count: 32) }
            })
    }

    /// Returns everything that the state folder has kept, with the codes of channels from files, and the warnings of
    /// these files.
    private static func remembered(
        by state: NodeState, _ mesh: StoredMesh?, _ options: RunOptions, _ log: NodeLog, _ slowWork: DispatchQueue
    ) async -> (remembered: Remembered, codeWarnings: [String]) {
        var remembered = state.database.atOpening
        let ofFiles = await withCheckedContinuation { continuation in
            slowWork.async { continuation.resume(returning: options.channelCodes(in: mesh, key: state.key)) }
        }
        for warning in ofFiles.warnings { log.logger.warning("\(warning)") }
        remembered.add(ofFiles.codes)
        return (remembered, ofFiles.warnings)
    }

    /// Tells whether the mesh is open, which settings do not count in it, and the faults of the state folder.
    private static func tell(
        _ mesh: StoredMesh?, _ options: RunOptions, _ warnings: [StateWarning], _ log: NodeLog
    ) {
        log.logger.notice("\(StartedNode.access(mesh, options).line)")
        if let warning = mesh.flatMap({ options.overruledName(in: $0.name) }) { log.logger.warning("\(warning)") }
        for warning in warnings { log.logger.warning("\(warning)") }
    }

    /// Stops the sound. A device whose driver does not return is left open until the process ends.
    private static func stop(_ audio: AudioEngine, _ log: NodeLog) {
        for device in audio.stop() {
            log.logger.warning("the sound device \(device) does not answer, so it is not closed")
        }
    }

    private static func access(_ mesh: StoredMesh?, _ options: RunOptions) -> MeshAccess {
        MeshAccess(mesh: mesh?.name ?? options.mesh, isClosed: mesh != nil, admission: options.admission)
    }

    private func begin(_ options: RunOptions, _ inbox: NodeInbox<NodeLoop>, remembered: Remembered) async throws {
        let (node, audio, left) = (node, node.parts.audio, left.continuation)
        try audio.start()
        try await CapturedFrames.attach(to: audio, loop: node.loop) {
            inbox.deliverIfOpen { $0.drainCaptured() }
        }
        try await node.loop.submit {
            node.onLeft = { left.finish() }
            node.parts.recorder.whenChanged { [weak node] change in
                guard let node else { return }
                node.loop.execute { node.follow(change) }
            }
            audio.keys.move(to: node.talk.gateKeys)
            node.start()
            // Without discovery, this node first dials only the addresses that its person has given.
            for peer in remembered.peers where options.discovery != .none {
                node.feed(.discovered(PeerHint(source: .remembered, node: peer.node, endpoints: peer.endpoints)))
            }
            node.battery = BatteryWatch(options.powerSupply) { reading in
                node.loop.execute { node.follow(reading) }
            }
            inbox.watcher = InterfaceWatcher(loop: node.loop) { interfaces in node.interfacesChanged(interfaces) }
            node.loop.scheduleRepeatedTask(initialDelay: .milliseconds(500), delay: .milliseconds(500)) { _ in
                node.reportReception()
                node.lookAround()
                node.tellTime()
            }
            inbox.open(node)
            // The inbox was not open yet and has dropped the wake-up of the capture thread, which sends no other one
            // until its frames are drained.
            node.drainCaptured()
        }.get()
    }

    /// Returns when the node has left the mesh and all its parts have ended, within two seconds of the order to leave;
    /// a second later if a sound device does not answer, and `Endings.secondsMax` later for each other part that hangs.
    /// Never throws, though `Service` permits it.
    package func run() async throws {
        let (node, left) = (node, left)
        await withGracefulShutdownHandler {
            for await _ in left.stream {}
        } onGracefulShutdown: {
            node.loop.execute { node.leave() }
        }
        log.logger.notice("leaving")
        await endings.run()
    }

    /// Reads the files again, and applies what has changed in them. The log has the results.
    func reload() async {
        do throws(ControlFailure) {
            let outcome = try await handler.carryOut(ReloadRequest())
            for mistake in outcome.mistakes + outcome.refused { log.logger.error("reload: \(mistake)") }
            for key in outcome.needsRestart { log.logger.warning("reload: \(key) needs a restart") }
            for change in outcome.changed { log.logger.notice("reload: \(change)") }
            if let why = outcome.notKept { log.logger.warning("reload: \(why)") }
        } catch {
            log.logger.error("reload: \(error.message)")
        }
    }

    /// Ends the node, as its control socket does.
    func leave() { node.loop.execute { [node] in node.leave() } }

    /// From now on the health of this node reports a lost source of its programme. When its person changes the code,
    /// the programme is not left behind. It is announced if this node is. `feed` is the node in this process that
    /// feeds the programme.
    package func watchProgramme(of feed: StartedNode) {
        let advertise: @Sendable (Bool) -> Void = { [loop = feed.handler.loop, node = feed.node] isAdvertised in
            loop.execute { node.advertise(isAdvertised) }
        }
        let programme = (node: feed.id, audio: feed.node.parts.audio, log: feed.log, advertise: advertise)
        node.loop.execute { [node] in
            node.programme = programme
            // A reload or `advertise off` may have come before.
            programme.log.setLevel(node.options.logLevel)
            programme.advertise(node.isAdvertised)
        }
    }

    /// An address at which other nodes on this machine reach this node.
    var endpoint: Endpoint {
        Endpoint(address: node.parts.listenAddress ?? IPAddress(v4: 127, 0, 0, 1), port: node.parts.port)
    }

    /// The log for libraries. It takes only errors.
    var libraryLogger: Logger { log.quietLogger }

    private static func endArrivals(of node: NodeLoop, _ inbox: NodeInbox<NodeLoop>) async {
        try? await node.loop.flatSubmit {
            inbox.close()
            node.battery = nil
            node.parts.beacon?.close()
            return node.parts.avahi?.close() ?? node.loop.makeSucceededVoidFuture()
        }.get()
    }
}

extension NodeLog {
    /// Tells that the socket file is lost, or there again.
    fileprivate func tell(_ change: ControlSocketChange) {
        switch change {
        case .lost: logger.warning("\(change)")
        case .back: logger.notice("\(change)")
        }
    }
}

extension Remembered {
    /// A code from a file replaces the code that the state folder has kept for the same channel.
    fileprivate mutating func add(_ codes: [RememberedCode]) {
        channelCodes.removeAll { kept in codes.contains { $0.channel == kept.channel } }
        channelCodes += codes
    }
}

extension AudioEngine {
    fileprivate convenience init(_ options: RunOptions, profile: VoiceProfile) throws {
        try self.init(
            options.audioConfiguration(profile: profile),
            encoder: try .opus(
                profile: profile, frame: options.frame, bitsPerSecond: options.bitrateKilobits.map { $0 * 1_000 }),
            decoders: try VoiceDecoder.opusForEveryTalker())
    }
}
