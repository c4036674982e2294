import Carrier
import NIOBridge
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Primitives

/// One TLS connection to a node, cut into frames, that keeps no limit of the protocol: it sends as long as the other
/// end reads.
///
/// Touched on its loop alone.
final class RawCarrier: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// What happens on it, in order; `closed` comes once, also where it never opened.
    enum Step: Sendable {
        case opened(NodeID)
        case frame([UInt8])
        case closed
    }

    /// In one go to one connection, so that others have their turn.
    private static let chunksPerPour = 8
    /// What may wait in this process for a node that reads.
    private static let waitingBytes = ChannelOptions.Types.WriteBufferWaterMark(low: 128 << 10, high: 512 << 10)

    private(set) var isOpen = false
    private(set) var sentBytes = 0
    private var isOver = false
    private var reader = FrameReader(bytesMax: 1 << 20, bytesBeforeTrustMax: 1 << 20)
    private var context: ChannelHandlerContext?
    private var tls: NIOSSLClientHandler?
    private var check: PeerCheck?
    private let onStep: @Sendable (Step) -> Void

    /// Connects at once; everything that follows is told to `onStep`, on `loop`.
    /// - Parameter source: the own address; nil for the one that the kernel chooses.
    init(
        to endpoint: Endpoint, from source: IPAddress? = nil, as identity: MemberIdentity, on loop: any EventLoop,
        onStep: @escaping @Sendable (Step) -> Void
    ) {
        self.onStep = onStep
        reader.trust()
        var bootstrap = ClientBootstrap(group: loop)
        if let source { bootstrap = bootstrap.bind(to: Endpoint(address: source, port: 0).socketAddress) }
        bootstrap
            .connectTimeout(.seconds(5))
            .channelOption(ChannelOptions.writeBufferWaterMark, value: Self.waitingBytes)
            .channelInitializer { [self] channel in
                channel.eventLoop.makeCompletedFuture {
                    let check = PeerCheck(own: identity.node, expected: nil)
                    let tls = try NIOSSLClientHandler(
                        context: identity.context, serverHostname: nil, customVerificationCallback: check.callback)
                    (self.check, self.tls) = (check, tls)
                    try channel.pipeline.syncOperations.addHandlers([tls, self])
                }
            }
            .connect(to: endpoint.socketAddress).hop(to: loop).whenFailure { [self] _ in end() }
    }

    /// One frame, with its length before it.
    func send(_ frame: [UInt8]) { write(Self.lengthened([frame])) }

    /// Frames as they travel.
    static func lengthened(_ frames: [[UInt8]]) -> ByteBuffer {
        var buffer = ByteBuffer()
        for frame in frames {
            buffer.writeInteger(UInt32(frame.count))
            buffer.writeBytes(frame)
        }
        return buffer
    }

    func write(_ bytes: ByteBuffer) {
        guard isOpen, let context else { return }
        sentBytes += bytes.readableBytes
        context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }

    /// Sends `chunk` again and again, as far as the node has taken what was sent before.
    func pour(_ chunk: ByteBuffer) {
        for _ in 0..<Self.chunksPerPour {
            guard isOpen, let context, context.channel.isWritable else { return }
            write(chunk)
        }
    }

    /// From now on nothing is read, so that no good-bye of the node is answered.
    func stopReading() {
        context?.channel.setOption(ChannelOptions.autoRead, value: false).whenComplete { _ in }
    }

    func close() {
        context?.close(mode: .all, promise: nil)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case TLSUserEvent.handshakeCompleted(let applicationProtocol)? = event as? TLSUserEvent, let tls else {
            return context.fireUserInboundEventTriggered(event)
        }
        let peer = try? check?.confirmed(
            certificate: tls.peerCertificate, version: tls.tlsVersion, applicationProtocol: applicationProtocol)
        guard let peer else { return context.close(promise: nil) }
        isOpen = true
        onStep(.opened(peer))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        reader.append(&bytes)
        while case .frame(let frame) = reader.next() { onStep(.frame(frame)) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    private func end() {
        guard !isOver else { return }
        (isOver, isOpen) = (true, false)
        onStep(.closed)
    }
}
