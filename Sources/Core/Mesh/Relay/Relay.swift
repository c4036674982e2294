import Primitives
import Wire

/// The relay: what this node passes on for its neighbours, and the tunnels that end at this node.
///
///     forwarded tunnel     opener ── REQUEST ──► this node ── OFFER ──► acceptor
///     own tunnel           this node ── REQUEST ──► neighbour ── OFFER ──► peer, or the other way
///     relayed datagram     neighbour ── sealed ──► this node ── sealed ──► neighbour
///
/// Each hop of a tunnel is a direct carrier between linked nodes, so there is one node between the two ends, and no
/// loop. A function that may end a forwarded tunnel has the parameter `isUsable`: to a hop that is no longer usable, it
/// sends no CLOSE.
struct Relay {
    private let capacity: MeshCapacity
    /// The allowance of each neighbour for tunnel requests and offers, by slot.
    private var tunnelRequests: [TokenBucket] = []
    /// The allowance of all neighbours together for offers.
    private var tunnelOffers: TokenBucket
    private(set) var tunnels: TunnelTable
    private(set) var relaying: RelayTable

    init(_ capacity: MeshCapacity, now: Instant) {
        self.capacity = capacity
        tunnelOffers = TokenBucket(
            burst: TunnelLimits.offersBurst, interval: TunnelLimits.offerInterval, now: now)
        tunnels = TunnelTable()
        relaying = RelayTable(burst: capacity.relayBurst)
    }

    /// Resets the share at `index` for the peer that got this slot.
    mutating func open(_ index: Int) {
        tunnelRequests.open(
            index,
            TokenBucket(
                burst: capacity.tunnelRequestsBurst, interval: TunnelLimits.requestPerPeerInterval, now: .zero))
    }

    // MARK: What others may know

    var hasTunnels: Bool { !tunnels.isEmpty }
    /// Whether this node may dial one more tunnel, however many it has accepted.
    var hasRoomToDial: Bool { tunnels.own.count { $0.dial != nil } < TunnelLimits.dialledMax }
    var nextDeadline: Instant { tunnels.nextDeadline }

    /// Whether this node may ask the neighbour for one more tunnel. An honest neighbour forwards no more tunnels of one
    /// opener. Even a request that is refused costs some 1.5 KB, because the first bytes of TLS leave with it.
    func mayAsk(_ neighbour: PeerSlot) -> Bool {
        let carried = tunnels.own.count { $0.dial != nil && $0.hop.slot == neighbour }
        return carried < TunnelLimits.forwardedPerOpenerMax
    }

    /// Returns the open tunnel `id` if it leads to `peer`.
    func ownTunnel(_ id: TunnelID, to peer: NodeID) -> OwnTunnel? {
        guard let index = tunnels.ownIndex(of: id), tunnels.own[index].peer == peer else { return nil }
        return tunnels.own[index]
    }

    /// Returns the number of pairs for which this node has forwarded datagrams lately.
    func pairCount(now: Instant) -> Int { relaying.pairCount(now: now) }

    // MARK: Relayed datagrams

    /// Returns whether this node may forward a datagram from `origin` to `destination` now, and counts the datagram.
    mutating func admitDatagram(
        from origin: NodeID, to destination: NodeID, _ effects: inout Effects, now: Instant
    ) -> Bool {
        let isAdmitted = relaying.take(from: origin, to: destination, now: now)
        effects.count(isAdmitted ? .relaysForwarded : .relaysOverQuota)
        return isAdmitted
    }

    // MARK: The start of a tunnel

    /// Asks a neighbour for a tunnel to `peer`, and the shell for TLS through it.
    mutating func requestTunnel(
        to peer: NodeID, through hop: TunnelHop, dial: DialID, _ effects: inout Effects, now: Instant
    ) {
        let number = effects.random.next()
        var tunnel = OwnTunnel(id: tunnels.nextID(), number: number, peer: peer, hop: hop, dial: dial, now: now)
        effects.count(.tunnelsRequested)
        effects.send(.tunnel(TunnelFrame(number: number, step: .request(to: peer))), on: hop.carrier)
        effects.output(.dialThrough(dial, tunnel.id, expecting: peer))
        tunnel.offerRoom(&effects)
        tunnels.own.append(tunnel)
    }

