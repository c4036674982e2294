import Primitives

extension Reachability {
    /// What this node knows of the addresses of one peer, and how it tries to reach the peer.
    struct Peer {
        let node: NodeID
        private(set) var addresses = AddressBook()
        private(set) var dials = DialPlan()
        private(set) var backoff = Backoff()
        private(set) var connectRequests = ConnectRequestSchedule()
        private var directSearch = DirectSearch()
        /// Neighbours asked for a tunnel, so that each has its turn. Cleared when all were asked, when the link wakes,
        /// and when a new session is in use.
        private var neighboursAsked: [PeerSlot] = []
        /// The end of the time in which this node wants a link with the peer.
        private(set) var wantedUntil: Instant = .zero
        /// For a peer that is dead or has left: whether a hint led to the present attempt (`isHinted`), and the
        /// earliest instant of the attempt to which the next hint leads (`hintsUsedAt`).
        private var isHinted = false
        private var hintsUsedAt: Instant = .zero
        /// When the random retry of dead peers last drew this peer.
        private var drawnAt: Instant?
        private var isLearnedByGossip = false
        private(set) var hasBeenLinked = false
        /// Connect requests of the peer that this node forwards.
        private var connectRequestsForwarded: TokenBucket

        init(_ node: NodeID, _ capacity: MeshCapacity) {
            self.node = node
            connectRequestsForwarded = TokenBucket(
                burst: capacity.connectRequestsForwardedBurst,
                interval: MeshLimits.connectRequestsForwardedPerPeerInterval, now: .zero)
        }

        func considerWaits(_ earliest: inout EarliestDeadline) {
            earliest.consider(connectRequests.nextAt, .retry)
            earliest.consider(dials.tunnelAt, .dial)
        }

        // MARK: Addresses

        /// Adds the addresses of a hint.
        mutating func addAddresses(_ hint: PeerHint) {
            for endpoint in hint.endpoints.prefix(MeshLimits.addressesPerPeerMax) {
                addresses.add(endpoint, source: hint.source)
            }
        }

        /// Adds the source address of the peer's beacon, with the port in its record.
        mutating func addBeaconSource(_ source: Endpoint, port: UInt16) {
            addresses.add(Endpoint(address: source.address, port: port, scope: source.scope), source: .beacon)
        }

        var hasLoopbackAddress: Bool { addresses.entries.contains { $0.endpoint.address.isLoopback } }

        /// Whether this node has no address of the peer except those in the peer's records. So it has none from the
        /// source of a beacon, a service, an earlier start or a person, and has reached the peer at none.
        var isKnownByGossipAlone: Bool { addresses.entries.allSatisfy { $0.source == .gossip } }

        /// Whether this node knows the peer from an earlier start alone, and an attempt to reach the peer has failed.
        var isOnlyRemembered: Bool {
            hasFailed && !addresses.entries.isEmpty
                && addresses.entries.allSatisfy { $0.source == .remembered && $0.lastGoodAt == nil }
        }

        /// Takes the addresses of the peer's new record.
        mutating func replaceAddresses(with told: [Endpoint]) { addresses.replaceGossiped(with: told) }

        /// Notes that the peer proved its identity at an address that this node dialled.
        mutating func proveAddress(_ endpoint: Endpoint, now: Instant) {
            addresses.markGood(endpoint, source: .remembered, now: now)
        }

        /// Stops dials to an address for a while, because the peer is not there.
        mutating func barAddress(_ endpoint: Endpoint, now: Instant) { addresses.markWrong(endpoint, now: now) }

        /// Notes that the link came up, and outputs the name and the addresses that the shell keeps across a restart.
        mutating func remember(name: SafeText, _ effects: inout Effects) {
            hasBeenLinked = true
            backoff.linkUp()
            effects.output(.remember(node, name: name, endpoints: addresses.lasting))
        }

        // MARK: Whether the peer is wanted

        func isWanted(now: Instant) -> Bool { now < wantedUntil }

        /// Notes that this node wants a link, because something shows that the peer is there.
        mutating func want(now: Instant) { wantedUntil = now + MeshLimits.seenMax }

        /// Notes that this node wants a link for the time of one attempt.
        mutating func wantOnce(now: Instant) { wantedUntil = max(wantedUntil, now + MeshLimits.helloWaitMax) }

