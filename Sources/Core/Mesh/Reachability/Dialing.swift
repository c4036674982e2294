import Primitives
import Wire

/// An address that the user gave without a NodeID. This node dials it for ever, except while the node that answered
/// there last is linked.
struct StaticPeer {
    let endpoint: Endpoint
    var nextAt: Instant
    var dial: DialID?
    var failures = 0
    /// The node that answered there last.
    var node: NodeID?
}

/// Dials: to which peers, at which addresses, in which order, how many.
extension MeshNode {
    // MARK: Peers

    /// Returns the addresses of a peer that may be dialled, in the order in which they are dialled.
    func dialOrder(of index: Int, now: Instant) -> [Endpoint] {
        DialOrder(
            interfaces: configuration.interfaces,
            reachable: configuration.reachablePrefixes + reachability.learnedPrefixes,
            ownPort: configuration.port, now: now
        ).endpoints(of: reachability[index].addresses)
    }

    /// Starts the dials that are due, as far as the limits of `dialer` allow.
    mutating func startDials(now: Instant) {
        passOverStaticPeers(now: now)
        while let start = reachability.dialer.nextStart(now: now), start <= now, let target = nextToDial(now: now) {
            switch target {
            case .peer(let slot): dialNext(of: slot.index, now: now)
            case .address(let index): dialStatic(index, now: now)
            }
            effects.invalidateDeadlines()
        }
    }

    private mutating func dialNext(of index: Int, now: Instant) {
        guard let endpoint = reachability[index].dials.takeNext(now: now),
            let dial = reachability.dialer.begin(endpoint, for: .peer(links[index].slot), now: now)
        else { return }
        effects.count(.dialsStarted)
        reachability[index].dials.inProgress.append(dial)
        reachability[index].addresses.markDialled(endpoint, now: now)
        effects.output(.dial(dial, endpoint, expecting: links[index].node))
    }

    /// Returns the next target to dial. If not all can be dialled at once, static addresses, first addresses and
    /// further addresses take turns, and of each kind the one that has waited longest is dialled. So neither many
    /// peers nor many addresses of one peer delay the others for long.
    private func nextToDial(now: Instant) -> Dialer.Target? {
        let given = reachability.staticPeers.indices.filter { isDue(reachability.staticPeers[$0], now: now) }
            .min { reachability.staticPeers[$0].nextAt < reachability.staticPeers[$1].nextAt }
        let due = links.indices.filter { reachability[$0].dials.nextAt <= now }
        let ofTurn = due.filter { reachability[$0].dials.hasBegun == (reachability.dialer.turn == .further) }
        let index = (ofTurn.isEmpty ? due : ofTurn).min {
            reachability[$0].dials.nextAt < reachability[$1].dials.nextAt
        }
        if let given, reachability.dialer.turn == .given || index == nil { return .address(given) }
        return index.map { .peer(links[$0].slot) }
    }

    private func isDue(_ peer: StaticPeer, now: Instant) -> Bool { peer.dial == nil && peer.nextAt <= now }

    func isStaticDialDue(now: Instant) -> Bool { reachability.staticPeers.contains { isDue($0, now: now) } }

    /// Whether a tunnel may be dialled now. While other dials are due, tunnels share the turn of static addresses.
    func isTurnOfTunnels(now: Instant) -> Bool {
        let areOthersDue = isStaticDialDue(now: now) || links.indices.contains { reachability[$0].dials.nextAt <= now }
        return reachability.dialer.turn == .given || !areOthersDue
    }

    mutating func cancelDials(of index: Int) {
        for dial in reachability[index].dials.inProgress where reachability.dialer.end(dial) != nil {
            effects.output(.cancelDial(dial))
        }
        reachability[index].dials = DialPlan()
    }

    /// Removes a dial that has ended and returns it. Returns nil if it was cancelled before.
    mutating func finishDial(_ id: DialID) -> Dialer.Dial? {
        guard let dial = reachability.dialer.end(id) else { return nil }
        switch dial.target {
        case .peer(let slot): reachability[slot.index].dials.inProgress.removeAll { $0 == id }
        case .address(let index): reachability.staticPeers[index].dial = nil
        }
        return dial
    }

    mutating func endDial(_ id: DialID, _ failure: DialFailure, now: Instant) {
        guard let dial = finishDial(id) else { return }
        effects.count(.dialsFailed)
        switch failure {
        case .own:
            effects.count(.dialsToSelf)
            markWrongAddress(dial, now: now)
        case .otherIdentity:
            effects.count(.dialsToOthers)
            markWrongAddress(dial, now: now)
        case .unreachable, .refused, .timedOut, .handshake:
            break
        }
        switch dial.target {
        case .address(let index):
            retryStatic(index, now: now)
            if failure == .own { reachability.staticPeers[index].nextAt = now + MeshLimits.wrongAddressRetry }
        case .peer(let slot):
            let index = slot.index
            reachability[index].dials.ended(id, now: now)
            if dial.endpoint == nil || reachability[index].dials.isOver, askNeighbour(index, now: now) { return }
            guard reachability[index].dials.isOver,
                links.carriers.lines(of: slot).allSatisfy({ $0.id == links[index].session?.carrier })
            else { return }
            if case .connecting = links[index].state { failAttempt(index, .dial(failure), now: now) }
            if case .connecting = links[index].renewal { failRenewal(index, .dial(failure), now: now) }
        }
    }

