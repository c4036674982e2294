import Channels
package import Mesh
import Node
package import Primitives
import Trust
import Wire

/// Starts, stops and breaks nodes and routes.
extension World {
    /// Time between a node's leave and the end of its process, in which its last messages are sent.
    static let farewell = Interval.milliseconds(50)

    package func schedule(_ fault: Fault, at instant: Instant) {
        queue.schedule(.fault(fault), at: max(now, instant))
    }

    /// Lets a node talk from now on, with one packet for every listener each `interval`.
    package func startTalking(_ talker: Int, every interval: Interval) {
        talkEnds = .distantFuture
        queue.schedule(.voice(talker: talker, every: interval), at: now + interval)
    }

    /// Counts voice packets from now on: a listener must hear every packet that the network does not lose.
    package func countSaid() { said = SaidLedger(nodeCount: nodeCount, from: now) }

    /// Gives a person's command to a node. The node must be running.
    package func command(_ command: MeshCommand, to node: Int) {
        precondition(isRunning(node), "node \(node) is off")
        handle(.command(command), .command, command.traceDigest, node: node)
    }

    package func addStaticPeer(_ peer: Int, to node: Int) {
        nodes[node].staticPeers.append(network.hosts[peer].endpoint)
    }

    package func setSite(_ site: Int, of node: Int) {
        precondition(isOff(node), "a host changes its site while its process is off")
        network.hosts[node].site = site
        network.hosts[node].address = SimHost.address(index: node, site: site, move: 0)
    }

    /// From its next start on, the node dials addresses only in its own networks and static addresses, and accepts
    /// connections only from there.
    package func keepToOwnNetworks(_ node: Int) { nodes[node].reachesBeyond = false }

    /// Breaks the shell of a node, which then never wakes the node for a deadline again. For tests of checkers.
    package func freezeDeadlines(of node: Int) {
        nodes[node].ignoresDeadlines = true
        nodes[node].wakeAt = nil
    }

    /// Performs a fault now.
    package func apply(_ fault: Fault) {
        // A partition is drawn for any number of nodes, so it may name nodes that this world does not have.
        transcript?.recordDetail(fault.text { nodes.indices.contains($0) ? nodes[$0].name : "" }, at: now)
        faultLog.note(fault, at: now) { network.isCut(from: $0, to: $1) }
        record?.note(fault, in: self)
        recordTampering(fault)
        hash.add(node: 0, kind: .fault, at: now, digest: TraceHash.digest(fault.text { "\($0)" }))
        switch fault {
        case .start(let node): start(node)
        case .kill(let node): endProcess(node, silently: false)
        case .vanish(let node): endProcess(node, silently: true)
        case .leave(let node): leave(node)
        case .rollBack(let node, let count):
            nodes[node].instanceOnDisk -= min(count, nodes[node].instanceOnDisk)
        case .pause(let node, let length): pause(node, for: length, isSuspended: false)
        case .suspend(let node, let length): pause(node, for: length, isSuspended: true)
        case .cut(let from, let to): network.cut(from: from, to: to)
        case .mend(let from, let to): network.mend(from: from, to: to)
        case .partition(let side): partition(side)
        case .mendAll: network.mendAll()
        case .offline(let node): setOnline(false, node)
        case .online(let node): setOnline(true, node)
        case .changeAddress(let node):
            network.hosts[node].move(index: node)
            sendAddresses(of: node)
        case .setRule(let from, let to, let rule): network[from, to] = rule
        case .setAllRules(let rule): network.setAllRules(rule)
        case .blockDatagrams(let a, let b):
            network[a, b].dropsDatagrams = true
            network[b, a].dropsDatagrams = true
        case .setHearing(let isHearing, let listener, let subject):
            discovery.setHearing(isHearing, of: listener, for: subject)
            if isHearing { deliverAdvert(of: subject, to: listener) }
        case .replayEarlierLife(let of, let to): replayEarlierLife(of: of, to: to)
        case .staleHint(let of, let to): sendStaleHint(of: of, to: to)
        case .resetCarriers, .blockStreams, .hijack, .replay, .withhold, .copyState: applyHostility(fault)
        case .slow, .drift, .stepClock, .tellAgain: applyClockFault(fault)
        }
        recordRoutes()
    }

