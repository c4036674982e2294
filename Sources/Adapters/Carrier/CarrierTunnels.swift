import NIOCore
import NIOPosix
import Primitives

/// Carriers in tunnels, which have no TCP connection of their own. One end of a socket pair has the same TLS pipeline
/// as a TCP connection, with the same checks and limits. On the other end, a `TunnelPump` exchanges the bytes with the
/// node, which sends them through a neighbour.
extension CarrierHub {
    func dialThrough(_ id: DialID, _ tunnel: TunnelID, expecting peer: NodeID) {
        guard !isShutDown, dials[id] == nil, dials.count < limits.dialsMax else {
            outlet.tell(.dialFailed(id, .unreachable))
            outlet.tell(.tunnelFinished(tunnel))
            return
        }
        dials[id] = .connecting
        open(tunnel, .dialledThrough(id, tunnel), expecting: peer)
    }

    /// There is no admission here: the node limits the offers of tunnels before it calls this.
    func acceptThrough(_ tunnel: TunnelID, expecting peer: NodeID) {
        guard !isShutDown else { return outlet.tell(.tunnelFinished(tunnel)) }
        open(tunnel, .acceptedThrough(tunnel), expecting: peer)
    }

    func feedTunnel(_ tunnel: TunnelID, _ bytes: [UInt8]) { pumps[tunnel]?.feed(bytes) }

    func makeTunnelReady(_ tunnel: TunnelID) { pumps[tunnel]?.makeReady() }

    /// Ends a tunnel on behalf of the node; for TLS the stream is cut off.
    func closeTunnel(_ tunnel: TunnelID) { pumps.removeValue(forKey: tunnel)?.cutOff() }

    /// Handles the end of a pump: the TLS end is closed, and all its bytes were delivered.
    func pumpFinished(_ tunnel: TunnelID) {
        guard pumps.removeValue(forKey: tunnel) != nil else { return }
        outlet.tell(.tunnelFinished(tunnel))
    }

    func reportPiece(_ event: CarrierEvent) { outlet.tell(event) }

    private func open(_ tunnel: TunnelID, _ origin: CarrierConnection.Origin, expecting peer: NodeID) {
        let pump = TunnelPump(tunnel: tunnel, hub: self)
        pumps[tunnel] = pump
        guard let pair = CarrierSocket.pair(bufferBytes: limits.tunnelBufferBytes) else {
            return tunnelFailed(tunnel, origin)
        }
        let hub = NIOLoopBound(self, eventLoop: loop)
        let bound = NIOLoopBound(pump, eventLoop: loop)
        let sides: [EventLoopFuture<any Channel>] = [
            ClientBootstrap(group: loop)
                .channelOption(ChannelOptions.autoRead, value: false)
                .channelOption(ChannelOptions.maxMessagesPerRead, value: 1)
                .channelOption(
                    ChannelOptions.recvAllocator,
                    value: FixedSizeRecvByteBufferAllocator(capacity: limits.tunnelPieceBytesMax)
                )
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(bound.value)
                    }
                }
                .withConnectedSocket(pair.pump),
            ClientBootstrap(group: loop)
                .channelOption(ChannelOptions.writeBufferWaterMark, value: writeMarks)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try hub.value.prepareTunnel(channel, origin, expecting: peer)
                    }
                }
                .withConnectedSocket(pair.tls),
        ]
        EventLoopFuture.andAllSucceed(sides, on: loop).assumeIsolated().whenFailure { [self] _ in
            tunnelFailed(tunnel, origin)
        }
    }

    private func prepareTunnel(
        _ channel: any Channel, _ origin: CarrierConnection.Origin, expecting peer: NodeID
    ) throws {
        let check = PeerCheck(own: node, expected: peer)
        switch origin {
        case .dialledThrough(let id, _):
            guard dials[id] != nil else { throw ChannelError.ioOnClosedChannel }
            let connection = try install(origin, check, try tls.dialingHandler(check), nil, on: channel)
            dials[id] = .shaking(connection)
        case .acceptedThrough:
            _ = try install(origin, check, try tls.acceptingHandler(check), nil, on: channel)
        case .accepted, .dialled:
            illegal("\(origin)", in: "a tunnel")
        }
    }

    /// Handles a tunnel that could not be opened: there was no socket pair, or its dial was cancelled.
    private func tunnelFailed(_ tunnel: TunnelID, _ origin: CarrierConnection.Origin) {
        if case .dialledThrough(let id, _) = origin { endDial(id, .unreachable) }
        guard let pump = pumps.removeValue(forKey: tunnel) else { return }
        pump.cutOff()
        outlet.tell(.tunnelFinished(tunnel))
    }
}

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
