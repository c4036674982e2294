import Primitives
import Wire

/// How this node finds its peers: addresses and their proofs, dials and their limits, waits after failures, beacons
/// and connect requests.
///
/// All six machines of the mesh count the peers by the same slots, so an index here is the index of the peer's slot.
struct Reachability {
    private var peers: [Peer] = []
    private let capacity: MeshCapacity
    var staticPeers: StaticPeers
    private(set) var dialer: Dialer
    private(set) var beacon: BeaconSchedule
    private var beaconChecks: BeaconChecks
    var announcement = SealedAnnouncement()
    private var forwardedConnectRequests: TokenBucket
    private var connectRequestSequence: UInt32 = 0
    private var deadRetry = DeadRetrySchedule()
    private var waitingRoom = WaitingRoom()
    /// Senders that this node tries in a slow search.
    private var slowSenders: TokenBucket

    init(_ configuration: MeshConfiguration, random: inout SeededRandom, now: Instant) {
        capacity = configuration.capacity
        dialer = Dialer(now: now)
        staticPeers = StaticPeers(configuration.staticPeers, now: now)
        beacon = BeaconSchedule(isEnabled: configuration.beaconEnabled, now: now, random: &random)
        beaconChecks = BeaconChecks(burstPerSource: capacity.beaconChecksPerSourceBurst, now: now)
        forwardedConnectRequests = TokenBucket(
            burst: MeshLimits.connectRequestsForwardedBurst, interval: MeshLimits.connectRequestsForwardedInterval,
            now: now)
        slowSenders = TokenBucket(burst: 1, interval: MeshLimits.slowSenderInterval, now: now)
        peers.reserveCapacity(MeshScale.peersMax)
    }

    /// Resets the entry at `index` for the peer that got this slot.
    mutating func open(_ index: Int, for node: NodeID) { peers.open(index, Peer(node, capacity)) }

    subscript(index: Int) -> Peer {
        get { peers[index] }
        _modify { yield &peers[index] }
    }

    /// When a dead peer is dialled next; `.distantFuture` while there are none.
    var deadRetryAt: Instant { deadRetry.nextAt }

    /// Considers when the next address of the peer may be dialled.
    mutating func considerDial(of index: Int, _ earliest: inout EarliestDeadline, now: Instant) {
        let dialAt = peers[index].dials.nextAt
        guard dialAt != .distantFuture, let start = dialer.nextStart(now: now) else { return }
        earliest.consider(max(dialAt, start), .dial)
    }

    /// Brings `earliest` forward to the first deadline that belongs to no peer: of beacons, of services, of the random
    /// retry of dead peers, and of dials.
    /// - Parameter search: how this node tries services that it cannot read.
    mutating func considerWaits(_ earliest: inout EarliestDeadline, _ search: SenderSearch, now: Instant) {
        earliest.consider(beacon.nextAt, .beacon)
        earliest.consider(announcement.expiresAt, .beacon)
        earliest.consider(servicesDueAt(in: search, now: now), .dial)
        earliest.consider(deadRetry.nextAt, .deadRetry)
        earliest.consider(dialer.nextDeadline, .dial)
        let unnamedAt = min(staticPeers.nextDialAt, waitingRoom.nextDialAt(now: now))
        guard unnamedAt != .distantFuture, let start = dialer.nextStart(now: now) else { return }
        earliest.consider(max(unnamedAt, start), .dial)
    }
}

// MARK: Dials

extension Reachability {
    /// Plans the dials of an attempt.
    /// - Parameters:
    ///   - answering: addresses where the peer answers now. They come before the others.
    ///   - isTunnelled: whether the peer has a tunnelled carrier, so that only a direct one is wanted.
    mutating func planDials(
        of index: Int, answering: [Endpoint], isTunnelled: Bool, on network: HostNetwork, now: Instant
    ) {
        let told = dialOrder(of: index, on: network, now: now).filter { !answering.contains($0) }
        peers[index].planDials(answering + told, isTunnelled: isTunnelled, now: now)
    }

    /// Starts the dials that are due, as far as the limits of `dialer` allow.
    mutating func startDials(_ effects: inout Effects, now: Instant) {
        while let start = dialer.nextStart(now: now), start <= now, let target = nextToDial(now: now) {
            switch target {
            case .peer(let slot): dialNext(of: slot.index, &effects, now: now)
            case .address(let index): dialStatic(index, &effects, now: now)
            case .sender: dialSender(&effects, now: now)
            }
            effects.invalidateDeadlines()
        }
    }

