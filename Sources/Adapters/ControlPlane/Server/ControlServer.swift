import CLinux
import Glibc
import NIOBridge
import NIOCore
import NIOPosix
import Synchronization

/// The node's end of the control socket: JSON-RPC 2.0, one line for each message, on an event loop of its own.
///
/// Only processes of the same user are served (SO_PEERCRED, unix(7)). A client that misbehaves or does not read
/// disturbs neither another client nor the node (bounds: `ControlLimits`).
package final class ControlServer: Sendable {
    /// Answers one request.
    package typealias Handler = @Sendable (ControlCall) async -> ControlReply

    private let path: String
    private let user: UInt32
    private let lastReadMillisecondsMax: Int64
    private let lookMilliseconds: Int64
    private let handler: Handler
    private let group: MultiThreadedEventLoopGroup
    private let clients: NIOLoopBoundBox<ControlClients>
    private let loopHandler: LoopHandler
    private let gate = EventGate()

    /// - Parameters:
    ///   - path: the path of the socket file. Its folder is made if it is missing.
    ///   - user: the user whose processes are served. Only tests pass another than the user of this process.
    ///   - lastReadMillisecondsMax: as `ControlLimits` has it. Only tests pass another.
    ///   - lookMilliseconds: as `ControlLimits` has it. Only tests pass another.
    ///   - handler: answers one request. It may be called on any thread, and for requests of several clients at once.
    ///     For one client it is called again when its last reply has been sent.
    package init(
        path: String, user: UInt32 = geteuid(),
        lastReadMillisecondsMax: Int64 = ControlLimits.lastReadMillisecondsMax,
        lookMilliseconds: Int64 = ControlLimits.lookMilliseconds, handler: @escaping Handler
    ) {
        self.path = path
        self.user = user
        self.lastReadMillisecondsMax = lastReadMillisecondsMax
        self.lookMilliseconds = lookMilliseconds
        self.handler = handler
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        clients = .makeBoxSendingValue(ControlClients(), eventLoop: group.next())
        loopHandler = LoopHandler(to: group.next())
    }

    /// Removes the socket file of a dead node, but never that of a living one.
    ///
    /// - Throws: `pathTooLong`; `taken` if a living node listens there; `notASocket`; `system` for other errors.
    package static func removeStale(at path: String) throws(ControlSocketError) {
        try ListeningSocket.removeStale(SocketPath(path))
    }

    /// Binds and listens. The socket file of a dead node is replaced. If the socket file is removed later, it is made
    /// again. Call it once.
    ///
    /// - Parameter tells: is called when the socket file is lost, and when it is there again.
    /// - Throws: `pathTooLong`; `taken` if a living node listens there; `notASocket`; `system` for other errors.
    package func start(
        tells: @escaping @Sendable (ControlSocketChange) -> Void = { _ in }
    ) async throws(ControlSocketError) {
        let socket = try ListeningSocket(SocketPath(path))
        do {
            try await serve(at: socket).get()
        } catch {
            throw refusal(error)
        }
        let interval = TimeAmount.milliseconds(lookMilliseconds)
        group.next().scheduleRepeatedTask(initialDelay: interval, delay: interval) { [self] _ in look(tells) }
    }

    /// Accepts clients at a socket from now on, and no longer at the one before. Clients that are connected stay so. If
    /// it fails, the file of the socket is removed.
    private func serve(at socket: ListeningSocket) -> EventLoopFuture<Void> {
        let (clients, path) = (clients, path)
        return bootstrap.withBoundSocket(socket.descriptor).map { channel -> Void in
            clients.value.listener?.channel.close(promise: nil)
            clients.value.listener = (channel, socket)
            guard !clients.value.isServing else { return }
            socket.removeFile(at: path)
            channel.close(promise: nil)
        }.flatMapErrorThrowing { error in
            socket.removeFile(at: path)
            throw error
        }
    }

    private var bootstrap: ServerBootstrap {
        let (user, handler, clients, loopHandler, gate) = (user, handler, clients, loopHandler, gate)
        let lastReadMax = TimeAmount.milliseconds(lastReadMillisecondsMax)
        return ServerBootstrap(group: group)
            .childChannelOption(.writeBufferWaterMark, value: ControlServer.waterMark)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                ControlServer.peerUser(of: channel).flatMap { peer in
                    guard peer == user else { return channel.close() }
                    return channel.eventLoop.makeCompletedFuture {
                        let client = ControlConnection(
                            clients: clients, loop: channel.eventLoop, loopHandler: loopHandler, gate: gate,
                            lastReadMax: lastReadMax, handler: handler)
                        try channel.pipeline.syncOperations.addHandler(client)
                    }
                }
            }
    }

    private func refusal(_ error: any Error) -> ControlSocketError {
        .system(operation: "serve", path: path, errorNumber: (error as? IOError)?.errnoCode ?? EIO)
    }

    /// Checks whether the path still leads to the socket. If it does not, a new socket is bound there: the system
    /// removes the folder when its user logs out, and without the file nobody could end a node, or close its
    /// microphone. Call it on the event loop.
    private func look(_ tells: @escaping @Sendable (ControlSocketChange) -> Void) {
        guard clients.value.isServing, let socket = clients.value.listener?.socket else { return }
        guard !socket.isFile(at: path) else {
            if clients.value.isFileLost { note(nil, tells) }
            return
        }
        do throws(ControlSocketError) {
            let next = try ListeningSocket(SocketPath(path), inFolderOf: socket.folderOwner)
            // The next look must know the new file, also if the new channel is not there yet.
            clients.value.listener?.socket = next
            serve(at: next).whenComplete { [self] result in
                switch result {
                case .success: note(nil, tells)
                case .failure(let error): note(refusal(error), tells)
                }
            }
        } catch {
            note(error, tells)
        }
    }

    /// Tells that the socket file is there again, or that it is lost. A loss is told only once.
    ///
    /// - Parameter error: why there can be no socket for now; nil if there is one again.
    private func note(_ error: ControlSocketError?, _ tells: @Sendable (ControlSocketChange) -> Void) {
        guard clients.value.isServing, error == nil || !clients.value.isFileLost else { return }
        clients.value.isFileLost = error != nil
        tells(error.map { ControlSocketChange.lost(path: path, $0) } ?? .back(path: path))
    }

    /// Sends a notification to every client that has subscribed to events of this kind. A client that does not read is
    /// dropped. An event is dropped if `ControlLimits.eventsWaitingMax` events wait already. Any thread may call it. It
    /// returns at once, and does nothing after the server has stopped.
    package func publish(_ event: some Codable & Sendable, kind: String) {
        guard gate.enter() else { return }
        let (clients, gate) = (clients, gate)
        loopHandler.execute {
            gate.leave()
            let wanting = clients.value.connections.filter { $0.subscription?.wants(kind) == true }
            guard !wanting.isEmpty else { return }
            let line = ByteBuffer(bytes: ControlCodec.line(event: event))
            for client in wanting { client.send(line) }
        }
    }

    /// Removes the socket file, waits for requests in flight (`ControlLimits.drainMillisecondsMax`), then
    /// closes every client. Later replies and events are dropped.
    package func stop() async {
        let (clients, path, loop) = (clients, path, group.next())
        try? await loop.flatSubmit {
            if let listener = clients.value.listener {
                listener.socket.removeFile(at: path)
                listener.channel.close(promise: nil)
            }
            return ControlServer.drain(clients, on: loop)
        }.get()
        loopHandler.shut()
        try? await group.shutdownGracefully()
    }

    private static func drain(
        _ clients: NIOLoopBoundBox<ControlClients>, on loop: any EventLoop
    ) -> EventLoopFuture<Void> {
        let drained = loop.makePromise(of: Void.self)
        let timer = loop.scheduleTask(in: .milliseconds(ControlLimits.drainMillisecondsMax)) {
            clients.value.endDraining()?.succeed()
        }
        clients.value.drain(drained)?.succeed()
        return drained.futureResult.map {
            timer.cancel()
            for client in clients.value.connections { client.close() }
        }
    }

    private static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(
        low: ControlLimits.unreadBytesMax / 2, high: ControlLimits.unreadBytesMax)

    private static func peerUser(of channel: any Channel) -> EventLoopFuture<UInt32?> {
        guard let socket = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeSucceededFuture(nil)
        }
        let credentials: EventLoopFuture<linux_peercred> = socket.unsafeGetSocketOption(
            level: NIOBSDSocket.OptionLevel(rawValue: linux_peercred_level),
            name: NIOBSDSocket.Option(rawValue: linux_peercred_name))
        return credentials.map { $0.user }
    }
}

