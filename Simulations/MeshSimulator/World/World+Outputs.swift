import Mesh
import Node
import Primitives
import Trust
import Wire

/// Performs the outputs of a node.
extension World {
    func takeOutputs(of node: Int) {
        guard let core = nodes[node].core else { return }
        while let order = core.nextLineOrder() { nodes[node].voice?.follow(order) }
        while let output = core.runUntilOutput() {
            perform(output, of: node)
        }
        while let note = core.nextNote() {
            switch note {
            case .directory(let directoryNote): take(directoryNote, of: node)
            case .call(let event): take(event, of: node)
            case .code(let codeNote): take(codeNote, of: node)
            }
        }
    }

    private func perform(_ output: MeshOutput, of node: Int) {
        // These are nine of ten outputs, and tunnels have no part in them.
        if case .send(let bytes, let to) = output { return send(bytes, to: to, from: node) }
        if case .peerMediaClock(let time, let slot) = output {
            hearVoice(output, at: node)
            return note(node, .peerMediaClock, UInt64(time.samples) << 8 | UInt64(slot.index))
        }
        if case .carrierClose(let carrier) = output { nodes[node].gates[carrier] = nil }
        if performInTunnels(output, of: node) { return }
        defer { hearVoice(output, at: node) }
        switch output {
        case .dialThrough, .acceptThrough, .tunnelBytes, .tunnelReady, .tunnelClose:
            illegal("\(output)", in: "a process without tunnels")
        case .send, .peerMediaClock:
            illegal("\(output)", in: "what is done at once")
        case .dial(let dial, let endpoint, let expecting):
            self.dial(dial, endpoint, expecting: expecting, from: node)
        case .cancelDial(let dial):
            note(node, .cancelDial, dial.number)
            leaveDialPlace(dial, of: node)
            observe(.dialEnded(node: node, peer: nodes[node].dialled.removeValue(forKey: dial), hasFailed: true))
            carriers.cancelDial(dial, of: node, network: &network, now: now)
            takeCarrierEffects(isInsideHandle: true)
        case .carrierSend(let carrier, let bytes):
            sendFrame(bytes, isVoice: false, on: carrier, from: node)
        case .carrierSendVoice(let carrier, let bytes):
            sendFrame(bytes, isVoice: true, on: carrier, from: node)
        case .carrierClose(let carrier):
            note(node, .carrierClose, carrier.number)
            carriers.close(carrier, of: node, network: &network, now: now)
            takeCarrierEffects(isInsideHandle: true)
        case .sendBeacon(let bytes): sendBeacon(bytes, from: node)
        case .announce(let record):
            announce(record, by: node)
        case .announceSealed(let service):
            announce(service, by: node)
        case .voice(let bytes, let slot):
            counts.voicePacketsHeard += 1
            note(node, .voiceOut, TraceHash.digest(bytes))
            let stamp = speech == nil ? VoiceStamp(bytes) : VoiceStamp(ofPayload: bytes)
            if let onVoice, let stamp { onVoice(stamp, node) }
            if let stamp { said?.addHeard(stamp, at: node) }
            observe(.voice(observer: node, slotHolder: nodes[node].slots[slot.index]?.peer, stamp))
        case .peerReport(let report, let slot):
            note(node, .peerReport, UInt64(report.lossPermille) << 8 | UInt64(slot.index))
        case .peerTakesPlain, .sessionBegan, .table, .tableDigests, .peerListens, .channelsAdvertised,
            .peerHoldsChannels, .call, .channelJoin:
            break
        case .carrierAdmitFrame(let carrier): admitFrame(on: carrier, at: node)
        case .carrierTrust(let carrier): trust(carrier, at: node)
        case .event(let event): hear(event, at: node)
        case .proveCode(let carrier, let task):
            prove(task, on: carrier, of: node)
        case .enteredMesh(let grant): enter(grant, by: node)
        case .storeMesh(let mesh): store(mesh, of: node)
        case .advanceInstance(let instance): writeCounter(instance, of: node)
        case .remember(let peer, _, let endpoints):
            note(node, .remember, UInt64(endpoints.count))
            nodes[node].remember(PeerHint(source: .remembered, node: peer, endpoints: endpoints))
        }
    }

