import Primitives
import Wire

/// Sealed datagrams through a common neighbour, where two cannot reach each other directly.
///
///     A ── sealed for B: { toward C, sealed for C: { … } } ──► B
///                                B ── sealed for C: { from A, sealed for C: { … } } ──► C
///
/// One hop and no more: B forwards only what came straight from A, and only to a C that it reaches
/// without help. C's replay window drops what comes by two ways.
extension MeshNode {
    // MARK: At the origin

    /// Looks for neighbours that reach the peer directly, the best first, and makes them paths. One
    /// that was asked before and did not answer gives its turn to the next.
    mutating func requestRelays(for index: Int, now: Instant) {
        guard let session = peers[index].session else { return }
        var asked = 0
        for neighbour in relays(to: index) where asked < MeshLimits.relaysAskedMax {
            let known = session.paths.index(of: .neighbour(neighbour)).map { session.paths[$0] }
            // One that was forgotten has not failed to answer: by its row it reaches the peer again.
            if let known, !known.isForgotten, known.isFruitless(now: now) { continue }
            let rank = relayRank(neighbour, of: index)
            guard let path = session.paths.index(through: neighbour, rank: rank, isOpen: true, now: now) else { return }
            let isAskedAnew = session.paths[path].mayBeAsked(now: now) || known?.isForgotten == true
            if !session.paths[path].isAlive(now: now), isAskedAnew { session.paths[path].askedAt = now }
            asked += 1
        }
    }

    /// Neighbours that say that they reach the peer directly, least loss and least delay first; among
    /// equals an order that is another one for each pair, and the same on both sides.
    private func relays(to index: Int) -> [NodeID] {
        let peer = peers[index].node
        var offers: [(loss: UInt8, delay: UInt8, rank: UInt64, node: NodeID)] = []
        for neighbour in peers.indices where neighbour != index && canForward(neighbour) {
            guard let far = peers[neighbour].links.first(where: { $0.peer == peer }), far.path != .relay else {
                continue
            }
            let near = AdvertisedLink.rttClass(peers[neighbour].session?.paths.chosenPath.rtt)
            let loss = AdvertisedLink.lossClass(permille: peers[neighbour].ownReport?.lossPermille)
            let node = peers[neighbour].node
            offers.append((max(loss, far.lossClass), max(near, far.rttClass), relayRank(node, of: index), node))
        }
        return offers.sorted { ($0.loss, $0.delay, $0.rank) < ($1.loss, $1.delay, $1.rank) }.map(\.node)
    }

    func relayRank(_ neighbour: NodeID, of index: Int) -> UInt64 {
        var mix = DigestMix()
        mix.add(min(node, peers[index].node))
        mix.add(max(node, peers[index].node))
        mix.add(neighbour)
        return mix.value
    }

    /// Whether a datagram may be handed to this neighbour for somebody else: linked, and not itself
    /// reached through a third.
    func canForward(_ neighbour: Int) -> Bool {
        guard peers[neighbour].state.isLinked, let session = peers[neighbour].session else { return false }
        return advertised(session.paths.chosenPath.kind, of: neighbour) != .relay
    }

    mutating func send(_ datagram: [UInt8], to peer: NodeID, through neighbour: NodeID, now: Instant) {
        guard let index = peers.index(of: neighbour), canForward(index) else {
            counters.count(.relaysLost)
            return
        }
        hand(RelayedDatagram(.toward(peer), datagram), to: index, now: now)
    }

    private mutating func hand(_ relayed: RelayedDatagram, to index: Int, now: Instant) {
        guard relayed.datagram.count <= WireLimits.relayedDatagramBytesMax, let session = peers[index].session,
            let outer = session.makeDatagram(over: session.paths.chosen, facts: nil, relayed: relayed, now: now)
        else {
            counters.count(.relaysLost)
            return
        }
        emit(outer, of: index, over: session.paths.chosenPath.route, session.carrier, now: now)
    }

    // MARK: At the neighbour, and at the destination

    mutating func heed(
        _ relayed: RelayedDatagram, of index: Int, _ role: SessionRole, from source: Source, now: Instant
    ) {
        // One hop: what was brought by somebody else is not brought on.
        if case .neighbour = source {
            counters.count(.relaysNested)
            return
        }
        guard role == .current, peers[index].state.isLinked else {
            counters.count(.relaysLost)
            return
        }
        switch relayed.leg {
        case .toward(let destination): forward(relayed.datagram, from: index, to: destination, now: now)
        case .from(let origin):
            guard let place = peers.index(of: origin), place != index else {
                counters.count(.relaysLost)
                return
            }
            let neighbour = peers[index].node
            let turn = RelayTurn(rank: relayRank(neighbour, of: place), isOpen: canForward(index))
            open(relayed.datagram, from: .neighbour(neighbour, turn, origin: place), now: now)
        }
    }

    private mutating func forward(_ datagram: [UInt8], from origin: Int, to destination: NodeID, now: Instant) {
        guard let index = peers.index(of: destination), index != origin, canForward(index) else {
            counters.count(.relaysUndeliverable)
            return
        }
        guard relaying.take(from: peers[origin].node, to: destination, now: now) else {
            counters.count(.relaysOverQuota)
            return
        }
        counters.count(.relaysForwarded)
        hand(RelayedDatagram(.from(peers[origin].node), datagram), to: index, now: now)
    }

    // MARK: When a neighbour goes

    /// Nothing goes through this neighbour any more; links that hung on it look for another at once.
    mutating func forgetRelay(_ neighbour: NodeID, now: Instant) {
        for index in peers.indices { forgetRelay(neighbour, of: index, now: now) }
    }

    /// The neighbour has told its row: whom it does not reach directly it brings nothing to.
    mutating func updateRelaysOf(_ index: Int, now: Instant) {
        let neighbour = peers[index].node
        for other in peers.indices where other != index {
            guard peers[other].session?.paths.index(of: .neighbour(neighbour)) != nil else { continue }
            let peer = peers[other].node
            let reaches = peers[index].links.contains { $0.peer == peer && $0.path != .relay }
            if !reaches { forgetRelay(neighbour, of: other, now: now) }
        }
    }

    private mutating func forgetRelay(_ neighbour: NodeID, of index: Int, now: Instant) {
        _ = peers[index].candidate?.paths.forget(neighbour: neighbour)
        guard peers[index].session?.paths.forget(neighbour: neighbour) == true else { return }
        choosePath(index, now: now)
        guard peers[index].session?.paths.chosenPath.neighbour == neighbour, case .up = peers[index].state else {
            return
        }
        startProbing(index, now: now)
    }
}