/// What becomes of the socket file of a server that runs.
package enum ControlSocketChange: Hashable, Sendable, CustomStringConvertible {
    /// The path no longer leads to the socket, and for now there can be no new one.
    case lost(path: String, ControlSocketError)
    /// The path leads to the socket again.
    case back(path: String)

    package var description: String {
        switch self {
        case .lost(let path, let error):
            "the control socket \(path) was removed, and no command reaches this node until it can be made again: "
                + "\(error)"
        case .back(let path): "the control socket \(path) was removed, and is there again"
        }
    }
}

/// Decides whether an event is encoded: only if a client has subscribed, and not too many other events wait.
///
/// Peers cause events, and may cause many. So events must not be encoded if there is no client, and the queue of events
/// must have a bound. A gap in `sequence` shows a client that an event was dropped.
package final class EventGate: Sendable {
    private let subscribers = Atomic<Int>(0)
    private let waiting = Atomic<Int>(0)

    package init() {}

    /// Call it when a client subscribes.
    package func subscribed() { subscribers.wrappingAdd(1, ordering: .relaxed) }

    /// Call it when a client that had subscribed is gone.
    package func unsubscribed() { subscribers.wrappingSubtract(1, ordering: .relaxed) }

    /// Takes a place for one event, which `leave` gives back. False if the event must not be sent.
    package func enter() -> Bool {
        guard 0 < subscribers.load(ordering: .relaxed) else { return false }
        guard waiting.wrappingAdd(1, ordering: .relaxed).newValue <= ControlLimits.eventsWaitingMax else {
            leave()
            return false
        }
        return true
    }

    /// Gives back the place of an event that is encoded now.
    package func leave() { waiting.wrappingSubtract(1, ordering: .relaxed) }
}