    /// The process writes its instance counter, which an advance has raised, to disk. It goes on when the counter is on
    /// disk.
    private func writeCounter(_ instance: Instance, of node: Int) {
        note(node, .advanceInstance, instance.number)
        counts.advances += 1
        observe(.advanceAsked(node: node, ownTime: localNow(node)))
        queue.schedule(
            .advanced(node: node, life: network.hosts[node].life, instance), at: now + SimLimits.counterWriteTime)
    }

    /// The counter is on disk. A process that ends before leaves the disk as it was.
    func finishCounter(_ instance: Instance, of node: Int) {
        nodes[node].instanceOnDisk = max(nodes[node].instanceOnDisk, instance.number)
        observe(.counterWritten(node: node, instance))
        deliver(.instanceAdvanced(instance), .advanced, instance.number, to: node)
    }

    func note(_ node: Int, _ kind: TraceKind, _ digest: UInt64) {
        hash.add(node: node, kind: kind, at: now, digest: digest)
    }

    // MARK: Datagrams and beacons

    func send(_ bytes: [UInt8], to: Endpoint, from node: Int) {
        if let member = nodes[node].hostile, withholds(bytes, member) { return addLostByNetwork(bytes) }
        counts.datagramsSent += 1
        counts.bytesSent += UInt64(bytes.count)
        let digest = TraceHash.digest(bytes)
        note(node, .send, digest ^ to.address.low << 16 ^ UInt64(to.port))
        if WireLimits.datagramBytesMax < bytes.count {
            observe(.datagramSent(node: node, byteCount: bytes.count))
        }
        guard let target = network.host(at: to.address), target != node, to.port == SimLimits.port else {
            if to == SimLimits.stranger { observe(.strangerServed(node: node, byteCount: bytes.count)) }
            return addLostByNetwork(bytes)
        }
        if watch != nil { observe(.sent(node: node, to: target)) }
        if ambush(bytes, from: node, to: target, digest: digest) { return addLostByNetwork(bytes) }
        nodes[node].lastDatagrams[target] = bytes
        let fate = network.transit(from: node, to: target, now: now)
        guard case .arrives(let after, let again, let isCorrupt) = fate else { return addLostByNetwork(bytes) }
        let from = network.hosts[node].endpoint
        let carried = isCorrupt ? network.corrupted(bytes, from: node, to: target) : bytes
        let carriedDigest = isCorrupt ? TraceHash.digest(carried) : digest
        let arrival = Happening.datagram(
            to: target, address: to.address, carried, from: from, digest: carriedDigest, author: isCorrupt ? nil : node)
        queue.schedule(arrival, at: now + after)
        if let again { queue.schedule(arrival, at: now + again) }
    }

    func sendBeacon(_ bytes: [UInt8], from node: Int) {
        let digest = TraceHash.digest(bytes)
        note(node, .sendBeacon, digest)
        counts.beacons += 1
        nodes[node].beacon = bytes
        guard network.hosts[node].isOnline else { return }
        let from = network.hosts[node].endpoint
        for listener in nodes.indices {
            guard network.hosts[listener].isListening, discovery.canHear(listener, node),
                network.hosts[listener].site == network.hosts[node].site
            else { continue }
            if listener == node {
                // Multicast is looped back to its sender.
                queue.schedule(.beacon(to: node, bytes, from: from, digest: digest), at: now)
                continue
            }
            guard case .arrives(let after, _, let isCorrupt) = network.transit(from: node, to: listener, now: now)
            else { continue }
            let carried = isCorrupt ? network.corrupted(bytes, from: node, to: listener) : bytes
            queue.schedule(.beacon(to: listener, carried, from: from, digest: digest), at: now + after)
        }
    }

