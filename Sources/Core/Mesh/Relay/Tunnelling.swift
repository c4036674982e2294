import Primitives
import Wire

/// The life of tunnels. At the two ends the shell runs TLS; Core sends its bytes in frames, and counts them for flow
/// control.
extension MeshNode {
    // MARK: Frames

    mutating func receiveTunnel(_ frame: TunnelFrame, on line: CarrierEntry, of index: Int, now: Instant) {
        let hop = TunnelHop(slot: line.slot, carrier: line.id)
        guard isHop(hop) else {
            effects.count(.framesUnexpected)
            return
        }
        switch frame.step {
        case .request(let node): forwardTunnel(frame.number, from: hop, to: node, now: now)
        case .offer(let node): acceptTunnel(frame.number, from: node, hop, now: now)
        case .data, .credit, .close:
            if let (place, end) = relay.tunnels.forwardedIndex(of: frame.number, on: line.id) {
                pass(frame.step, of: place, from: end, now: now)
            } else if let place = relay.tunnels.ownIndex(of: frame.number, on: line.id) {
                receive(frame.step, of: place, now: now)
            } else {
                if case .close = frame.step { return }
                effects.count(.tunnelFramesUnknown)
                close(frame.number, on: hop, .unknown)
            }
        }
    }

    /// Whether a tunnel may use this hop: the neighbour is linked, and its session uses this carrier, which is not
    /// tunnelled itself.
    func isHop(_ hop: TunnelHop) -> Bool {
        links[hop.slot.index].state.isLinked && links[hop.slot.index].session?.carrier == hop.carrier
            && links.carriers[hop.carrier].map { !$0.isTunnelled } ?? false
    }

    mutating func send(_ step: TunnelStep, of number: UInt64, on hop: TunnelHop) {
        effects.send(.tunnel(TunnelFrame(number: number, step: step)), on: hop.carrier)
    }

    mutating func close(_ number: UInt64, on hop: TunnelHop, _ reason: TunnelCloseReason) {
        send(.close(reason), of: number, on: hop)
    }

    // MARK: Ends

    /// Asks a neighbour for a tunnel to `peer`, and the shell for TLS through it.
    mutating func requestTunnel(to peer: NodeID, through hop: TunnelHop, dial: DialID, now: Instant) {
        let number = effects.random.next()
        let tunnel = OwnTunnel(id: relay.tunnels.nextID(), number: number, peer: peer, hop: hop, dial: dial, now: now)
        relay.tunnels.own.append(tunnel)
        effects.count(.tunnelsRequested)
        send(.request(to: peer), of: number, on: hop)
        effects.output(.dialThrough(dial, tunnel.id, expecting: peer))
        giveRoom(relay.tunnels.own.count - 1)
    }

    private mutating func acceptTunnel(_ number: UInt64, from peer: NodeID, _ hop: TunnelHop, now: Instant) {
        guard peer != node, peer != links[hop.slot.index].node, !isBlocked(peer) else {
            effects.count(.tunnelsRefused)
            close(number, on: hop, .refused)
            return
        }
        guard relay.tunnels.isFree(number, on: hop.carrier), relay.tunnels.own.count < TunnelLimits.ownMax,
            relay.tunnels.own.count(where: { $0.peer == peer && $0.hop.slot == hop.slot }) < TunnelLimits.perPeerMax,
            relay.admitsRequest(of: hop.slot.index, now: now)
        else {
            effects.count(.tunnelsOverLimit)
            close(number, on: hop, .full)
            return
        }
        let tunnel = OwnTunnel(id: relay.tunnels.nextID(), number: number, peer: peer, hop: hop, dial: nil, now: now)
        relay.tunnels.own.append(tunnel)
        effects.count(.tunnelsAccepted)
        effects.output(.acceptThrough(tunnel.id, expecting: peer))
        giveRoom(relay.tunnels.own.count - 1)
    }

    private mutating func receive(_ step: TunnelStep, of place: Int, now: Instant) {
        relay.tunnels.own[place].heardAt = now
        switch step {
        case .data(let bytes):
            let cost = TunnelStep.cost(ofBytes: bytes.count)
            guard relay.tunnels.own[place].uncredited + cost <= WireLimits.tunnelWindowBytes else {
                endTunnel(place, telling: .overrun)
                return
            }
            relay.tunnels.own[place].uncredited += cost
            effects.output(.tunnelBytes(relay.tunnels.own[place].id, bytes))
        case .credit(let credit):
            guard relay.tunnels.own[place].credit + Int(credit) <= WireLimits.tunnelWindowBytes else {
                endTunnel(place, telling: .overrun)
                return
            }
            relay.tunnels.own[place].credit += Int(credit)
            giveRoom(place)
        case .close:
            endTunnel(place, telling: nil)
        case .request, .offer:
            illegal("\(step)", in: "own tunnel")
        }
    }