/// The connected clients and the number of their open requests. Used on the server's event loop only.
///
///     serving ──drain──▶ draining ──last request answered · time over──▶ ended
struct ControlClients {
    private enum Phase {
        case serving
        case draining(EventLoopPromise<Void>)
        case ended
    }

    var listener: (channel: any Channel, socket: ListeningSocket)?
    /// Whether the socket file is lost, and that was told.
    var isFileLost = false
    var connections: [ControlConnection] = []
    /// Requests in flight of all clients, including clients that have gone meanwhile.
    private var requestsInFlight = 0
    private var phase = Phase.serving

    var isServing: Bool {
        if case .serving = phase { true } else { false }
    }

    mutating func requestBegan() { requestsInFlight += 1 }

    /// - Returns: a promise to fulfil after the reply has been sent, and outside of any access to these clients.
    mutating func requestEnded() -> EventLoopPromise<Void>? {
        requestsInFlight -= 1
        return requestsInFlight == 0 ? endDraining() : nil
    }

    /// Accepts no further requests. `drained` is to be fulfilled when no request is in flight.
    ///
    /// - Returns: as `requestEnded`.
    mutating func drain(_ drained: EventLoopPromise<Void>) -> EventLoopPromise<Void>? {
        phase = .draining(drained)
        return requestsInFlight == 0 ? endDraining() : nil
    }

    /// - Returns: as `requestEnded`.
    mutating func endDraining() -> EventLoopPromise<Void>? {
        guard case .draining(let drained) = phase else { return nil }
        phase = .ended
        return drained
    }
}
