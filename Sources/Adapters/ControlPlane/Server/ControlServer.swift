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
    private let handler: Handler
    private let group: MultiThreadedEventLoopGroup
    private let clients: NIOLoopBoundBox<ControlClients>
    private let loopHandler: LoopHandler
    private let gate = EventGate()

    /// - Parameters:
    ///   - path: the path of the socket file. Its folder is made if it is missing.
    ///   - user: the user whose processes are served. Only tests pass another than the user of this process.
    ///   - lastReadMillisecondsMax: as `ControlLimits` has it. Only tests pass another.
    ///   - handler: answers one request. It may be called on any thread, and for requests of several clients at once.
    ///     For one client it is called again when its last reply has been sent.
    package init(
        path: String, user: UInt32 = geteuid(),
        lastReadMillisecondsMax: Int64 = ControlLimits.lastReadMillisecondsMax, handler: @escaping Handler
    ) {
        self.path = path
        self.user = user
        self.lastReadMillisecondsMax = lastReadMillisecondsMax
        self.handler = handler
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        clients = .makeBoxSendingValue(ControlClients(), eventLoop: group.next())
        loopHandler = LoopHandler(to: group.next())
    }

    /// Binds and listens. The socket file of a dead node is replaced. Call it once.
    ///
    /// - Throws: `pathTooLong`; `taken` if a living node listens there; `notASocket`; `system` for other errors.
    package func start() async throws(ControlSocketError) {
        let socket = try ListeningSocket(SocketPath(path))
        let (user, handler, clients, loopHandler, gate) = (user, handler, clients, loopHandler, gate)
        let lastReadMax = TimeAmount.milliseconds(lastReadMillisecondsMax)
        let bootstrap = ServerBootstrap(group: group)
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
        do {
            let channel = try await bootstrap.withBoundSocket(socket.descriptor).get()
            let loop = group.next()
            try await loop.submit { [inode = socket.inode] in
                clients.value.listener = (channel, inode)
            }.get()
        } catch {
            ListeningSocket.removeFile(at: path, inode: socket.inode)
            throw .system(operation: "serve", path: path, errorNumber: (error as? IOError)?.errnoCode ?? EIO)
        }
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
                ListeningSocket.removeFile(at: path, inode: listener.inode)
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

    var listener: (channel: any Channel, inode: UInt64)?
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