    mutating func dropSlowDials(now: Instant) {
        for dial in reachability.dialer.inProgress where dial.deadline <= now {
            effects.output(.cancelDial(dial.id))
            endDial(dial.id, .timedOut, now: now)
        }
        effects.invalidateDeadlines()
    }

    /// Bars an address of the wanted peer for a while, because another node, or this node itself, answered there. The
    /// other addresses of the peer are still dialled.
    mutating func markWrongAddress(_ dial: Dialer.Dial, now: Instant) {
        guard case .peer(let slot) = dial.target, let endpoint = dial.endpoint else { return }
        reachability[slot.index].addresses.markWrong(endpoint, now: now)
    }

    // MARK: Addresses

    /// Postpones the dial of a static address if the node that answered there last is linked or blocked. The address
    /// of a blocked node is dialled again after `MeshLimits.wrongAddressRetry`, because it may have a new owner.
    private mutating func passOverStaticPeers(now: Instant) {
        for index in reachability.staticPeers.indices where isDue(reachability.staticPeers[index], now: now) {
            guard let node = reachability.staticPeers[index].node else { continue }
            if isBlocked(node) {
                (reachability.staticPeers[index].node, reachability.staticPeers[index].nextAt) = (
                    nil, now + MeshLimits.wrongAddressRetry
                )
            } else if let known = links.index(of: node), links[known].state.isLinked {
                reachability.staticPeers[index].nextAt = now + MeshLimits.backoffUserAddressMax
            }
        }
    }

    private mutating func dialStatic(_ index: Int, now: Instant) {
        let endpoint = reachability.staticPeers[index].endpoint
        guard let dial = reachability.dialer.begin(endpoint, for: .address(index), now: now) else { return }
        effects.count(.dialsStarted)
        reachability.staticPeers[index].dial = dial
        effects.output(.dial(dial, endpoint, expecting: nil))
    }

    private mutating func retryStatic(_ index: Int, now: Instant) {
        reachability.staticPeers[index].failures += 1
        reachability.staticPeers[index].nextAt =
            now
            + Backoff.wait(
                afterFailures: reachability.staticPeers[index].failures, max: MeshLimits.backoffUserAddressMax,
                random: &effects.random)
    }

    /// Records which peer answered at a static address, and adds the address to that peer.
    mutating func handleAnswer(from peer: NodeID, _ dial: Dialer.Dial, now: Instant) {
        guard case .address(let index) = dial.target, let endpoint = dial.endpoint else { return }
        reachability.staticPeers[index].failures = 0
        reachability.staticPeers[index].node = peer
        reachability.staticPeers[index].nextAt = now + MeshLimits.backoffUserAddressMax
        if let known = peerIndex(of: peer, now: now) {
            reachability[known].addresses.add(endpoint, source: .user)
            reachability[known].wantedUntil = now + MeshLimits.seenMax
        }
    }

    /// Allows dials to the network around a static address where a peer answered: its /24, or /64 for IPv6.
    mutating func rememberReach(of endpoint: Endpoint) {
        guard reachability.staticPeers.contains(where: { $0.endpoint == endpoint }), !endpoint.address.isLoopback,
            reachability.learnedPrefixes.count < MeshLimits.learnedPrefixesMax
        else { return }
        // Several addresses of one network add that network only once.
        guard
            !reachability.learnedPrefixes.contains(where: {
                endpoint.address.hasPrefix(of: $0.address, length: $0.length)
            })
        else { return }
        reachability.learnedPrefixes.append(
            AddressPrefix(address: endpoint.address, length: endpoint.address.v4 == nil ? 64 : 24))
    }

    // MARK: Hints

    mutating func learn(_ hint: PeerHint, now: Instant) {
        guard let peer = hint.node else {
            addStatic(hint, now: now)
            return
        }
        guard peer != node, !isBlocked(peer), let index = peerIndex(of: peer, now: now) else { return }
        for endpoint in hint.endpoints.prefix(MeshLimits.addressesPerPeerMax) {
            reachability[index].addresses.add(endpoint, source: hint.source)
        }
        startConnecting(index, now: now)
    }

    private mutating func addStatic(_ hint: PeerHint, now: Instant) {
        for endpoint in hint.endpoints where !reachability.staticPeers.contains(where: { $0.endpoint == endpoint }) {
            guard reachability.staticPeers.count < MeshLimits.staticPeersMax else { return }
            reachability.staticPeers.append(StaticPeer(endpoint: endpoint, nextAt: now))
        }
        startDials(now: now)
    }