    // MARK: Processes

    /// Starts a node. The instance is on disk before the first packet, as in a real start.
    private func start(_ node: Int) {
        guard isOff(node) else { return }
        network.hosts[node].isPowered = true
        network.hosts[node].isListening = true
        network.hosts[node].life += 1
        nodes[node].instanceOnDisk += 1
        nodes[node].life += 1
        nodes[node].startedAt = now
        nodes[node].process = .running
        nodes[node].dialBudget = DialBudget(now: localNow(node))
        nodes[node].dialled = [:]
        nodes[node].dialPlaces = []
        guard let instance = Instance(exactly: nodes[node].instanceOnDisk) else {
            illegal("start", in: "instance \(nodes[node].instanceOnDisk)")
        }
        nodes[node].instance = instance
        nodes[node].lastLife[instance] = nodes[node].life
        var random = streams.life(network.hosts[node].life, ofNode: node)
        let sealing = options.sealing(nodes[node].identity, random.next())
        hash.add(node: node, kind: .start, at: now, digest: instance.number)
        // What a maker's disk says of the nodes that it keeps.
        if case .member(var mesh) = nodes[node].standing {
            mesh.recall(mesh.remembered, with: sealing)
            nodes[node].standing = .member(mesh)
        }
        observe(.started(node: node, instance))
        observe(.stands(node: node, trueStanding(of: node)))
        let bootNonce = BootNonce(number: random.next())
        makeVoice(of: node)
        var configuration = configuration(of: node, instance: instance, bootNonce: bootNonce)
        // The control sequence of each session starts so near its wrap that it wraps within a minute.
        var corners = streams.corners(ofNode: node, life: network.hosts[node].life)
        configuration.firstSequence = UInt32.max - UInt32(corners.below(100))
        configuration.standing = nodes[node].standing
        for limit in options.tightLimits { limit.tighten(&configuration.capacity) }
        options.adjust(&configuration)
        let mesh = MeshNode(configuration, sealing: sealing, seed: random.next(), now: localNow(node))
        let directory = directory(of: node, configuration, sealing)
        nodes[node].core = NodeBox(
            VoiceNode(
                mesh, listening: Listening(list(of: node)), wish: encoderWish, directory: directory,
                calls: calls(of: node, configuration, sealing), codes: codes(of: node, sealing),
                keys: keys(of: node)))
        nodes[node].tunnels = TunnelShell(own: sealing.nodeID)
        takeOutputs(of: node)
        scheduleWake(of: node)
        handle(.mediaClock(nodes[node].voice?.mediaTime ?? SampleTime(samples: 0)), .command, 0, node: node)
        startSoundCards(of: node)
        for hint in nodes[node].remembered {
            deliver(.discovered(hint), .hint, UInt64(hint.endpoints.count), to: node)
        }
        for subject in nodes.indices { deliverAdvert(of: subject, to: node) }
    }

    private func configuration(of node: Int, instance: Instance, bootNonce: BootNonce) -> MeshConfiguration {
        MeshConfiguration(
            mesh: nodes[node].meshName ?? options.mesh, profile: NodeProfile(name: SafeText(nodes[node].name)),
            instance: instance, bootNonce: bootNonce, port: SimLimits.port, interfaces: interfaces(of: node),
            admissionPolicy: nodes[node].admissionPolicy, blocked: [],
            // A person can allow a node to dial outside its own networks (`--reach`).
            reachablePrefixes: network.isRouted && nodes[node].reachesBeyond
                ? [AddressPrefix(address: IPAddress(v4: 10, 0, 0, 0), length: 8)] : [],
            staticPeers: nodes[node].staticPeers, channels: list(of: node).listened,
            beaconEnabled: discovery.rule.hasBeacon)
    }

    private func interfaces(of node: Int) -> [InterfaceAddress] {
        let host = network.hosts[node]
        guard host.isOnline else { return [] }
        return [
            InterfaceAddress(
                interfaceIndex: 2, prefix: AddressPrefix(address: host.address, length: 16), medium: .wired,
                isAdvertised: true)
        ]
    }

