import NIOCore
import NIOPosix
import Primitives

/// Carriers without a connection of their own: the very same TLS pipeline on one end of a socket
/// pair, with the same checks and limits, and on the other end a pump to the node, which has a
/// neighbour carry the bytes.
extension CarrierHub {
    func dialThrough(_ id: DialID, _ tunnel: TunnelID, expecting peer: NodeID) {
        guard !isShutDown, dials[id] == nil, dials.count < limits.dialsMax else {
            outlet.tell(.dialFailed(id, .unreachable))
            outlet.tell(.tunnelFinished(tunnel))
            return
        }
        dials[id] = .connecting
        open(tunnel, .dialedThrough(id, tunnel), expecting: peer)
    }

    /// Admission is the node's: it has counted and paced the offers before it asked for this.
    func acceptThrough(_ tunnel: TunnelID, expecting peer: NodeID) {
        guard !isShutDown else { return outlet.tell(.tunnelFinished(tunnel)) }
        open(tunnel, .acceptedThrough(tunnel), expecting: peer)
    }

    func feedTunnel(_ tunnel: TunnelID, _ bytes: [UInt8]) { pumps[tunnel]?.feed(bytes) }

    func makeTunnelReady(_ tunnel: TunnelID) { pumps[tunnel]?.makeReady() }

    /// The node's word that it is over: TLS finds its stream cut off.
    func closeTunnel(_ tunnel: TunnelID) { pumps.removeValue(forKey: tunnel)?.cutOff() }

    /// The TLS end is closed, and all that it had written is on its way.
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
        case .dialedThrough(let id, _):
            guard dials[id] != nil else { throw ChannelError.ioOnClosedChannel }
            let connection = try install(origin, check, try tls.dialingHandler(check), nil, on: channel)
            dials[id] = .shaking(connection)
        case .acceptedThrough:
            _ = try install(origin, check, try tls.acceptingHandler(check), nil, on: channel)
        case .accepted, .dialed:
            illegal("\(origin)", in: "a tunnel")
        }
    }

    /// No socket pair, or a dial cancelled before it had one.
    private func tunnelFailed(_ tunnel: TunnelID, _ origin: CarrierConnection.Origin) {
        if case .dialedThrough(let id, _) = origin { endDial(id, .unreachable) }
        guard let pump = pumps.removeValue(forKey: tunnel) else { return }
        pump.cutOff()
        outlet.tell(.tunnelFinished(tunnel))
    }
}
