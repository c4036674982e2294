import Primitives
import Wire

/// Relay: two nodes without a direct path send sealed datagrams through a common neighbour.
///
///     A ── sealed for B: { toward C, sealed for C: { … } } ──► B
///                                B ── sealed for C: { from A, sealed for C: { … } } ──► C
///
/// There is one hop only: B forwards a datagram only if no node has relayed it to B, and if B reaches C without a relay
/// or a tunnel. If a datagram arrives over two paths, the replay window of C drops the second.
extension MeshNode {
    // MARK: At the origin

    /// Adds paths to the peer through the best neighbours, at most `MeshLimits.relaysAskedMax`. Skips a neighbour
    /// that was asked before and did not answer (`Path.isFruitless`).
    mutating func requestRelays(for index: Int, now: Instant) {
        guard let set = paths[index].current else { return }
        var asked = 0
        for neighbour in relays(to: index) where asked < MeshLimits.relaysAskedMax {
            switch set.requestRelay(through: neighbour, rank: relayRank(neighbour, of: index), now: now) {
            case .asked: asked += 1
            case .fruitless: continue
            case .tableFull: return
            }
        }
    }

    /// Returns the neighbours that may get relayed datagrams from this node, and that advertise a link to the peer
    /// which is not relayed, in order of loss, then of delay. Without a report on the neighbour's voice, the loss on
    /// this node's half counts as none. Equal neighbours are ordered by a number that both nodes compute alike, and
    /// that differs between pairs of nodes.
    private func relays(to index: Int) -> [NodeID] {
        let peer = links[index].node
        var offers: [(loss: UInt8, delay: UInt8, rank: UInt64, node: NodeID)] = []
        for neighbour in links.indices where neighbour != index && canForward(neighbour) {
            guard let far = membership[neighbour].links[peer], far.path != .relay else {
                continue
            }
            let near = AdvertisedLink.rttClass(paths[neighbour].current?.table.chosenPath.rtt)
            let loss = AdvertisedLink.lossClass(permille: paths[neighbour].ownReport?.lossPermille)
            let node = links[neighbour].node
            offers.append((max(loss, far.lossClass), max(near, far.rttClass), relayRank(node, of: index), node))
        }
        return offers.sorted { ($0.loss, $0.delay, $0.rank) < ($1.loss, $1.delay, $1.rank) }.map(\.node)
    }

    private func relayRank(_ neighbour: NodeID, of index: Int) -> UInt64 {
        var mix = DigestMix()
        mix.add(min(node, links[index].node))
        mix.add(max(node, links[index].node))
        mix.add(neighbour)
        return mix.value
    }

    /// Whether this node may send relayed datagrams to this neighbour: the link is up or in verification, and the path
    /// of its voice leads through no third node, neither by a relay nor by a tunnel.
    private func canForward(_ neighbour: Int) -> Bool {
        guard links[neighbour].state.isLinked, let set = paths[neighbour].current else { return false }
        return advertised(set.table.chosenPath.kind, of: neighbour) != .relay
    }

    mutating func sendRelayed(_ datagram: [UInt8], to peer: NodeID, through neighbour: NodeID, now: Instant) {
        guard let index = links.index(of: neighbour), canForward(index) else {
            effects.count(.relaysLost)
            return
        }
        hand(RelayedDatagram(.toward(peer), datagram), to: index, now: now)
    }

    private mutating func hand(_ relayed: RelayedDatagram, to index: Int, now: Instant) {
        guard relayed.datagram.count <= WireLimits.relayedDatagramBytesMax, let session = links[index].session,
            let set = paths[index].current,
            let outer = session.seal(set.makeBody(over: set.table.chosen, facts: nil, relayed: relayed, now: now))
        else {
            effects.count(.relaysLost)
            return
        }
        put(outer, over: set.table.chosenPath.route, session.carrier)
    }

    // MARK: At the neighbour, and at the destination

    /// Handles a relayed datagram that came under the keys of any session of a linked neighbour, as is done with voice:
    /// when a session replaces another one, the two sides do not change over at the same instant.
    mutating func handleRelayed(_ relayed: RelayedDatagram, of index: Int, now: Instant) {
        guard links[index].state.isLinked else {
            effects.count(.relaysLost)
            return
        }
        switch relayed.leg {
        case .toward(let destination): forward(relayed.datagram, from: index, to: destination, now: now)
        case .from(let origin):
            guard let originIndex = links.index(of: origin), originIndex != index else {
                effects.count(.relaysLost)
                return
            }
            let neighbour = links[index].node
            let facts = RelayFacts(rank: relayRank(neighbour, of: originIndex), isOpen: canForward(index))
            openRelayed(relayed.datagram, from: .neighbour(neighbour, facts, origin: originIndex), now: now)
        }
    }

