import NIOCore
import Primitives

/// Holds an accepted connection's first bytes back until its TLS handshake may start; then TLS stands behind it, and it
/// lets everything pass.
///
///     silent ──first bytes──▶ waiting ──its turn──▶ open
///        │          └──────────its turn at once───────▲
///        └── time-out, closed ──┴── displaced, closed, too much ──▶ ended
///
/// A silent connection has no TLS context, and costs no more than its socket.
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
    let ticket: Admission.Ticket
    let remote: Endpoint
    private let hub: CarrierHub
    private var phase = Phase.silent
    private var context: ChannelHandlerContext?
    private var timeout: Scheduled<Void>?
    private var hasHeldRead = false

    init(id: UInt64, ticket: Admission.Ticket, remote: Endpoint, hub: CarrierHub) {
        self.id = id
        self.ticket = ticket
        self.remote = remote
        self.hub = hub
    }

    /// Its turn has come.
    func start() {
        guard case .waiting(let bytes) = phase else { illegal("start", in: "\(phase)") }
        open(with: bytes)
    }

    /// The connection goes, and says nothing.
    func close() {
        if case .open = phase { return }
        context?.close(promise: nil)
    }
}

// MARK: - What the channel says

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

    /// Whoever waits is not read from. An end is told all the same, with what came before it.
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
