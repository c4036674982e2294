import Primitives
import Wire

/// Tunnels as they begin, pass, and end; the shell has TLS at both ends of one, Core its way.
extension MeshNode {
    // MARK: Frames

    mutating func receiveTunnel(_ frame: TunnelFrame, on line: CarrierEntry, of index: Int, now: Instant) {
        let hop = TunnelHop(slot: line.slot, carrier: line.id)
        guard isHop(hop) else {
            counters.count(.framesUnexpected)
            return
        }
        switch frame.step {
        case .request(let node): forwardTunnel(frame.number, from: hop, to: node, now: now)
        case .offer(let node): acceptTunnel(frame.number, from: node, hop, now: now)
        case .data, .credit, .close:
            if let (place, end) = tunnels.forwardedIndex(of: frame.number, on: line.id) {
                pass(frame.step, of: place, from: end, now: now)
            } else if let place = tunnels.ownIndex(of: frame.number, on: line.id) {
                receive(frame.step, of: place, now: now)
            } else {
                if case .close = frame.step { return }
                counters.count(.tunnelFramesUnknown)
                close(frame.number, on: hop, .unknown)
            }
        }
    }

    /// Whether a tunnel may pass there: a linked neighbour and its own, direct carrier.
    func isHop(_ hop: TunnelHop) -> Bool {
        peers[hop.slot.index].state.isLinked && peers[hop.slot.index].session?.carrier == hop.carrier
            && carriers[hop.carrier].map { !$0.isTunnelled } ?? false
    }

    mutating func send(_ step: TunnelStep, of number: UInt64, on hop: TunnelHop) {
        send(.tunnel(TunnelFrame(number: number, step: step)), on: hop.carrier)
    }

    mutating func close(_ number: UInt64, on hop: TunnelHop, _ reason: TunnelCloseReason) {
        send(.close(reason), of: number, on: hop)
    }

    // MARK: Ends

    /// Asks a neighbour for a way to `peer`.
    mutating func requestTunnel(to peer: NodeID, through hop: TunnelHop, dial: DialID, now: Instant) {
        let number = random.next()
        let tunnel = OwnTunnel(id: tunnels.nextID(), number: number, peer: peer, hop: hop, dial: dial, now: now)
        tunnels.own.append(tunnel)
        counters.count(.tunnelsRequested)
        send(.request(to: peer), of: number, on: hop)
        outputs.append(.dialThrough(dial, tunnel.id, expecting: peer))
        giveRoom(tunnels.own.count - 1)
    }

    private mutating func acceptTunnel(_ number: UInt64, from peer: NodeID, _ hop: TunnelHop, now: Instant) {
        guard peer != node, peer != peers[hop.slot.index].node, !isBlocked(peer) else {
            counters.count(.tunnelsRefused)
            close(number, on: hop, .refused)
            return
        }
        guard tunnels.isFree(number, on: hop.carrier), tunnels.own.count < TunnelLimits.ownMax,
            tunnels.own.count(where: { $0.peer == peer && $0.hop.slot == hop.slot }) < TunnelLimits.perPeerMax,
            peers[hop.slot.index].allowances.tunnelRequests.take(now: now), tunnels.requests.take(now: now)
        else {
            counters.count(.tunnelsOverLimit)
            close(number, on: hop, .full)
            return
        }
        let tunnel = OwnTunnel(id: tunnels.nextID(), number: number, peer: peer, hop: hop, dial: nil, now: now)
        tunnels.own.append(tunnel)
        counters.count(.tunnelsAccepted)
        outputs.append(.acceptThrough(tunnel.id, expecting: peer))
        giveRoom(tunnels.own.count - 1)
    }

    private mutating func receive(_ step: TunnelStep, of place: Int, now: Instant) {
        tunnels.own[place].heardAt = now
        switch step {
        case .data(let bytes):
            let cost = TunnelStep.cost(ofBytes: bytes.count)
            guard tunnels.own[place].uncredited + cost <= WireLimits.tunnelWindowBytes else {
                endTunnel(place, telling: .overrun)
                return
            }
            tunnels.own[place].uncredited += cost
            outputs.append(.tunnelBytes(tunnels.own[place].id, bytes))
        case .credit(let credit):
            guard tunnels.own[place].credit + Int(credit) <= WireLimits.tunnelWindowBytes else {
                endTunnel(place, telling: .overrun)
                return
            }
            tunnels.own[place].credit += Int(credit)
            giveRoom(place)
        case .close:
            endTunnel(place, telling: nil)
        case .request, .offer:
            illegal("\(step)", in: "own tunnel")
        }
    }

