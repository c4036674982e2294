import NIOCore
import Primitives

/// The raw end of a tunnel's socket pair: what TLS writes goes to the node in pieces, what the node
/// brings goes to TLS.
///
/// Both ways are bounded by waiting. A piece is read only when the node has room for it; otherwise
/// it stays in the socket's buffer and then in the connection's queue, where voice is dropped by
/// age. What TLS does not take yet is not reported as taken, so that the far end runs out of credit.
final class TunnelPump: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let tunnel: TunnelID
    private let hub: CarrierHub
    private var context: ChannelHandlerContext?
    /// The node has room for a piece that has not come.
    private var isReady = false
    /// Read at the end of the stream, when the kernel is emptied at once; no more than its buffer held.
    private var pieces = CircularBuffer<[UInt8]>()
    private var isAtEnd = false
    /// Came before the socket was open; bounded by the tunnel's window.
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

    /// The tunnel is gone: nothing more is told.
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
