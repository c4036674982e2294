import Primitives
import Trust
import Wire

/// Sealing and sending of datagrams.
extension MeshNode {
    mutating func sendVoice(_ payload: [UInt8], to slot: PeerSlot, now: Instant) {
        let index = slot.index
        guard index < links.indices.count, links[index].state.isLinked, let set = paths[index].current else {
            effects.count(.voiceWithoutLink)
            return
        }
        guard payload.count <= WireLimits.voicePayloadBytesMax else {
            effects.count(.voiceOversized)
            return
        }
        let path = set.table.chosen
        let isDue = set.isControlDueSoon(now: now)
        if isDue {
            effects.count(.controlBlocksRiding)
            set.scheduleControl(&effects, now: now)
            // A heartbeat would add paths through neighbours, but none leaves while voice carries the control blocks.
            if set.table.chosenPath.kind == .carrier { requestRelays(for: index, now: now) }
        }
        if let second = secondPath(for: index, set, now: now) {
            // Each path has its own control blocks. A datagram that is sent over two paths therefore carries none, and
            // the control block leaves in a datagram of its own.
            if isDue { sendControl(of: index, over: path, now: now) }
            sendTwice(payload, of: index, over: path, and: second, now: now)
        } else {
            // Digests and lists have no room beside voice, and the padding of a relayed control block has none.
            let isApart = isDue && (paths[index].hasMoreForControl || set.table[path].kind == .relay)
            if isApart { sendControl(of: index, over: path, now: now) }
            sendDatagram(of: index, over: path, control: isDue && !isApart ? [] : nil, voice: payload, now: now)
        }
        if isDue { refreshDeadline(of: index, now: now) }
    }

    /// The second path for voice: while the link is in verification, and for some time after a worse path has replaced
    /// the direct one. Nil at other times, and if there is no second path.
    private func secondPath(for index: Int, _ set: PathSet, now: Instant) -> Int? {
        if case .verifying = links[index].state { set.table.second } else { set.table.formerDirect(now: now) }
    }

    /// Sends voice over two paths. Both datagrams have the same sealed bytes, so the listener's replay window accepts
    /// only the first to arrive.
    private mutating func sendTwice(
        _ payload: [UInt8], of index: Int, over path: Int, and second: Int, now: Instant
    ) {
        guard let session = links[index].session, let set = paths[index].current,
            let datagram = session.seal(set.makeBody(over: path, facts: nil, voice: payload, now: now))
        else { return }
        emit(datagram, of: index, over: set.table[path].route, session.carrier, now: now)
        emit(datagram, of: index, over: set.table[second].route, session.carrier, now: now)
    }

    /// Sends the regular control block, with the digests of tables and the list of channels that wait for it.
    mutating func sendControl(of index: Int, over path: Int, now: Instant) {
        var listening: ListeningChange?
        if paths[index].takeList(now: now), let (channels, generation) = membership[index].channelsAdvertised {
            listening = ListeningChange(channels.wire.listened, generation: generation)
        }
        sendDatagram(
            of: index, over: path, control: [], listening: listening, tableDigests: paths[index].takeTableDigests(),
            now: now)
    }

    /// Sends one datagram of the session. It has a control block, with the flags `control`, unless `control` is nil.
    mutating func sendDatagram(
        of index: Int, over path: Int, control: ControlFlags?, listening: ListeningChange? = nil,
        tableDigests: [TableDigest] = [], voice: [UInt8] = [], now: Instant
    ) {
        let facts = control.map { controlFacts(of: index, in: .current, $0, now: now) }
        guard let session = links[index].session, let set = paths[index].current else { return }
        let body = set.makeBody(
            over: path, facts: facts, listening: listening,
            tally: control == nil ? nil : membership[index].tally(of: membership.talkedOn),
            tableDigests: tableDigests, voice: voice, now: now)
        guard let datagram = session.seal(body) else { return }
        emit(datagram, of: index, over: set.table[path].route, session.carrier, now: now)
    }

    /// Sends a probe with the keys of the candidate session. No echo has proved that session yet.
    mutating func sendProbe(ofCandidate index: Int, over path: Int, now: Instant) {
        let facts = controlFacts(of: index, in: .candidate, .probe, now: now)
        guard let candidate = links[index].candidate, let set = paths[index].candidate,
            let datagram = candidate.seal(set.makeBody(over: path, facts: facts, now: now))
        else { return }
        emit(datagram, of: index, over: set.table[path].route, candidate.carrier, now: now)
    }

    private func controlFacts(
        of index: Int, in role: SessionRole, _ flags: ControlFlags, now: Instant
    ) -> ControlFacts {
        paths.facts(
            for: index, flags, digest: membership.gossip.digest, held: membership[index].held(in: role), now: now)
    }

    /// Sends a sealed datagram to the peer at `index` over one route.
    mutating func emit(
        _ datagram: [UInt8], of index: Int, over route: PathRoute, _ carrier: CarrierID?, now: Instant
    ) {
        if case .neighbour(let neighbour) = route {
            sendRelayed(datagram, to: links[index].node, through: neighbour, now: now)
        } else {
            put(datagram, over: route, carrier)
        }
    }