    /// Answers an offer: `peer` asked the neighbour at `hop` for a tunnel to this node.
    /// - Parameter isWelcome: whether this node wants a carrier from this peer through this neighbour.
    mutating func acceptTunnel(
        _ number: UInt64, from peer: NodeID, isWelcome: Bool, on hop: TunnelHop, _ effects: inout Effects, now: Instant
    ) {
        guard isWelcome else {
            effects.count(.tunnelsRefused)
            close(number, on: hop, .refused, &effects)
            return
        }
        guard tunnels.isFree(number, on: hop.carrier), hasRoomToAccept(through: hop),
            tunnels.own.count(where: { $0.peer == peer && $0.hop.slot == hop.slot }) < TunnelLimits.perPeerMax,
            tunnelRequests[hop.slot.index].take(now: now), tunnelOffers.take(now: now)
        else {
            effects.count(.tunnelsOverLimit)
            close(number, on: hop, .full, &effects)
            return
        }
        var tunnel = OwnTunnel(id: tunnels.nextID(), number: number, peer: peer, hop: hop, dial: nil, now: now)
        effects.count(.tunnelsAccepted)
        effects.output(.acceptThrough(tunnel.id, expecting: peer))
        tunnel.offerRoom(&effects)
        tunnels.own.append(tunnel)
    }

    private func hasRoomToAccept(through hop: TunnelHop) -> Bool {
        let accepted = tunnels.own.filter { $0.dial == nil }
        return accepted.count < TunnelLimits.acceptedMax
            && accepted.count { $0.hop.slot == hop.slot } < TunnelLimits.acceptedPerNeighbourMax
    }

    /// Answers a request of `node`, the neighbour at the hop `opener`, and offers the tunnel to the acceptor. This node
    /// forwards at most `TunnelLimits.forwardedMax` tunnels.
    /// - Parameters:
    ///   - acceptor: the usable hop to the peer that the opener named; nil if there is none.
    ///   - isUsable: whether a CLOSE may be sent to a hop, if another tunnel has to give way.
    mutating func forwardTunnel(
        _ number: UInt64, of node: NodeID, from opener: TunnelHop, to acceptor: TunnelHop?,
        isUsable: (TunnelHop) -> Bool, _ effects: inout Effects, now: Instant
    ) {
        guard let acceptor, acceptor.slot != opener.slot else {
            effects.count(.tunnelsRefused)
            close(number, on: opener, .noRoute, &effects)
            return
        }
        guard tunnels.isFree(number, on: opener.carrier), tunnels.isFree(number, on: acceptor.carrier) else {
            effects.count(.tunnelsRefused)
            close(number, on: opener, .unknown, &effects)
            return
        }
        let ofOpener = tunnels.forwarded.count { $0.ends[0].hop.slot == opener.slot }
        let isFull = TunnelLimits.forwardedMax <= tunnels.forwarded.count
        let displaced = isFull ? tunnels.forwardedToDisplace(by: opener.slot) : nil
        guard !isFull || displaced != nil, ofOpener < TunnelLimits.forwardedPerOpenerMax,
            tunnelRequests[opener.slot.index].take(now: now)
        else {
            effects.count(.tunnelsOverLimit)
            close(number, on: opener, .full, &effects)
            return
        }
        if let displaced { endForwarded(displaced, telling: .full, isUsable: isUsable, &effects) }
        effects.count(.tunnelsForwarded)
        let tunnel = ForwardedTunnel(number: number, opener: opener, acceptor: acceptor, now: now)
        tunnels.forwarded.append(tunnel)
        tunnel.send(.offer(from: node), to: 1, &effects)
    }

    // MARK: Frames of a tunnel

    /// Handles data, credit or the close of a tunnel that came on `hop`.
    mutating func receive(
        _ frame: TunnelFrame, on hop: TunnelHop, isUsable: (TunnelHop) -> Bool, _ effects: inout Effects, now: Instant
    ) {
        if let (index, end) = tunnels.forwardedIndex(of: frame.number, on: hop.carrier) {
            switch tunnels.forwarded[index].forward(frame.step, from: end, &effects, now: now) {
            case .goesOn: break
            case .overran: endForwarded(index, telling: .overrun, isUsable: isUsable, &effects)
            case .closed:
                effects.count(.tunnelsClosed)
                tunnels.forwarded.remove(at: index)
            }
            return
        }
        if let index = tunnels.ownIndex(of: frame.number, on: hop.carrier) {
            switch tunnels.own[index].receive(frame.step, &effects, now: now) {
            case .goesOn: break
            case .overran: endOwn(index, telling: .overrun, &effects)
            case .closed: endOwn(index, telling: nil, &effects)
            }
            return
        }
        if case .close = frame.step { return }
        effects.count(.tunnelFramesUnknown)
        close(frame.number, on: hop, .unknown, &effects)
    }