    func endProcess(_ node: Int, silently: Bool) {
        guard !isOff(node) else { return }
        hash.add(node: node, kind: .stop, at: now, digest: silently ? 1 : 0)
        expectDetection(of: node)
        collectMarks(of: node)
        observe(.stopped(node: node))
        timeLived += now - nodes[node].startedAt
        faultLog.note(node: node, at: now)
        carriers.processEnded(on: node, silently: silently, network: &network, now: now)
        takeCarrierEffects(isInsideHandle: true)
        nodes[node].endProcess()
        network.hosts[node].isListening = false
        network.hosts[node].life += 1
        if silently {
            network.hosts[node].isPowered = false
        } else {
            discovery.withdraw(node)
        }
    }

    private func leave(_ node: Int) {
        guard isRunning(node) else { return }
        handle(.command(.leave), .command, 1, node: node)
        queue.schedule(.quit(node: node, life: network.hosts[node].life), at: now + Self.farewell)
    }

    private func pause(_ node: Int, for length: Interval, isSuspended: Bool) {
        guard isRunning(node) else { return }
        nodes[node].process = .paused(since: now)
        if isSuspended { network.hosts[node].isPowered = false }
        queue.schedule(.resume(node: node, life: network.hosts[node].life), at: now + length)
    }

    /// Lets a paused process go on. A real shell looks for gaps in time before each input. A gap that it must notice is
    /// reported before the process reads any input that waited. A shorter gap is not reported.
    func resume(_ node: Int) {
        guard case .paused(let since) = nodes[node].process else { return }
        let gap = now - since
        let slept = network.hosts[node].isPowered ? Interval.zero : gap
        if !network.hosts[node].isPowered {
            network.hosts[node].isPowered = true
            nodes[node].clockOffset = nodes[node].clockOffset - gap
            // The clock had stopped, so it did not drift.
            nodes[node].driftSince += gap
        }
        nodes[node].process = .running
        faultLog.note(hindered: node, at: now)
        observe(.unsettled(node: node))
        nodes[node].wakeAt = nil
        recordRoutes()
        if SimLimits.pauseNoticedMin <= gap {
            handle(.resumed(gap: gap, slept: slept), .resumed, UInt64(gap.nanoseconds), node: node)
        } else if .zero < slept {
            observe(.overslept(node: node, slept))
        }
        releaseHeld(of: node)
        scheduleWake(of: node)
    }

    // MARK: Network

    private func partition(_ side: UInt64) {
        for a in nodes.indices {
            for b in nodes.indices where Fault.isSeparated(a, from: b, by: side) {
                network.cut(from: a, to: b)
            }
        }
    }

    private func setOnline(_ isOnline: Bool, _ node: Int) {
        network.hosts[node].isOnline = isOnline
        sendAddresses(of: node)
    }

    private func sendAddresses(of node: Int) {
        if network.hosts[node].isOnline { observe(.readdressed(node: node)) }
        observe(.unsettled(node: node))
        deliver(.addressesChanged(interfaces(of: node)), .addresses, network.hosts[node].address.low, to: node)
    }

    private func replayEarlierLife(of node: Int, to listener: Int) {
        let from = network.hosts[node].endpoint
        let beacon = nodes[node].beaconOfEarlierLife
        if !beacon.isEmpty {
            // The listener may never have heard of the node's earlier boot. Then this old beacon starts an attempt to
            // connect, as any other beacon does.
            recordPrompt(listener, from: from)
            deliver(.beacon(beacon, from: from), .beacon, TraceHash.digest(beacon), to: listener)
        }
        let datagram = nodes[node].lastDatagramsOfEarlierLife[listener]
        guard !datagram.isEmpty else { return }
        let digest = TraceHash.digest(datagram)
        // If the network lost the original, this second datagram is the first to arrive. Its echo proves a round trip.
        let isFirst = nodes[listener].lastArrived[node] != digest
        deliver(.datagram(datagram, from: from), .datagram, digest, to: listener, of: isFirst ? node : nil)
    }

    private func sendStaleHint(of node: Int, to listener: Int) {
        let stale = Endpoint(address: SimHost.address(index: node, site: 0, move: 255), port: SimLimits.port)
        let hint = PeerHint(source: .avahi, node: network.hosts[node].node, endpoints: [stale])
        queue.schedule(.hint(to: listener, life: network.hosts[listener].life, SimAdvert(hint: hint)), at: now)
    }
}
