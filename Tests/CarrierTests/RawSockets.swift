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

    func send(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }
    func waitForClose() async throws { try await channel.closeFuture.get() }
    func close() async { try? await channel.close() }
}