        mutating func unwant() { wantedUntil = .zero }

        /// Notes that this node no longer wants a link, and ends its connect requests.
        mutating func giveUp() {
            unwant()
            endConnectRequests()
        }

        // MARK: Dials

        /// Plans the dials of an attempt: addresses first, and a tunnel if they fail or have not opened after
        /// `TunnelLimits.directHeadStart`. If the peer has a tunnel already (`isTunnelled`), plans no tunnel.
        mutating func planDials(_ endpoints: [Endpoint], isTunnelled: Bool, now: Instant) {
            dials.start(endpoints, now: now)
            guard !isTunnelled, !dials.isOver else { return }
            // If the peer has had only tunnels lately, direct dials get no head start over the tunnel.
            scheduleTunnel(at: now + (directSearch.isUnderWay ? .zero : TunnelLimits.directHeadStart))
        }

        mutating func nextAddress(now: Instant) -> Endpoint? { dials.takeNext(now: now) }

        mutating func began(_ dial: DialID, at endpoint: Endpoint, now: Instant) {
            dials.began(dial)
            addresses.markDialled(endpoint, now: now)
        }

        /// Removes a dial that has opened or failed.
        mutating func finished(_ dial: DialID) { dials.ended(dial) }

        /// Makes the next address due after a failed dial.
        mutating func dialFailed(now: Instant) { dials.hasten(now: now) }

        /// Drops the waiting addresses, because the peer has opened a carrier.
        mutating func stopDialling() { dials.stopWaiting() }

        mutating func dropPlan() { dials = DialPlan() }

        // MARK: Hints

        /// Uses a hint, and returns when it leads to an attempt: at once if this node is the leader, after
        /// `MeshLimits.followerDialWait` if it is the follower. `connectAtOnce` may end that wait. For a peer that is
        /// dead or has left, a hint leads to one attempt only, and after failed ones only after a wait: the hint may be
        /// an outdated entry in Avahi, or a link of a neighbour that comes and goes.
        mutating func useHint(
            isLeader: Bool, isGone: Bool, _ effects: inout Effects, now: Instant
        ) -> Instant {
            let at = now + (isLeader ? .zero : effects.random.interval(in: MeshLimits.followerDialWait))
            guard isGone else { return at }
            let usedAt = max(at, hintsUsedAt)
            wantedUntil = usedAt + MeshLimits.helloWaitMax
            isHinted = true
            return usedAt
        }

        /// Forgets that a hint led to the present attempt.
        mutating func forgetHint() { isHinted = false }

        /// Notes that this node learned of the peer from other nodes and has no link to it yet. If the link is up,
        /// nothing is missing.
        mutating func learnByGossip(isLinked: Bool = false) { isLearnedByGossip = !isLinked }

        /// If gossip led to the peer, reports that gossip has closed a hole in the mesh. Called when the link with the
        /// peer comes up.
        mutating func reportRepair(_ effects: inout Effects) {
            guard isLearnedByGossip else { return }
            isLearnedByGossip = false
            effects.report(.holeRepaired(node))
        }

        // MARK: Failures

        var hasFailed: Bool { 0 < backoff.failures }

        mutating func forgetFailures() { backoff.clear() }

        /// Counts a failure of the peer and returns when the wait that follows ends.
        /// - Parameter isLinked: whether the link is up and lacks only a carrier. Then no quarantine is reported.
        mutating func countFailure(isLinked: Bool, _ effects: inout Effects, now: Instant) -> Instant {
            let until = backoff.fail(now: now, random: &effects.random)
            if backoff.isQuarantine { effects.count(.quarantines) }
            if !isLinked, backoff.tellsQuarantine() { effects.report(.quarantined(node, until: until)) }
            return until
        }

        /// Handles a failed attempt to reach a peer that is dead or has left. If a hint led to that attempt, counts a
        /// failure, and the next hint leads to an attempt only after a wait. If no hint led to it, counts nothing.
        mutating func countFailureOfGone(_ effects: inout Effects, now: Instant) {
            guard isHinted else { return }
            isHinted = false
            hintsUsedAt = backoff.fail(now: now, random: &effects.random)
        }