    /// Returns the next target to dial. If not all can be dialled at once, addresses without a NodeID, first addresses
    /// of peers and further addresses of peers take turns. Of each kind the one that has waited longest is dialled. In
    /// some turns an address of a peer that was linked before goes first, and in others one of a peer that is known
    /// from more than gossip. So neither many peers nor many addresses of one peer delay others for long.
    private mutating func nextToDial(now: Instant) -> Dialer.Target? {
        let address = staticPeers.nextDue(now: now).map { Dialer.Target.address($0) }
        let isOfSender = (address == nil || dialer.isTurnOfSenders) && isSenderDue(now: now)
        let given = isOfSender ? Dialer.Target.sender : address
        let due = peers.indices.filter { peers[$0].dials.nextAt <= now }
        let ofTurn = due.filter { peers[$0].dials.hasBegun == (dialer.turn == .further) }
        let preferred = ofTurn.filter { index in
            dialer.isTurnOfKnown && peers[index].hasBeenLinked
                || dialer.isTurnOfHeard && !peers[index].isKnownByGossipAlone
        }
        let waiting = !preferred.isEmpty ? preferred : ofTurn.isEmpty ? due : ofTurn
        let index = waiting.min { peers[$0].dials.nextAt < peers[$1].dials.nextAt }
        if let given, dialer.turn == .given || index == nil { return given }
        return index.map { .peer(PeerSlot(index: $0)) }
    }

    private mutating func dialNext(of index: Int, _ effects: inout Effects, now: Instant) {
        guard let endpoint = peers[index].nextAddress(now: now),
            let dial = dialer.begin(
                endpoint, for: .peer(PeerSlot(index: index)), isNew: !peers[index].hasBeenLinked, now: now)
        else { return }
        effects.count(.dialsStarted)
        peers[index].began(dial, at: endpoint, now: now)
        effects.output(.dial(dial, endpoint, expecting: peers[index].node))
    }

    private mutating func dialStatic(_ index: Int, _ effects: inout Effects, now: Instant) {
        let endpoint = staticPeers[index].endpoint
        guard let dial = dialer.begin(endpoint, for: .address(index), now: now) else { return }
        effects.count(.dialsStarted)
        staticPeers.began(dial, of: index)
        effects.output(.dial(dial, endpoint, expecting: nil))
    }

    private mutating func dialSender(_ effects: inout Effects, now: Instant) {
        guard let next = waitingRoom.takeNext(now: now),
            let dial = dialer.begin(next.endpoint, for: .sender, now: now)
        else { return }
        effects.count(.dialsStarted)
        waitingRoom.began(dial, to: next.endpoint, from: next.source)
        effects.output(.dial(dial, next.endpoint, expecting: nil))
    }

    mutating func cancelDials(of index: Int, _ effects: inout Effects) {
        for dial in peers[index].dials.inProgress where dialer.end(dial) != nil { effects.output(.cancelDial(dial)) }
        peers[index].dropPlan()
    }

    mutating func cancelStaticDials(_ effects: inout Effects) {
        for dial in staticPeers.dials where dialer.end(dial) != nil { effects.output(.cancelDial(dial)) }
    }

    // MARK: Ends of dials

    /// Removes a dial that has ended and returns it. Returns nil if it was cancelled before.
    mutating func finishDial(_ id: DialID) -> Dialer.Dial? {
        guard let dial = dialer.end(id) else { return nil }
        switch dial.target {
        case .peer(let slot): peers[slot.index].finished(id)
        case .address(let index): staticPeers.finished(index)
        // The sender keeps its place in the waiting room until it is known whether the dial has failed.
        case .sender: break
        }
        return dial
    }

    /// Removes a failed dial and makes the next dial of its peer due. If another node than the peer, or this node
    /// itself, answered at the address, that address of the peer is not dialled for a while.
    mutating func endDial(_ id: DialID, _ failure: DialFailure, _ effects: inout Effects, now: Instant) -> DialEnd {
        guard let dial = finishDial(id) else { return .goesOn }
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
            staticPeers.failed(index, isOwnAddress: failure == .own, random: &effects.random, now: now)
            return .goesOn
        case .sender:
            waitingRoom.failed(id)
            return .goesOn
        case .peer(let slot):
            peers[slot.index].dialFailed(now: now)
            if peers[slot.index].dials.isOver { return .planIsOver(of: slot.index) }
            return dial.endpoint == nil ? .tunnelFailed(of: slot.index) : .goesOn
        }
    }

    /// Handles that another node than the wanted peer, or this node itself, answered a dial. After a dial of a peer,
    /// stops dials to that address of the peer for a while; its other addresses are still dialled. After a dial of a
    /// sender in the waiting room, drops the sender.
    mutating func markWrongAddress(_ dial: Dialer.Dial, now: Instant) {
        if dial.target == .sender { waitingRoom.failed(dial.id) }
        guard case .peer(let slot) = dial.target, let endpoint = dial.endpoint else { return }
        peers[slot.index].barAddress(endpoint, now: now)
    }

    /// Records which node answered at an address that was dialled without a NodeID. Returns that address and how it
    /// was learned; nil if the dial named the peer.
    mutating func recordAnswer(from node: NodeID, _ dial: Dialer.Dial, now: Instant) -> PeerHint? {
        guard let endpoint = dial.endpoint else { return nil }
        switch dial.target {
        case .peer: return nil
        case .address(let index):
            staticPeers.answered(index, by: node, now: now)
            return PeerHint(source: .user, node: node, endpoints: [endpoint])
        case .sender:
            waitingRoom.answered(dial.id, now: now)
            return PeerHint(source: .beacon, node: node, endpoints: [endpoint])
        }
    }
}