    private func announce(_ record: NodeRecord, by node: Int) {
        note(node, .announce, UInt64(record.sequence))
        // A newcomer announces nothing. It announces itself when it has entered.
        if case .newcomer = nodes[node].standing { return }
        nodes[node].announced = record.version
        discovery.announce(record, by: node)
        // A member that starts announces its service next.
        if nodes[node].standing.isMember, discovery.advert(of: node)?.service == nil { return }
        for listener in nodes.indices { deliverAdvert(of: node, to: listener) }
    }

    private func announce(_ service: SealedService, by node: Int) {
        note(node, .announce, TraceHash.digest(service.salt + service.tag + service.sealedNode))
        discovery.announce(service, by: node)
        for listener in nodes.indices { deliverAdvert(of: node, to: listener) }
    }

    /// Schedules the directory's hints about one node for one listener: late, perhaps two, perhaps none. A node gets
    /// hints about itself too.
    func deliverAdvert(of subject: Int, to listener: Int) {
        let host = network.hosts[listener]
        guard host.isListening, host.site == network.hosts[subject].site,
            let advert = discovery.advert(of: subject)
        else { return }
        let isReached = listener == subject || network.isOpen(from: subject, to: listener)
        discovery.note(isOwed: !isReached || !discovery.canHear(listener, subject), to: listener, of: subject)
        guard !discovery.isOwed(to: listener, of: subject) else { return }
        for delay in discovery.directoryDelays(of: subject, to: listener) {
            queue.schedule(.hint(to: listener, life: host.life, advert), at: now + delay)
        }
    }

    /// Sends each listener the adverts that it missed, as if it had asked for them again (RFC 6762 §5.2). A real mDNS
    /// browser asks again at growing intervals; a simulated one asks at once.
    func deliverMissedAdverts() {
        for listener in nodes.indices {
            for subject in nodes.indices where discovery.isOwed(to: listener, of: subject) {
                deliverAdvert(of: subject, to: listener)
            }
        }
    }

    // MARK: Carriers

    private func dial(_ dial: DialID, _ endpoint: Endpoint, expecting: NodeID?, from node: Int) {
        counts.dials += 1
        note(node, .dial, dial.number ^ endpoint.address.low << 16 ^ UInt64(endpoint.port))
        let peer = expecting.flatMap { number(of: $0) }
        let expected = peer.map { nodes[$0].name } ?? "anybody"
        transcript?.recordDetail("\(nodes[node].name): dial \(dial.number) to \(endpoint) for \(expected)", at: now)
        record?.dialled(dial, to: endpoint, for: peer, by: node, in: self)
        spendDial(dial, of: node)
        nodes[node].dialled[dial] = peer
        if let peer {
            let known = peerSnapshot(at: node, of: peer)
            let wanted = WantedPeer(instance: known?.known?.instance, hasLeft: known?.link?.status.presence == .left)
            observe(.dialled(observer: node, peer: peer, to: endpoint, for: wanted))
        }
        carriers.dial(dial, from: node, to: endpoint, expecting: expecting, network: &network, now: now)
        takeCarrierEffects(isInsideHandle: true)
    }

    func spendDial(_ dial: DialID, of node: Int) {
        nodes[node].dialPlaces.insert(dial)
        observe(.dialPlaceTaken(node: node, inProgress: nodes[node].dialPlaces.count))
        switch nodes[node].dialBudget.spend(now: localNow(node)) {
        case .spare: break
        case .earnedNow: observe(.dialEarned(node: node))
        case .overspent: observe(.dialOverspent(node: node))
        }
    }

    /// Frees the place of a dial that has ended, for any reason.
    func leaveDialPlace(_ dial: DialID, of node: Int) {
        guard nodes[node].dialPlaces.remove(dial) != nil else { return }
        observe(.dialPlaceLeft(node: node, inProgress: nodes[node].dialPlaces.count))
    }

