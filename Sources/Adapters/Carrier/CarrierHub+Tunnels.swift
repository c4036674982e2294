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
        open(tunnel, .dialedThrough(id, tunnel), expecting: peer)
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

    /// Handles a tunnel that could not be opened: there was no socket pair, or its dial was cancelled.
    private func tunnelFailed(_ tunnel: TunnelID, _ origin: CarrierConnection.Origin) {
        if case .dialedThrough(let id, _) = origin { endDial(id, .unreachable) }
        guard let pump = pumps.removeValue(forKey: tunnel) else { return }
        pump.cutOff()
        outlet.tell(.tunnelFinished(tunnel))
    }
}