// MARK: Tunnels

extension Reachability {
    /// Whether a tunnel may be dialled now. While other dials are due, it may be dialled only when the next turn is
    /// that of static addresses (`Dialer.Turn.given`).
    func isTurnOfTunnels(now: Instant) -> Bool {
        let areOthersDue = staticPeers.isAnyDue(now: now) || peers.contains { $0.dials.nextAt <= now }
        return dialer.turn == .given || !areOthersDue
    }

    /// Begins to dial a tunnel to the peer at `index`, through the best neighbour that has not been asked yet. If the
    /// limits of `dialer` forbid a dial now, the tunnel is scheduled.
    mutating func dialTunnel(
        to index: Int, among neighbours: [TunnelNeighbour], _ effects: inout Effects, now: Instant
    ) -> TunnelDial {
        guard let neighbour = peers[index].nextNeighbour(among: neighbours) else { return .noNeighbour }
        effects.invalidateDeadlines()
        guard let dial = dialer.beginTunnel(for: PeerSlot(index: index), now: now) else {
            peers[index].scheduleTunnel(at: dialer.nextStart(now: now) ?? now + MeshLimits.dialStagger)
            return .postponed
        }
        peers[index].asked(neighbour.slot, dial)
        effects.count(.dialsStarted)
        return .begun(dial, through: neighbour)
    }
}

// MARK: Beacons and connect requests

extension Reachability {
    /// Handles the due beacon of this node, and plans the next.
    /// - Parameters:
    ///   - isAnnouncer: whether this node goes on with rare beacons while the clique is complete.
    ///   - isPairing: whether this node has a pairing window.
    /// - Returns: whether it is to be sent.
    mutating func takeDueBeacon(
        isCliqueComplete: Bool, isAnnouncer: Bool, isPairing: Bool, _ effects: inout Effects, now: Instant
    ) -> Bool {
        guard !isPairing else {
            beacon.expireInPairing(now: now, random: &effects.random)
            return true
        }
        let isQuiet = isCliqueComplete && !isAnnouncer
        return beacon.expire(isQuiet: isQuiet, isCliqueComplete: isCliqueComplete, now: now, random: &effects.random)
    }

    /// Sends three beacons again, as after the start.
    mutating func restartBeacons(_ effects: inout Effects, now: Instant) {
        beacon.restart(now: now, random: &effects.random)
    }

    /// Makes the next beacon due soon, so that the sender of a beacon dials this node.
    mutating func hastenBeacon(_ effects: inout Effects, now: Instant) {
        if beacon.hasten(now: now, random: &effects.random) { effects.invalidateDeadlines() }
    }

    /// Starts the beacons of this node, with three in about the first second, or ends them.
    mutating func setBeacons(_ areSent: Bool, _ effects: inout Effects, now: Instant) {
        beacon.setEnabled(areSent, now: now, random: &effects.random)
        effects.invalidateDeadlines()
    }

    /// Returns whether the signature of a beacon from this source is checked.
    mutating func admitsBeacon(from source: IPAddress, _ effects: inout Effects, now: Instant) -> Bool {
        guard beaconChecks.take(source, now: now) else {
            effects.count(.beaconsOverRate)
            return false
        }
        return true
    }

    mutating func nextConnectRequestSequence() -> UInt32 {
        connectRequestSequence &+= 1
        return connectRequestSequence
    }

    /// Returns whether a connect request that the peer sent is forwarded to its leader.
    mutating func forwardsConnectRequest(of index: Int, _ effects: inout Effects, now: Instant) -> Bool {
        guard peers[index].mayForwardConnectRequest(now: now), forwardedConnectRequests.take(now: now) else {
            effects.count(.connectRequestsOverRate)
            return false
        }
        return true
    }
}