    /// Lets the shell hand over one piece, if the credit suffices for the largest piece.
    private mutating func giveRoom(_ place: Int) {
        guard !relay.tunnels.own[place].isReady,
            TunnelStep.cost(ofBytes: WireLimits.tunnelDataBytesMax) <= relay.tunnels.own[place].credit
        else { return }
        relay.tunnels.own[place].isReady = true
        effects.output(.tunnelReady(relay.tunnels.own[place].id))
    }

    /// - Parameter reason: the reason in the CLOSE to the neighbour; nil if the neighbour sent CLOSE or its hop is
    ///   gone.
    private mutating func endTunnel(_ place: Int, telling reason: TunnelCloseReason?) {
        let tunnel = relay.tunnels.own.remove(at: place)
        effects.count(.tunnelsClosed)
        if let reason { close(tunnel.number, on: tunnel.hop, reason) }
        effects.output(.tunnelClose(tunnel.id))
    }

    // MARK: Input from the shell

    /// Sends one piece of the stream. Drops it if the tunnel has ended.
    /// - Precondition: one piece, of at most `WireLimits.tunnelDataBytesMax` bytes, for each `tunnelReady`.
    mutating func sendThroughTunnel(_ id: TunnelID, _ bytes: [UInt8], now: Instant) {
        guard let place = relay.tunnels.ownIndex(of: id) else { return }
        precondition(relay.tunnels.own[place].isReady, "a piece for tunnel \(id) that is not ready")
        relay.tunnels.own[place].isReady = false
        relay.tunnels.own[place].credit -= TunnelStep.cost(ofBytes: bytes.count)
        relay.tunnels.own[place].sentAt = now
        send(.data(bytes), of: relay.tunnels.own[place].number, on: relay.tunnels.own[place].hop)
        giveRoom(place)
    }

    /// Handles the report that TLS has taken a piece of `byteCount` bytes. Sends credit once a quarter of the window
    /// has been taken.
    /// - Precondition: TLS takes no more than it was given.
    mutating func creditTunnel(_ id: TunnelID, _ byteCount: Int, now: Instant) {
        guard let place = relay.tunnels.ownIndex(of: id) else { return }
        relay.tunnels.own[place].taken += TunnelStep.cost(ofBytes: byteCount)
        let taken = relay.tunnels.own[place].taken
        precondition(taken <= relay.tunnels.own[place].uncredited, "tunnel \(id) took more than it was given")
        guard WireLimits.tunnelWindowBytes / 4 <= taken else { return }
        relay.tunnels.own[place].taken = 0
        relay.tunnels.own[place].uncredited -= taken
        sendCredit(UInt16(taken), place, now: now)
    }

    private mutating func sendCredit(_ credit: UInt16, _ place: Int, now: Instant) {
        relay.tunnels.own[place].sentAt = now
        send(.credit(credit), of: relay.tunnels.own[place].number, on: relay.tunnels.own[place].hop)
    }

    /// Ends a tunnel whose stream the shell has closed.
    mutating func finishTunnel(_ id: TunnelID) {
        guard let place = relay.tunnels.ownIndex(of: id) else { return }
        let tunnel = relay.tunnels.own.remove(at: place)
        effects.count(.tunnelsClosed)
        close(tunnel.number, on: tunnel.hop, .ended)
    }

    // MARK: Time and neighbours

    mutating func runTunnels(now: Instant) {
        for place in relay.tunnels.own.indices.reversed() {
            if relay.tunnels.own[place].heardAt + TunnelLimits.silenceMax <= now {
                endTunnel(place, telling: .silent)
            } else if relay.tunnels.own[place].sentAt + TunnelLimits.keepAliveInterval <= now {
                sendCredit(0, place, now: now)
            }
        }
        runForwardedTunnels(now: now)
    }

    /// Ends the tunnels whose hop, or one of whose hops, is no longer usable.
    mutating func settleTunnels() {
        guard !relay.tunnels.isEmpty else { return }
        for place in relay.tunnels.own.indices.reversed() where !isHop(relay.tunnels.own[place].hop) {
            endTunnel(place, telling: nil)
        }
        for place in relay.tunnels.forwarded.indices.reversed() { dropIfBroken(place) }
    }
}