    private mutating func forward(_ datagram: [UInt8], from origin: Int, to destination: NodeID, now: Instant) {
        guard let index = links.index(of: destination), index != origin, canForward(index) else {
            effects.count(.relaysUndeliverable)
            return
        }
        guard relay.admitDatagram(from: links[origin].node, to: destination, &effects, now: now) else { return }
        hand(RelayedDatagram(.from(links[origin].node), datagram), to: index, now: now)
    }

    // MARK: When a neighbour goes

    /// Stops using all paths through this neighbour.
    mutating func forgetRelay(_ neighbour: NodeID, now: Instant) {
        for index in links.indices { forgetRelay(neighbour, of: index, now: now) }
    }

    /// Handles new link states of a neighbour. If they name no link to a peer, or only a relayed one, this node stops
    /// using the neighbour as path to that peer.
    mutating func updateRelaysOf(_ index: Int, now: Instant) {
        let neighbour = links[index].node
        for other in links.indices where other != index {
            guard paths[other].current?.leads(through: neighbour) == true else { continue }
            let peer = links[other].node
            let path = membership[index].links[peer]?.path ?? .relay
            if path == .relay { forgetRelay(neighbour, of: other, now: now) }
        }
    }

    /// Stops using the path through this neighbour to the peer at `index`. If that path carried the voice and no other
    /// path is alive, the verification of the link begins at once, to find one.
    private mutating func forgetRelay(_ neighbour: NodeID, of index: Int, now: Instant) {
        guard paths[index].forgetRelay(through: neighbour) else { return }
        // The voice went through a neighbour, so the link was advertised as relayed already: it cannot become so now.
        let becomesRelayed = moveVoice(index, now: now)
        precondition(!becomesRelayed, "a link over a relay was advertised as not relayed")
        guard paths[index].current?.table.chosenPath.neighbour == neighbour, links[index].state.isUp else { return }
        startVerifying(index, now: now)
    }
}

/// Tunnels: the relay runs them. The links say which carriers may be hops of a tunnel, and which peer is at the other
/// end of a hop.
extension MeshNode {
    // MARK: Frames

    mutating func receiveTunnel(_ frame: TunnelFrame, on carrier: CarrierEntry, of index: Int, now: Instant) {
        let hop = TunnelHop(slot: carrier.slot, carrier: carrier.id)
        guard links.isHop(hop) else {
            effects.count(.framesUnexpected)
            return
        }
        switch frame.step {
        case .request(let peer):
            relay.forwardTunnel(
                frame.number, of: links[index].node, from: hop, to: usableHop(to: peer),
                isUsable: { [links] in links.isHop($0) }, &effects, now: now)
        case .offer(let peer):
            // An offer of a tunnel must come from another node than the neighbour that forwards it. A node that has
            // left the mesh is not dialled, but its offer is accepted: it may have entered the mesh again, and its
            // proof on the carrier shows that.
            let isWelcome = peer != node && peer != links[index].node && !configuration.blocked.contains(peer)
            relay.acceptTunnel(frame.number, from: peer, isWelcome: isWelcome, on: hop, &effects, now: now)
        case .data, .credit, .close:
            relay.receive(frame, on: hop, isUsable: { [links] in links.isHop($0) }, &effects, now: now)
        }
    }

    /// Returns the hop to `peer`; nil if no tunnel may use it.
    private func usableHop(to peer: NodeID) -> TunnelHop? {
        guard let index = links.index(of: peer), let carrier = links[index].session?.carrier else { return nil }
        let hop = TunnelHop(slot: links[index].slot, carrier: carrier)
        return links.isHop(hop) ? hop : nil
    }

    // MARK: Time and neighbours

    mutating func runTunnels(now: Instant) {
        relay.runTunnels(isUsable: { [links] in links.isHop($0) }, &effects, now: now)
    }

    /// Ends the tunnels of which a hop is no longer usable. Runs after every input, so it costs one comparison if there
    /// is no tunnel.
    mutating func settleTunnels() {
        guard relay.hasTunnels else { return }
        relay.endBrokenTunnels(isUsable: { [links] in links.isHop($0) }, &effects)
    }
}
