import NIOCore
import Primitives

/// The first channel handler of an accepted connection. It holds the connection's bytes back until its TLS handshake
/// may start. Then TLS is added to the pipeline behind it, and it passes all bytes on.
///
///     silent ──first bytes──▶ waiting ──its turn──▶ open
///        │          └──────────its turn at once───────▲
///        └── time-out, closed ──┴── displaced, closed, too much ──▶ ended
///
/// A connection that has sent nothing has no TLS context, so it costs hardly more than its socket.
final class HandshakeGate: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        case silent
        case waiting(ByteBuffer)
        case open
        case ended
    }

    let id: UInt64
    let ticket: ConnectionPlaces.Ticket
    let remote: Endpoint
    private let hub: CarrierHub
    private var phase = Phase.silent
    private var context: ChannelHandlerContext?
    private var timeout: Scheduled<Void>?
    private var hasHeldRead = false

    init(id: UInt64, ticket: ConnectionPlaces.Ticket, remote: Endpoint, hub: CarrierHub) {
        self.id = id
        self.ticket = ticket
        self.remote = remote
        self.hub = hub
    }

    /// Starts the handshake, because the connection's turn has come.
    func start() {
        guard case .waiting(let bytes) = phase else { illegal("start", in: "\(phase)") }
        open(with: bytes)
    }

    /// Closes the connection without sending anything; does nothing after the handshake has started.
    func close() {
        if case .open = phase { return }
        context?.close(promise: nil)
    }
}

// MARK: - Calls from the channel

extension HandshakeGate {
    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let wait = hub.limits.firstBytesTimeout
        timeout = context.eventLoop.assumeIsolated().scheduleTask(in: .nanoseconds(wait.nanoseconds)) {
            [weak self] in self?.close()
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timeout?.cancel()
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch phase {
        case .open:
            context.fireChannelRead(data)
        case .silent:
            timeout?.cancel()
            let bytes = unwrapInboundIn(data)
            phase = .waiting(bytes)
            switch hub.askForHandshake(self) {
            case .start: open(with: bytes)
            case .wait: break
            case .refused: close()
            }
        case .waiting(var held):
            var bytes = unwrapInboundIn(data)
            guard held.readableBytes + bytes.readableBytes <= hub.limits.bytesBeforeHandshakeMax else { return close() }
            phase = .ended
            held.writeBuffer(&bytes)
            phase = .waiting(held)
        case .ended:
            return
        }
    }

    /// Does not read while the connection waits. NIO still reports the end of the stream, and bytes that came before
    /// it.
    func read(context: ChannelHandlerContext) {
        if case .waiting = phase { hasHeldRead = true } else { context.read() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        switch phase {
        case .silent, .waiting:
            phase = .ended
            hub.gateClosed(self)
        case .open, .ended:
            break
        }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case .open = phase { context.fireErrorCaught(error) } else { context.close(promise: nil) }
    }

    private func open(with bytes: ByteBuffer) {
        guard let context else { return }
        phase = .open
        guard hub.beginHandshake(self, on: context.channel) else { return context.close(promise: nil) }
        context.fireChannelRead(wrapInboundOut(bytes))
        context.fireChannelReadComplete()
        if hasHeldRead { context.read() }
    }
}