    /// Hands a sealed datagram to the shell, which sends it to the address or on the carrier. Drops the datagram if the
    /// carrier is gone.
    mutating func put(_ datagram: [UInt8], over route: PathRoute, _ carrier: CarrierID?) {
        switch route {
        case .address(let endpoint): effects.output(.send(datagram, to: endpoint))
        case .carrier:
            guard let carrier else { return }
            effects.output(.carrierSendVoice(carrier, CarrierMessage.datagram(datagram).encoded()))
        case .neighbour: illegal("a relayed route", in: "put")
        }
    }

    mutating func keepReception(_ report: ReceptionReport, of slot: PeerSlot) {
        guard slot.index < links.indices.count, links[slot.index].state.isLinked else { return }
        paths[slot.index].keepReception(report)
    }

    /// Sets to which peers control blocks show that this node talks. For each linked peer for which this changes, the
    /// next control block becomes due now.
    mutating func setTalking(_ shown: ShownTalk, now: Instant) {
        let before = paths.setTalk(shown)
        // A control block that comes early would show an attentive peer that something has changed. So a peer to which
        // the same is shown as before gets none.
        scheduleControl(now: now) { before.isShown(to: $0) != shown.isShown(to: $0) }
    }

    /// Tells every linked peer that a recording began or ended, by a control block that becomes due now.
    mutating func setRecording(_ isRecording: Bool, now: Instant) {
        advertise(.recording, isRecording, now: now)
    }

    /// Sets whose private talk and talk to all this node plays. A control block, which becomes due now, reports that to
    /// each linked peer for which it changes.
    mutating func setGrants(_ grants: TalkGrants, now: Instant) {
        let before = paths.setGrants(grants)
        scheduleControl(now: now) { before.refused(to: $0) != grants.refused(to: $0) }
    }

    private mutating func advertise(_ flag: ControlFlags, _ isSet: Bool, now: Instant) {
        if paths.setFlag(flag, isSet) { scheduleControl(now: now) { _ in true } }
    }

    /// Makes the next heartbeat of these peers due now. It leaves when the shell handles the deadline, or with voice
    /// before that.
    private mutating func scheduleControl(now: Instant, to isConcerned: (NodeID) -> Bool) {
        for index in links.indices where links[index].state.isLinked && isConcerned(links[index].node) {
            paths[index].current?.scheduleControl(at: now)
            refreshDeadline(of: index, now: now)
        }
    }
}

/// Control blocks (heartbeats) and probes that are due.
extension MeshNode {
    /// Sends the regular control block, which is not due if a voice packet has just carried one. If the link is down
    /// and its session still has keys, sends probes instead.
    mutating func sendHeartbeat(_ index: Int, now: Instant) {
        guard let session = links[index].session, let set = paths[index].current else { return }
        guard links[index].state.isLinked else {
            set.sleepOn(now: now)
            requestRelays(for: index, now: now)
            return probeEverywhere(index, now: now)
        }
        session.expireKeys(now: now)
        set.scheduleControl(&effects, now: now)
        // Perhaps no echoes come over the chosen path any more, while another path is alive.
        choosePath(index, now: now)
        if set.table.chosenPath.kind == .carrier { requestRelays(for: index, now: now) }
        effects.count(.controlBlocksSent)
        sendControl(of: index, over: set.table.chosen, now: now)
        rekeyWornOut(index, now: now)
    }

    /// Sends a probe over every path that is proved and in use.
    mutating func probeEverywhere(_ index: Int, now: Instant) {
        guard let set = paths[index].current else { return }
        for path in set.table.paths.indices where set.table[path].isProbed {
            sendDatagram(of: index, over: path, control: .probe, now: now)
        }
    }

    /// Probes the candidate session until an echo comes back.
    mutating func probeCandidate(_ index: Int, now: Instant) {
        guard let set = paths[index].candidate else { return }
        set.scheduleControl(at: now + MeshLimits.probeInterval)
        for path in set.table.paths.indices where set.isProbedAsCandidate(path, now: now) {
            sendProbe(ofCandidate: index, over: path, now: now)
        }
    }

    /// Sends the probes that are due on better paths than the chosen one, and the challenges of addresses that are due:
    /// the peer may have new ones, and an earlier challenge may have been lost.
    mutating func probePaths(_ index: Int, now: Instant) {
        guard let set = paths[index].current else { return }
        for path in set.table.paths.indices where set.takeDueProbe(of: path, now: now) {
            sendDatagram(of: index, over: path, control: .probe, now: now)
        }
        if set.takeDueChallenges(now: now) { challengeAddresses(index, now: now) }
    }

    /// Sends a probe that measures the round trip; its echo causes `probeAnswered`.
    mutating func probe(_ slot: PeerSlot, now: Instant) {
        let index = slot.index
        guard index < links.indices.count, links[index].state.isLinked, let path = paths[index].current?.table.chosen
        else { return }
        sendDatagram(of: index, over: path, control: .probe, now: now)
        paths[index].awaitProbeEcho()
    }
}
