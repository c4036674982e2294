import NIOBridge
import NIOCore
import NIOPosix
import Primitives

func anyLoop() -> any EventLoop { MultiThreadedEventLoopGroup.singleton.next() }

/// A TCP server without TLS: says one thing and listens.
struct RawServer {
    let endpoint: Endpoint
    private let channel: any Channel

    static func start(saying text: String) async throws -> RawServer {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { child in
                child.eventLoop.makeCompletedFuture {
                    try child.pipeline.syncOperations.addHandler(Greeter(text: text))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        guard let endpoint = channel.localAddress.flatMap(Endpoint.init) else { throw ChannelError.unknownLocalAddress }
        return RawServer(endpoint: endpoint, channel: channel)
    }

    func stop() async throws { try await channel.close() }

    /// The first TLS record of the client that `dial` sends here. The client gets no answer.
    static func firstRecord(whenDialed dial: @Sendable (Endpoint) -> Void) async throws -> [UInt8] {
        let record = anyLoop().makePromise(of: [UInt8].self)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { child in
                child.eventLoop.makeCompletedFuture {
                    try child.pipeline.syncOperations.addHandler(FirstRecord(record))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        guard let endpoint = channel.localAddress.flatMap(Endpoint.init) else { throw ChannelError.unknownLocalAddress }
        dial(endpoint)
        let bytes = try await record.futureResult.get()
        try await channel.close()
        return bytes
    }
}

/// Collects what comes until the first TLS record is complete.
private final class FirstRecord: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let record: EventLoopPromise<[UInt8]>
    private var bytes: [UInt8] = []

    init(_ record: EventLoopPromise<[UInt8]>) { self.record = record }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes += Array(unwrapInboundIn(data).readableBytesView)
        guard 5 <= bytes.count, 5 + Int(bytes[3]) * 256 + Int(bytes[4]) <= bytes.count else { return }
        record.succeed(bytes)
    }

    func channelInactive(context: ChannelHandlerContext) { record.fail(ChannelError.eof) }
}

private final class Greeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let text: String
    init(text: String) { self.text = text }

    func channelActive(context: ChannelHandlerContext) {
        guard !text.isEmpty else { return }
        context.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil)
    }
}

/// A TCP client without TLS, from a loopback address of its choice.
struct RawClient {
    let channel: any Channel

    static func connect(to endpoint: Endpoint, from source: String = "127.0.0.1") async throws -> RawClient {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(to: SocketAddress(ipAddress: source, port: 0))
            .connect(to: endpoint.socketAddress).get()
        return RawClient(channel: channel)
    }

    /// The first TLS record with which a server answers `bytes`.
    static func answer(to bytes: [UInt8], from endpoint: Endpoint) async throws -> [UInt8] {
        let record = anyLoop().makePromise(of: [UInt8].self)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(FirstRecord(record))
                }
            }
            .connect(to: endpoint.socketAddress).get()
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
        let answer = try await record.futureResult.get()
        try? await channel.close()
        return answer
    }

    func send(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }
    func waitForClose() async throws { try await channel.closeFuture.get() }
    func close() async { try? await channel.close() }
}
