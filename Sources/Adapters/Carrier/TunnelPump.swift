import NIOCore
import Primitives

/// The end of a tunnel's socket pair that faces the node: passes bytes from TLS to the node in pieces, and bytes from
/// the node to TLS.
///
/// Both directions are bounded by back-pressure. A piece is read only when the node has room for it. Until then the
/// bytes stay in the socket's buffer, and then in the connection's queue, where old voice is dropped. Bytes that TLS
/// has not taken yet are not reported as taken, so the far end gets no new credit and stops sending.
final class TunnelPump: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let tunnel: TunnelID
    private let hub: CarrierHub
    private var context: ChannelHandlerContext?
    /// Whether the node has room for a piece that was not delivered yet.
    private var isReady = false
    /// Pieces that were read and not delivered. There are several only at the end of the stream, when NIO reads the
    /// whole buffer of the socket.
    private var pieces = CircularBuffer<[UInt8]>()
    private var isAtEnd = false
    /// Bytes from the node that came before the socket was open; bounded by the tunnel's window.
    private var early: [[UInt8]] = []

    init(tunnel: TunnelID, hub: CarrierHub) {
        self.tunnel = tunnel
        self.hub = hub
    }

    func makeReady() {
        isReady = true
        pump()
    }

    func feed(_ bytes: [UInt8]) {
        guard let context, context.channel.isActive else { return early.append(bytes) }
        let promise = context.eventLoop.makePromise(of: Void.self)
        let pump = NIOLoopBound(self, eventLoop: context.eventLoop)
        promise.futureResult.whenSuccess { pump.value.took(bytes.count) }
        context.writeAndFlush(NIOAny(context.channel.allocator.buffer(bytes: bytes)), promise: promise)
    }

    /// Closes the socket, because the tunnel has ended; the pump reports nothing more.
    func cutOff() {
        isAtEnd = true
        context?.close(promise: nil)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) {
        let waiting = early
        early = []
        for bytes in waiting { feed(bytes) }
        pump()
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        pieces.append(Array(unwrapInboundIn(data).readableBytesView))
        pump()
    }

    func channelInactive(context: ChannelHandlerContext) {
        isAtEnd = true
        pump()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func took(_ byteCount: Int) { hub.reportPiece(.tunnelTook(tunnel, byteCount: byteCount)) }

    private func pump() {
        if isReady, let piece = pieces.popFirst() {
            isReady = false
            hub.reportPiece(.tunnelPiece(tunnel, piece))
        }
        if isAtEnd, pieces.isEmpty {
            hub.pumpFinished(tunnel)
        } else if isReady {
            context?.read()
        }
    }
}
