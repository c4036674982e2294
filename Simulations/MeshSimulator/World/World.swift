import Channels
package import Mesh
package import Primitives
import Trust
import Wire

/// The simulator's world: whole nodes in virtual time, on a simulated network. It surrounds Core as the shell of the
/// real program does.
///
/// Every change is an event of one queue, or a fault or command that the caller applies between two events. The world
/// takes a node's outputs at once and turns them into events. Nothing else runs, so the same options and the same calls
/// give the same run.
package final class World {
    package let options: WorldOptions
    let hot: HotState
    package internal(set) var up: UpMatrix
    private var hearing: HearingGaps
    package internal(set) var times: LinkTimes
    package internal(set) var discovery: SimDiscovery
    package internal(set) var lastInvitationAt = Instant.zero
    package private(set) var disturbances: Disturbances
    private var roundTrips: RoundTrips
    /// Whether the world checks for every death that all neighbours notice it in time (promise L5). The check is valid
    /// only while loss is low.
    package var isDetectionChecked = false
    /// Called with every event of every node, at the instant `now`; for measurements.
    var onEvent: ((MeshEvent, _ node: Int) -> Void)?
    /// Called with every voice packet that a node hears.
    var onVoice: ((VoiceStamp, _ listener: Int) -> Void)?

    /// Called with every frame that a node gives to a direct carrier, and with the numbers of the sending and the
    /// receiving node.
    var onFrame: ((_ frame: [UInt8], _ from: Int, _ to: Int?) -> Void)?

    /// Called before each event; returns true if it has handled the event itself. For exploration.
    var deviate: ((World, Happening) -> Bool)?

    let nodes: [SimNode]
    /// Whether any node is hostile.
    var hasHostileMembers = false
    package internal(set) var carriers = CarrierModel()
    var queue = EventQueue<Happening>()
    let streams: SeedStreams
    private let numbers: [NodeID: Int]
    /// By node.
    let publicKeys: [[UInt8]]
    package internal(set) var faultLog: FaultLog
    /// By sender and target.
    var ambushes: [Ambush?]
    /// Nil if nodes have no voice path.
    var speech: SpeechRule?
    /// Nil if nobody names channels.
    var people: NamingPeople?
    /// Nil if nobody takes part in channels with a code.
    var codedChannelPeople: CodedChannelPeople?
    /// Nil if nobody changes the code of a mesh.
    var codeChangingPeople: CodeChangingPeople?
    /// Nil if nobody calls.
    var callers: CallingPeople?
    /// Nil if frames of voice are not counted.
    package internal(set) var ledger: SpeechLedger?
    /// Nil if packets of voice are not counted.
    package internal(set) var said: SaidLedger?
    /// By sender and receiver: until this instant, old bytes of one of the two may still arrive at the other.
    var tamperedOfPair: [Instant]
    /// Talkers of `startTalking` send nothing after this instant.
    var talkEnds = Instant.distantFuture
    /// Results of all talkers at all listeners while the mesh was at rest.
    package internal(set) var hearings: [SpeechLedger.Hearing] = []
    /// Nil if no checker looks at statuses while the world runs.
    var watch: Watch?
    /// Total life of the processes that have ended.
    var timeLived = Interval.zero

    package init(_ options: WorldOptions) {
        let count = options.names.count
        let streams = SeedStreams(seed: options.seed)
        var nodes: [SimNode] = []
        var hosts: [SimHost] = []
        var numbers: [NodeID: Int] = [:]
        var publicKeys: [[UInt8]] = []
        for (index, name) in options.names.enumerated() {
            var random = streams.identity(ofNode: index)
            let isGround = options.groundNodes.contains(index)
            let drawn = isGround ? World.groundIdentity(of: index, options, using: &random) : random.next()
            let isDuplicate = options.duplicateOf != nil && index == count - 1
            let identity = isDuplicate ? options.duplicateOf.map { nodes[$0].identity } ?? drawn : drawn
            // Clocks differ by up to eleven days, and none starts at zero.
            let offset = random.interval(in: .seconds(1)...(.seconds(1_000_000)))
            nodes.append(
                SimNode(name: name, identity: identity, clockOffset: offset, nodeCount: count))
            let sealing = options.sealing(identity, 0)
            let node = sealing.nodeID
            publicKeys.append(sealing.publicKey)
            hosts.append(SimHost(node: node, index: index, site: 0))
            if options.duplicateOf.map({ index == count - 1 && $0 != index }) != true { numbers[node] = index }
        }
        self.options = options
        self.streams = streams
        self.nodes = nodes
        self.numbers = numbers
        self.publicKeys = publicKeys
        hot = HotState(
            hash: TraceHash(seed: options.seed),
            network: SimNetwork(hosts: hosts, rule: options.rule, random: streams.network),
            safety: SafetyCheckers(nodeCount: count))
        discovery = SimDiscovery(rule: options.discovery, hostCount: count, random: streams.discovery)
        up = UpMatrix(nodeCount: count)
        hearing = HearingGaps(nodeCount: count)
        faultLog = FaultLog(nodeCount: count)
        ambushes = Array(repeating: nil, count: count * count)
        tamperedOfPair = Array(repeating: .zero, count: count * count)
        disturbances = Disturbances(nodeCount: count)
        roundTrips = RoundTrips(nodeCount: count)
        times = LinkTimes(nodeCount: count)
    }

    package var nodeCount: Int { nodes.count }
    package var violation: Violation? { safety.violation }
    package func name(_ node: Int) -> String { nodes[node].name }
    package func number(ofName name: String) -> Int? { nodes.firstIndex { $0.name == name } }
    package func number(of node: NodeID) -> Int? { numbers[node] }
    package func isRunning(_ node: Int) -> Bool {
        if case .running = nodes[node].process { true } else { false }
    }
    package func isOff(_ node: Int) -> Bool {
        if case .off = nodes[node].process { true } else { false }
    }
    func process(of node: Int) -> SimNode.Process { nodes[node].process }

    /// Visits each link of a running node with its state and its path.
    func visitLinks(of node: Int, _ body: (Int, PeerStatus.State, PathKind?) -> Void) {
        nodes[node].core?.visitLinks { peer, state, path in
            if let number = numbers[peer] { body(number, state, path) }
        }
    }

    /// Returns what a running node knows of a peer. Instants are on the node's own clock.
    func peerSnapshot(at node: Int, of peer: Int) -> PeerSnapshot? {
        nodes[node].core?.peerSnapshot(of: network.hosts[peer].node, now: localNow(node))
    }

    /// Converts an instant of the node's clock to the world's time.
    func worldInstant(_ instant: Instant, of node: Int) -> Instant {
        instant == .distantFuture ? instant : worldTime(instant, of: node)
    }

    /// Returns the node's own status; nil while it is off.
    package func status(of node: Int) -> MeshStatus? {
        nodes[node].core?.status(now: localNow(node))
    }

    // MARK: Running

    /// Handles the next event; returns false if the queue is empty.
    package func step() -> Bool {
        guard let next = queue.popFirst() else { return false }
        record?.timePasses(to: next.at, in: self)
        now = next.at
        if let deviate, deviate(self, next.payload) { return true }
        happen(next.payload)
        record?.look(at: self)
        return true
    }

    /// Runs until `end`, or until a checker reports a violation.
    package func run(until end: Instant) {
        while !safety.isViolated, let next = queue.nextInstant, next <= end {
            _ = step()
        }
        if violation == nil, now < end { now = end }
    }

    /// Runs while `condition` holds, at most until `end`. Returns whether it ceased to hold. `condition` is checked
    /// again after each change of a link, and after each start or end of a process.
    package func run(until end: Instant, while condition: (World) -> Bool) -> Bool {
        var seen = -1
        while violation == nil {
            if seen != up.changes {
                seen = up.changes
                guard condition(self) else { return true }
            }
            guard let next = queue.nextInstant, next <= end else { break }
            _ = step()
        }
        if violation == nil, now < end { now = end }
        return false
    }

    // MARK: Observing

    func observe(_ observation: Observation) {
        let changes = up.changes
        up.observe(observation)
        switch observation {
        case .started(let node, let instance): faultLog.recordStart(node, as: instance, at: now)
        case .advanced(let node, _): faultLog.countAdvance(node, at: now)
        default: break
        }
        hearing.observe(observation, at: now)
        disturbances.observe(observation, at: now)
        roundTrips.observe(observation, at: now)
        if up.changes != changes {
            times.observe(observation, at: now)
            lookSoon()
        }
        if let original = options.duplicateOf, observation.isAbout(original, or: nodeCount - 1) { return }
        guard hasHostileMembers else { return safety.observe(observation, at: now) }
        if let actor = observation.actor, isHostile(actor) { return }
        safety.observe(observation, isOfHostile: observation.subject.map(isHostile) ?? false, at: now)
    }

    /// Returns `HearingGaps.takeLongest` up to now.
    package func takeHearingGap(of talker: Int, at observer: Int) -> Interval? {
        hearing.takeLongest(of: talker, at: observer, now: now)
    }

    /// Returns what is true and what `members` show, for the checkers of statuses.
    package func snapshot(of members: [Int]) -> MeshSnapshot {
        var snapshot = MeshSnapshot(
            at: now, nodes: [], peersMax: showsForeignIdentities ? MeshScale.peersMax : nodeCount - 1)
        for index in members {
            guard let seen = nodes[index].core?.summary() else { continue }
            let local = localNow(index)
            var views: [MeshSnapshot.View] = []
            views.reserveCapacity(seen.peers.count)
            for peer in seen.peers {
                guard let number = numbers[peer.node], members.contains(number) else { continue }
                var view = MeshSnapshot.View(
                    peer: number, state: peer.state, isLeader: peer.isLeader, link: peer.link,
                    upFor: peer.upSince.map { local - $0 }, failures: peer.failures, hasCarrier: peer.hasCarrier,
                    retryAt: peer.retryAt.map { worldTime($0, of: index) })
                if 0 < peer.failures, !view.isUp {
                    let detail = peerSnapshot(at: index, of: number)
                    view.known = detail?.known?.instance
                    view.isRefused = if case .refused = detail?.link?.status.failure { true } else { false }
                }
                if faultLog.advancedFrom[number] != nil {
                    view.isReportedSince = carriers.flowsSince(from: number, to: index, over: network)
                }
                view.interruptedTripAt = interruptedTrip(of: index, by: number)
                view.reported = nodes[index].reported[peer.slot.index]
                view.shown.path = peer.path ?? .direct
                view.shown.neighbour = peer.via
                view.listens = truthOfListening(of: number, at: index, since: view.upFor)
                view.talks = view.listens == nil ? nil : truthOfTalking(of: number, at: index)
                view.shown.listens = peer.channels.contains(SimLimits.channel)
                view.shown.isTalking = peer.isTalking
                views.append(view)
            }
            var node = MeshSnapshot.Node(index: index, instance: seen.instance, views: views)
            node.labelledAt = faultLog.labelledAt[index]
            node.advancedFrom = faultLog.advancedFrom[index]
            node.hinderedUntil = hinderedUntil(index)
            node.receiveOutageUntil = receiveOutageUntil(index)
            node.beganAnewAt = beganAnewAt(index)
            node.peersShown = seen.peers.count
            node.digest = seen.digest
            node.isCliqueComplete = seen.isCliqueComplete
            snapshot.nodes.append(node)
        }
        return snapshot
    }

    /// Whether a peer listens on `SimLimits.channel`; nil if the peer may not have reported it yet. The report is
    /// due when the link has been up, nothing has been wrong between the two, and the carrier has had no delay, each
    /// for longer than `SimLimits.listeningToldMax`.
    private func truthOfListening(of peer: Int, at observer: Int, since upFor: Interval?) -> Bool? {
        guard let upFor, SimLimits.listeningToldMax < upFor, let steady = steadyFor(observer, peer),
            SimLimits.listeningToldMax < steady,
            let flows = carriers.flowsSince(from: peer, to: observer, over: network),
            SimLimits.listeningToldMax < now - flows
        else { return nil }
        guard let voice = voice(of: peer), let core = nodes[peer].core else { return true }
        if let changedAt = voice.channelsChangedAt, now - changedAt <= SimLimits.listeningToldMax { return nil }
        return core.list.listened.contains(SimLimits.channel)
    }

    /// Whether a peer talks to somebody so that the observer may know of it. A node reports a change at once and with
    /// every heartbeat. Returns nil for `SimLimits.restGapMax` after a change. Also returns nil if the peer talks on a
    /// channel with a code, and the observer may or may not have proved that code to the peer.
    private func truthOfTalking(of peer: Int, at observer: Int) -> Bool? {
        guard let talk = voice(of: peer)?.announcedTalk, SimLimits.restGapMax < now - talk.since else { return nil }
        let coded = talk.to.channels.filter(\.hasCode)
        guard !coded.isEmpty, !talk.to.isShown(to: observer) else { return talk.to.isShown(to: observer) }
        // The peer's talk on a channel with a code is shown only to nodes that have proved the code to the peer.
        let mayHaveProved = coded.contains { shareCode($0, peer, observer) }
        let hasChanged = [peer, observer].contains { node in
            nodes[node].codesChangedAt.map { now - $0 <= SimLimits.restGapMax } ?? false
        }
        return mayHaveProved || hasChanged ? nil : false
    }

    /// Returns when the last round trip between the two nodes ended, if the observer's next packet may not have reached
    /// the peer directly since: a fault began, the network lost a datagram, or the route passes no datagrams, so that
    /// the packet had to take another path. Returns nil otherwise, however much the route may lose.
    private func interruptedTrip(of observer: Int, by peer: Int) -> Instant? {
        guard let trip = roundTrips.last(of: observer, by: peer) else { return nil }
        let isShut = !network.isOpen(from: observer, to: peer) || network[observer, peer].dropsDatagrams
        let hasLost = network.lastLost(from: observer, to: peer).map { trip <= $0 } ?? false
        return isShut || hasLost || trip < faultLog.restSince(observer, peer) ? trip : nil
    }

    /// Total life of all processes so far.
    package var nodeTime: Interval {
        nodes.indices.reduce(timeLived) { isOff($1) ? $0 : $0 + (now - nodes[$1].startedAt) }
    }

    /// Updates which pairs of nodes can reach each other (`times`), and lets the checkers look soon: a process stopped
    /// or went on, or a route was cut or mended.
    func recordRoutes() {
        lookSoon()
        times.routesChanged(at: now, isRunning: isRunning) { network.isOpen(from: $0, to: $1) }
    }
}