    /// Handles a hint that a peer is present: the leader dials at once, the follower after
    /// `MeshLimits.followerDialWait`. A hint does not end a wait after failures, unlike `connectAtOnce`.
    mutating func startConnecting(_ index: Int, now: Instant) {
        let isGone = isGone(index, now: now)
        reachability[index].wantedUntil =
            isGone ? max(reachability[index].wantedUntil, now + MeshLimits.helloWaitMax) : now + MeshLimits.seenMax
        guard case .down(let dialAt) = links[index].state, dialAt == .distantFuture else { return }
        var at = now + (links[index].isLeader ? .zero : effects.random.interval(in: MeshLimits.followerDialWait))
        if isGone {
            // One attempt only: an entry in Avahi may be out of date, and the neighbour's link that gave the hint may
            // come and go.
            at = max(at, reachability[index].hintsUsedAt)
            reachability[index].wantedUntil = at + MeshLimits.helloWaitMax
            reachability[index].isHinted = true
        }
        setState(index, .scheduled(dialAt: at))
        if at == now { beginAttempt(index, now: now) }
    }

    /// Ends the peer's wait and starts an attempt, after a proof that the peer lives now: a connect request or a new
    /// boot. Does so at most once in `MeshLimits.cooldownCutInterval`.
    mutating func connectAtOnce(_ index: Int, now: Instant) {
        reachability[index].wantedUntil = now + MeshLimits.seenMax
        switch links[index].state {
        case .down(let dialAt):
            guard now < dialAt, cutCooldown(index, now: now) else { return }
            setState(index, .scheduled(dialAt: now))
            beginAttempt(index, now: now)
        case .quarantined:
            guard cutCooldown(index, now: now) else { return }
            setState(index, .scheduled(dialAt: now))
            beginAttempt(index, now: now)
        case .connecting, .inviting, .awaitingInvite, .awaitingDecision, .up, .verifying:
            break
        }
    }

    /// Returns the peer's index in the table. Gives a slot to a peer that has none; returns nil if no slot can be
    /// had.
    /// - Parameter isHere: whether the peer has an authenticated carrier. If so, it may also take the slot of a peer
    ///   that was never linked.
    mutating func peerIndex(of peer: NodeID, isHere: Bool = false, now: Instant) -> Int? {
        if let index = links.index(of: peer) { return index }
        guard peer != node, let index = makeSlot(for: peer, isHere: isHere) else { return nil }
        effects.invalidateDeadlines()
        if let record = membership.roster[peer]?.record, !record.isLeaving {
            reachability[index].addresses.replaceGossiped(with: record.endpoints)
        }
        return index
    }

    private mutating func makeSlot(for peer: NodeID, isHere: Bool) -> Int? {
        guard links.isFull else {
            let index = links.append(peer, isLeader: peer < node)
            openSlot(index, for: peer)
            return index
        }
        guard let index = slotToReplace(by: isHere ? peer : nil) else { return nil }
        // Open dials and carriers of the former peer would count as those of the new one.
        clearAttempt(index)
        links.attemptFloor = max(links.attemptFloor, links[index].attempt)
        links.replace(index, with: peer, isLeader: peer < node)
        openSlot(index, for: peer)
        // The new peer may have had a slot before and still hold that session. It accepts only an attempt with a
        // higher number.
        links[index].attempt = links.attemptFloor
        return index
    }

    /// Every machine forgets the former holder of the slot.
    private mutating func openSlot(_ index: Int, for peer: NodeID) {
        reachability.open(index, for: peer)
        paths.open(index, for: peer)
        membership.open(index, for: peer)
        detector.open(index, for: peer)
        relay.open(index)
    }

    /// Returns the index of the slot to give away, the first that exists of:
    /// 1. a peer without keys, attempt or link (`isReplaceable`),
    /// 2. a peer that closed its carrier before the person here decided about it,
    /// 3. for a visitor: a peer that was never linked and has no carrier, one that waits before one that is dialled,
    /// 4. for a visitor that may link without a question: a peer about which a person has yet to decide.
    /// - Parameter visitor: the peer that needs the slot, if it has an authenticated carrier.
    private func slotToReplace(by visitor: NodeID?) -> Int? {
        if let unsought = links.indices.first(where: { links[$0].isReplaceable }) { return unsought }
        if let abandoned = links.indices.first(where: { isAbandoned($0) }) { return abandoned }
        guard let visitor else { return nil }
        let wanted = links.indices.filter { links[$0].isOnlyWanted }
        let absent = wanted.filter { links.carriers.lines(of: links[$0].slot).isEmpty && !isUndecided($0) }
        if let waiting = absent.first(where: { if case .down = links[$0].state { true } else { false } }) {
            return waiting
        }
        if let dialled = absent.first { return dialled }
        return invitation(for: visitor) == .allowed ? wanted.first(where: { isUndecided($0) }) : nil
    }

    /// Whether a peer waits for the person here to decide, and has no carrier any more. Such a peer asks again by
    /// itself.
    private func isAbandoned(_ index: Int) -> Bool {
        guard case .awaitingDecision(.distantFuture) = links[index].state else { return false }
        return links[index].isOnlyWanted && links.carriers.lines(of: links[index].slot).isEmpty
    }

    private func isUndecided(_ index: Int) -> Bool {
        if case .awaitingDecision = links[index].state { true } else { false }
    }
}