// MARK: Senders of unreadable beacons, and unreadable services

extension Reachability {
    /// Keeps the address of a sender whose beacon or service this node cannot read, to dial it. Does not keep it if a
    /// peer is known there, if it is out of reach, or if `search` does not allow it now.
    mutating func addSender(
        _ endpoint: Endpoint, in search: SenderSearch, on network: HostNetwork, _ effects: inout Effects, now: Instant
    ) {
        guard search != .off else { return }
        let isKnown = peers.contains { peer in
            peer.addresses.entries.contains { $0.endpoint == endpoint && !$0.isWrong(now: now) }
        }
        guard !isKnown, isWithinReach(endpoint.address, of: nil, on: network),
            search == .full || slowSenders.take(now: now)
        else { return }
        waitingRoom.add(endpoint, from: network.source(of: endpoint.address), random: &effects.random, now: now)
    }

    /// Keeps the address of a service that this node cannot read, to try it again: Avahi reports a service once.
    mutating func addService(_ endpoint: Endpoint, on network: HostNetwork, _ effects: inout Effects, now: Instant) {
        guard isWithinReach(endpoint.address, of: nil, on: network) else { return }
        let dropped = waitingRoom.addService(
            endpoint, from: network.source(of: endpoint.address), random: &effects.random, now: now)
        if dropped != nil { effects.count(.servicesOverLimit) }
        effects.invalidateDeadlines()
    }

    /// Returns the addresses of all services that this node cannot read, and makes the next call due after
    /// `MeshLimits.servicesInterval`. If `search` is `.slow`, this node dials only one of them, mostly the first, so an
    /// address that is drawn at random comes first.
    mutating func takeServices(_ search: SenderSearch, _ effects: inout Effects, now: Instant) -> [Endpoint] {
        effects.invalidateDeadlines()
        var endpoints = waitingRoom.takeServices(now: now)
        if search == .slow, !endpoints.isEmpty {
            endpoints.swapAt(0, Int(effects.random.below(UInt64(endpoints.count))))
        }
        return endpoints
    }

    /// Whether this node has services that it cannot read.
    var hasServices: Bool { waitingRoom.servicesDueAt != .distantFuture }

    /// When `takeServices` is due; `.distantFuture` if no such service is known, or if `search` is `.off`.
    mutating func servicesDueAt(in search: SenderSearch, now: Instant) -> Instant {
        switch search {
        case .off: .distantFuture
        case .slow: max(waitingRoom.servicesDueAt, slowSenders.nextToken(now: now))
        case .full: waitingRoom.servicesDueAt
        }
    }

    /// Whether a sender can be dialled now.
    mutating func isSenderDue(now: Instant) -> Bool { waitingRoom.nextDialAt(now: now) <= now }

    /// Notes that a carrier which this node dialled at this address has ended.
    mutating func endedCarrier(dialledAt endpoint: Endpoint?) {
        if let endpoint { waitingRoom.ended(endpoint) }
    }

    /// Dials no sender any more, because this node is a member now.
    mutating func forgetSenders(_ effects: inout Effects) {
        for dial in dialer.inProgress where dial.target == .sender {
            if dialer.end(dial.id) != nil { effects.output(.cancelDial(dial.id)) }
        }
        waitingRoom = WaitingRoom()
    }
}

// MARK: Random retries

extension Reachability {
    mutating func scheduleDeadRetry(isRecent: Bool, linkedCount: Int, _ effects: inout Effects, now: Instant) {
        deadRetry.schedule(isRecent: isRecent, linkedCount: linkedCount, random: &effects.random, now: now)
    }

    mutating func endDeadRetries() { deadRetry.end() }

    /// Schedules the dial of one dead peer, drawn at random, because some peer has just died. If such a dial is due
    /// earlier, its time stays.
    mutating func advanceDeadRetry(linkedCount: Int, _ effects: inout Effects, now: Instant) {
        deadRetry.advance(linkedCount: linkedCount, random: &effects.random, now: now)
    }

    /// Draws the dead peer that is dialled next. Returns nil if each of them was drawn a short time ago.
    mutating func drawDead(among dead: [Int], _ effects: inout Effects, now: Instant) -> Int? {
        let waiting = dead.filter { peers[$0].mayBeDrawn(now: now) }
        guard !waiting.isEmpty else { return nil }
        let pick = waiting[Int(effects.random.below(UInt64(waiting.count)))]
        peers[pick].drawn(now: now)
        effects.count(.deadRetried)
        return pick
    }
}