    private func sendFrame(_ bytes: [UInt8], isVoice: Bool, on carrier: CarrierID, from node: Int) {
        guard let member = nodes[node].hostile else {
            return transmit(bytes, isVoice: isVoice, on: carrier, from: node)
        }
        for frame in misrepresent(bytes, of: node, member) {
            transmit(frame, isVoice: isVoice, on: carrier, from: node)
        }
    }

    func transmit(_ bytes: [UInt8], isVoice: Bool, on carrier: CarrierID, from node: Int) {
        counts.framesSent += 1
        counts.bytesSent += UInt64(bytes.count)
        let digest = TraceHash.digest(bytes)
        note(node, isVoice ? .carrierSendVoice : .carrierSend, digest ^ carrier.number)
        if let peer = carriers.peer(of: carrier) {
            keep(bytes, from: node, to: peer)
            if isVoice, !network.isOpen(from: node, to: peer) { addLostByNetwork(bytes) }
        }
        onFrame?(bytes, node, carriers.peer(of: carrier))
        handleAnswer(bytes, at: carriers.peer(of: carrier), from: node)
        if !isVoice { recordStep(bytes, on: carrier, of: carriers.peer(of: carrier), from: node) }
        carriers.send(bytes, digest: digest, isVoice: isVoice, on: carrier, of: node, network: &network, now: now)
        takeCarrierEffects(isInsideHandle: true)
    }

    func recordStep(_ frame: [UInt8], on carrier: CarrierID, of peer: Int?, from node: Int) {
        guard transcript != nil || record != nil, let step = CarrierMessage.negotiationStep(in: frame) else { return }
        record?.negotiated(step, with: peer, by: node, in: self)
        transcript?.recordDetail("\(nodes[node].name): carrier \(carrier.number) is sent \(step)", at: now)
    }

    /// Notes an invitation or a refusal. Each of them answers a HELLO.
    func handleAnswer(_ frame: [UInt8], at peer: Int?, from node: Int) {
        guard let peer, let kind = FrameKind(of: frame) else { return }
        if kind == .refuse || kind == .decline { observe(.refused(observer: node, peer: peer)) }
        guard kind == .invite else { return }
        counts.invitations += 1
        let invitation = Observation.invited(observer: node, peer: peer)
        // Other nodes refuse a duplicate as long as it lives. So invitations from or to one of the two nodes with the
        // same identity may go on, and do not count as the last invitation.
        let isOfDuplicates = options.duplicateOf.map { invitation.isAbout($0, or: nodeCount - 1) } ?? false
        if !isOfDuplicates { lastInvitationAt = now }
        observe(invitation)
        if network.hosts[node].node < network.hosts[peer].node {
            observe(.followerInvited(observer: node, peer: peer))
        }
    }

    // MARK: Events

    /// Whether the echo that the node has just read from the peer came through a neighbour, or the node now sends voice
    /// to the peer through a neighbour. The path in use does not show which path brought the echo: after a change of
    /// its own addresses a node tries the direct path first.
    private func isByNeighbour(_ peer: Int, at node: Int) -> Bool {
        guard let link = peerSnapshot(at: node, of: peer)?.link else { return false }
        return link.status.path == .relay || link.paths.contains { $0.kind == .relay && $0.echoedAt == localNow(node) }
    }

    /// Whether a node has had its peer up over a direct path for `SimLimits.sharedUnrestMax`, so that the peer must
    /// know of it too. A path through a neighbour does not count, because something may be wrong with the neighbour.
    func hasLongBeenUp(_ peer: Int, at node: Int) -> Bool {
        let slots = nodes[node].slots
        guard up.isUp(peer, at: node), let slot = slots.firstIndex(where: { $0?.peer == peer }),
            let since = slots[slot]?.pathSince, nodes[node].reported[slot].path == .direct
        else { return false }
        return SimLimits.sharedUnrestMax <= now - since
    }