        /// Returns whether an attempt may start at once: true at most once in `MeshLimits.cooldownCutInterval`. Counts
        /// each true as `cooldownsCut`, also if this node waited as a follower after a hint, or did not wait.
        mutating func cutCooldown(_ effects: inout Effects, now: Instant) -> Bool {
            guard backoff.cut(now: now) else { return false }
            effects.count(.cooldownsCut)
            return true
        }

        // MARK: Connect requests

        mutating func beginConnectRequests(now: Instant) { connectRequests.begin(now: now) }

        mutating func endConnectRequests() { connectRequests.end() }

        /// Schedules the next connect request.
        /// - Parameter neighbours: how many neighbours the leader has.
        mutating func connectRequestSent(neighbours: Int, now: Instant) {
            connectRequests.requestSent(neighbours: neighbours, now: now)
        }

        /// Handles that so many neighbours of this node have a link to the leader now. Returns whether the next connect
        /// request leaves earlier.
        mutating func neighboursFound(_ neighbours: Int, now: Instant) -> Bool {
            connectRequests.neighboursFound(neighbours, now: now)
        }

        /// Takes a token of the peer, for a connect request of the peer that this node forwards to its leader. Returns
        /// false if no token is left.
        mutating func mayForwardConnectRequest(now: Instant) -> Bool { connectRequestsForwarded.take(now: now) }

        /// Returns whether a connect request of the peer is newer than all before.
        mutating func isNewConnectRequest(
            instance: Instance, sequence: UInt32, _ effects: inout Effects
        ) -> Bool {
            guard connectRequests.isNew(instance: instance, sequence: sequence) else {
                effects.count(.connectRequestsReplayed)
                return false
            }
            return true
        }

        // MARK: Tunnels and direct carriers

        /// Whether the present attempt may ask one more neighbour for a tunnel.
        var mayAskNeighbour: Bool { dials.tunnelsAsked < TunnelLimits.neighboursPerAttemptMax }

        /// Returns the best neighbour that has not been asked yet.
        mutating func nextNeighbour(among neighbours: [TunnelNeighbour]) -> TunnelNeighbour? {
            if let next = TunnelNeighbour.best(of: neighbours, without: neighboursAsked) { return next }
            // This node has asked all these neighbours for a tunnel, perhaps in earlier attempts, so the list of those
            // asked begins anew. If the present attempt has asked nobody, it asks the best neighbour now. Otherwise it
            // asks nobody now.
            neighboursAsked = []
            return dials.tunnelsAsked == 0 ? TunnelNeighbour.best(of: neighbours, without: []) : nil
        }

        mutating func asked(_ neighbour: PeerSlot, _ dial: DialID) {
            neighboursAsked.append(neighbour)
            dials.beganTunnel(dial)
        }

        mutating func forgetNeighboursAsked() { neighboursAsked = [] }

        /// Ends the wait for the tunnel of the present attempt.
        mutating func endTunnelWait() { scheduleTunnel(at: .distantFuture) }

        /// Schedules the tunnel of the present attempt `MeshLimits.dialStagger` later: other dials are due now, and the
        /// dial whose turn comes next is not one of a static address or a tunnel (`Dialer.Turn.given`).
        mutating func postponeTunnel(now: Instant) { scheduleTunnel(at: now + MeshLimits.dialStagger) }

        mutating func scheduleTunnel(at instant: Instant) { dials.scheduleTunnel(at: instant) }

        /// Returns when this node searches for a direct carrier next, while the session uses a tunnel.
        mutating func nextDirectSearch(_ effects: inout Effects, now: Instant) -> Instant {
            now + directSearch.nextWait(random: &effects.random)
        }

        /// Forgets that searches for a direct carrier failed, because the peer has one now.
        mutating func endDirectSearch() { directSearch = DirectSearch() }

        // MARK: Random retries

        func mayBeDrawn(now: Instant) -> Bool {
            drawnAt.map { $0 + MeshLimits.deadRetryPeerInterval <= now } ?? true
        }

        /// Notes that the random retry drew this peer, so that it is dialled once.
        mutating func drawn(now: Instant) {
            drawnAt = now
            isHinted = false
            wantOnce(now: now)
        }
    }
}