    /// Lets the shell hand over a piece where the window has room for the largest.
    private mutating func giveRoom(_ place: Int) {
        guard !tunnels.own[place].isReady,
            TunnelStep.cost(ofBytes: WireLimits.tunnelDataBytesMax) <= tunnels.own[place].credit
        else { return }
        tunnels.own[place].isReady = true
        outputs.append(.tunnelReady(tunnels.own[place].id))
    }

    /// - Parameter reason: what the neighbour is told; nil where it is the one that said so, or gone.
    private mutating func endTunnel(_ place: Int, telling reason: TunnelCloseReason?) {
        let tunnel = tunnels.own.remove(at: place)
        counters.count(.tunnelsClosed)
        if let reason { close(tunnel.number, on: tunnel.hop, reason) }
        outputs.append(.tunnelClose(tunnel.id))
    }

    // MARK: What the shell says

    /// A piece of the stream; of a tunnel that has ended meanwhile it comes to nothing.
    /// - Precondition: one piece of at most `WireLimits.tunnelDataBytesMax` for each `tunnelReady`.
    mutating func sendThroughTunnel(_ id: TunnelID, _ bytes: [UInt8], now: Instant) {
        guard let place = tunnels.ownIndex(of: id) else { return }
        precondition(tunnels.own[place].isReady, "a piece for tunnel \(id) that is not ready")
        tunnels.own[place].isReady = false
        tunnels.own[place].credit -= TunnelStep.cost(ofBytes: bytes.count)
        tunnels.own[place].sentAt = now
        send(.data(bytes), of: tunnels.own[place].number, on: tunnels.own[place].hop)
        giveRoom(place)
    }

    /// A piece has reached TLS; credit goes back when a quarter of the window has gathered.
    mutating func takeFromTunnel(_ id: TunnelID, _ byteCount: Int, now: Instant) {
        guard let place = tunnels.ownIndex(of: id) else { return }
        tunnels.own[place].taken += TunnelStep.cost(ofBytes: byteCount)
        let taken = tunnels.own[place].taken
        precondition(taken <= tunnels.own[place].uncredited, "tunnel \(id) took more than it was given")
        guard WireLimits.tunnelWindowBytes / 4 <= taken else { return }
        tunnels.own[place].taken = 0
        tunnels.own[place].uncredited -= taken
        sayCredit(UInt16(taken), place, now: now)
    }

    private mutating func sayCredit(_ credit: UInt16, _ place: Int, now: Instant) {
        tunnels.own[place].sentAt = now
        send(.credit(credit), of: tunnels.own[place].number, on: tunnels.own[place].hop)
    }

    /// The shell's end of the stream is closed.
    mutating func finishTunnel(_ id: TunnelID) {
        guard let place = tunnels.ownIndex(of: id) else { return }
        let tunnel = tunnels.own.remove(at: place)
        counters.count(.tunnelsClosed)
        close(tunnel.number, on: tunnel.hop, .ended)
    }

    // MARK: Time and neighbours

    mutating func runTunnels(now: Instant) {
        for place in tunnels.own.indices.reversed() {
            if tunnels.own[place].heardAt + TunnelLimits.silenceMax <= now {
                endTunnel(place, telling: .silent)
            } else if tunnels.own[place].sentAt + TunnelLimits.keepAliveInterval <= now {
                sayCredit(0, place, now: now)
            }
        }
        runForwardedTunnels(now: now)
    }

    /// Tunnels end with either of their carriers.
    mutating func settleTunnels() {
        guard !tunnels.isEmpty else { return }
        for place in tunnels.own.indices.reversed() where !isHop(tunnels.own[place].hop) {
            endTunnel(place, telling: nil)
        }
        for place in tunnels.forwarded.indices.reversed() { dropIfBroken(place) }
    }
}