    private func hear(_ event: MeshEvent, at node: Int) {
        note(node, .event, event.traceDigest)
        transcript?.record(event, at: node, in: self)
        onEvent?(event, node)
        watch?.marks.note(event)
        record?.note(event, at: node, in: self)
        switch event {
        case .peerUp(let slot, let peer, let instance, _):
            guard let number = number(of: peer) else {
                observe(.strangerUp(observer: node, peer))
                return
            }
            nodes[node].slots[slot.index] = SimNode.SlotHolder(peer: number, instance: instance, pathSince: now)
            observe(.peerUp(observer: node, peer: number, slot: slot.index, instance))
            if isByNeighbour(number, at: node) { observe(.relayed(observer: node, peer: number)) }
        case .peerDown(let slot, let peer, let instance, let reason):
            guard let number = number(of: peer) else { return }
            counts.linksLost += 1
            nodes[node].slots[slot.index] = nil
            nodes[node].reported[slot.index] = MeshSnapshot.Reported()
            observe(
                .linkLost(
                    observer: node, peer: number, reason,
                    steadyFor: isDue(reason, node, number) ? nil : steadyFor(node, number),
                    isShared: hasLongBeenUp(node, at: number)))
            observe(.peerDown(observer: node, peer: number, slot: slot.index, instance, reason))
        case .pathChanged(let slot, let peer, let path, let neighbour):
            nodes[node].reported[slot.index].path = path
            nodes[node].reported[slot.index].neighbour = neighbour
            nodes[node].slots[slot.index]?.pathSince = now
            guard path == .relay, let number = number(of: peer) else { return }
            observe(.relayed(observer: node, peer: number))
        case .peerFlapping(let peer, let isFlapping):
            guard let number = number(of: peer) else { return }
            observe(.flapping(observer: node, peer: number, isFlapping))
        case .peerDead(let peer, _):
            guard let number = number(of: peer) else { return }
            observe(.takenForDead(observer: node, peer: number, steadyFor: steadyFor(node, number)))
        case .peerAdvanced(let slot, let peer, let instance):
            guard let number = number(of: peer) else { return }
            nodes[node].slots[slot.index]?.instance = instance
            observe(.peerAdvanced(observer: node, peer: number, instance))
        case .ownInstanceAdvanced(let instance):
            nodes[node].instance = instance
            nodes[node].lastLife[instance] = nodes[node].life
            observe(.advanced(node: node, instance))
        case .peerChannels(let slot, _, let channels):
            nodes[node].reported[slot.index].listens = channels.contains(SimLimits.channel)
        case .peerTalking(let slot, _, let isTalking):
            nodes[node].reported[slot.index].isTalking = isTalking
        case .ghostDropped:
            counts.ghostsDropped += 1
        case .probeAnswered:
            counts.probesAnswered += 1
        case .duplicateIdentity:
            counts.duplicatesReported += 1
        default:
            break
        }
    }
}

extension CarrierMessage {
    /// The text that a traced run writes for a control frame; nil unless the frame is an invitation, an answer to one,
    /// a refusal, LEAVE or a connect request.
    fileprivate static func negotiationStep(in frame: [UInt8]) -> String? {
        switch try? CarrierMessage(parsing: frame, isBeforeHello: false) {
        case .invite(let invite): "INVITE \(invite.attempt)"
        case .accept(let accept): "ACCEPT \(accept.attempt)"
        case .decline(let reason): "DECLINE \(reason)"
        case .refuse(let reason, let milliseconds): "REFUSE \(reason), \(milliseconds) ms"
        case .leave: "LEAVE"
        case .connectRequest(let connectRequest): "CONNECT_REQUEST to \(connectRequest.leader)"
        case .hello, .mediaKey, .mediaKeyAnswer, .mediaKeyConfirm, .channels, .records, .recordVersions, .linkStates,
            .datagram, .tunnel, .table, .call, .admission, .channelJoin, .epoch, .words, nil:
            nil
        }
    }
}