    // MARK: Input from the shell

    /// Sends one piece of the stream. Drops it if the tunnel has ended.
    mutating func sendThroughTunnel(_ id: TunnelID, _ bytes: [UInt8], _ effects: inout Effects, now: Instant) {
        guard let index = tunnels.ownIndex(of: id) else { return }
        tunnels.own[index].sendPiece(bytes, &effects, now: now)
    }

    /// Handles the report that TLS has taken a piece of `byteCount` bytes.
    mutating func creditTunnel(_ id: TunnelID, _ byteCount: Int, _ effects: inout Effects, now: Instant) {
        guard let index = tunnels.ownIndex(of: id) else { return }
        tunnels.own[index].returnCredit(for: byteCount, &effects, now: now)
    }

    /// Ends a tunnel whose stream the shell has closed.
    mutating func finishTunnel(_ id: TunnelID, _ effects: inout Effects) {
        guard let index = tunnels.ownIndex(of: id) else { return }
        let tunnel = tunnels.own.remove(at: index)
        effects.count(.tunnelsClosed)
        close(tunnel.number, on: tunnel.hop, .ended, &effects)
    }

    // MARK: Time, and neighbours that go

    /// Ends the tunnels from which nothing came for too long. On a tunnel that ends at this node, sends CREDIT 0 if
    /// this node has sent nothing for a while. In a tunnel that it forwards, sends the credit that it has held back.
    mutating func runTunnels(isUsable: (TunnelHop) -> Bool, _ effects: inout Effects, now: Instant) {
        for index in tunnels.own.indices.reversed() {
            guard now < tunnels.own[index].silentAt else {
                endOwn(index, telling: .silent, &effects)
                continue
            }
            tunnels.own[index].keepAlive(&effects, now: now)
        }
        for index in tunnels.forwarded.indices.reversed() {
            guard now < tunnels.forwarded[index].silentAt else {
                endForwarded(index, telling: .silent, isUsable: isUsable, &effects)
                continue
            }
            for end in 0...1 { tunnels.forwarded[index].sendCredit(to: end, &effects, now: now) }
        }
    }

    /// Ends each tunnel of which a hop is no longer usable.
    mutating func endBrokenTunnels(isUsable: (TunnelHop) -> Bool, _ effects: inout Effects) {
        for index in tunnels.own.indices.reversed() where !isUsable(tunnels.own[index].hop) {
            endOwn(index, telling: nil, &effects)
        }
        for index in tunnels.forwarded.indices.reversed() {
            if tunnels.forwarded[index].ends.allSatisfy({ isUsable($0.hop) }) { continue }
            endForwarded(index, telling: .broken, isUsable: isUsable, &effects)
        }
    }

    // MARK: The end of a tunnel

    /// Ends a tunnel that has one end at this node, and tells the shell.
    /// - Parameter reason: the reason that CLOSE gives to the neighbour; nil if no CLOSE is sent, because the neighbour
    ///   has sent CLOSE or the carrier to the neighbour is gone.
    private mutating func endOwn(_ index: Int, telling reason: TunnelCloseReason?, _ effects: inout Effects) {
        let tunnel = tunnels.own.remove(at: index)
        effects.count(.tunnelsClosed)
        if let reason { close(tunnel.number, on: tunnel.hop, reason, &effects) }
        effects.output(.tunnelClose(tunnel.id))
    }

    private mutating func endForwarded(
        _ index: Int, telling reason: TunnelCloseReason, isUsable: (TunnelHop) -> Bool, _ effects: inout Effects
    ) {
        let tunnel = tunnels.forwarded.remove(at: index)
        effects.count(.tunnelsClosed)
        for end in tunnel.ends where isUsable(end.hop) { close(tunnel.number, on: end.hop, reason, &effects) }
    }

    private func close(
        _ number: UInt64, on hop: TunnelHop, _ reason: TunnelCloseReason, _ effects: inout Effects
    ) {
        effects.send(.tunnel(TunnelFrame(number: number, step: .close(reason))), on: hop.carrier)
    }
}
