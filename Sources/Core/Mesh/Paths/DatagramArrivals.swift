import Primitives
import Trust
import Wire

/// Sealed datagrams as they arrive. A datagram that does not open is counted and never answered.
extension MeshNode {
    /// The source of a datagram.
    enum Source {
        case address(Endpoint)
        /// Inside the carrier of this peer.
        case carrier(of: Int)
        /// Relayed by a neighbour, which received it from the peer at index `origin`.
        case neighbour(NodeID, RelayTurn, origin: Int)
    }

    /// The path of a datagram that has opened.
    enum Arrival {
        case path(Int)
        /// Authentic, but from an address that is not proved.
        case stranger(Endpoint)
    }

    mutating func receive(_ bytes: [UInt8], from source: Endpoint, now: Instant) {
        open(bytes, from: .address(source), now: now)
    }

    mutating func receiveCarried(_ bytes: [UInt8], of index: Int, now: Instant) {
        open(bytes, from: .carrier(of: index), now: now)
    }

    mutating func open(_ bytes: [UInt8], from source: Source, now: Instant) {
        let datagram: SealedDatagram
        do throws(OpenError) {
            datagram = try SealedDatagram(parsing: bytes)
        } catch {
            effects.count(MeshCounter(error))
            return
        }
        let keyID = datagram.header.keyID
        guard let index = links.keyIDs[keyID]?.index, source.allows(index) else {
            effects.count(.datagramsUnknownKey)
            return
        }
        guard let (session, role) = links.session(of: index, opening: keyID),
            let opened = open(datagram, of: index, by: session, now: now)
        else { return }
        let body: DatagramBody
        do throws(WireError) {
            body = try DatagramBody(parsing: opened.body)
        } catch {
            effects.count(.datagramBodiesMalformed)
            return
        }
        guard paths[index].admit(body, now: now) else {
            effects.count(.datagramsOverRate)
            return
        }
        switch role {
        case .current:
            heard(body, opened.generation, of: index, from: source, size: bytes.count, now: now)
        case .candidate: heardByCandidate(body, of: index, from: source, size: bytes.count, now: now)
        case .retired: deliver(body, of: index)
        }
        if let relayed = body.relayed { handle(relayed, of: index, role, from: source, now: now) }
        if effects.areDeadlinesStale { refreshAllDeadlines(now: now) } else { refreshDeadline(of: index, now: now) }
    }

    private mutating func open(
        _ datagram: SealedDatagram, of index: Int, by session: Session, now: Instant
    ) -> (body: [UInt8], generation: UInt32)? {
        do throws(OpenError) {
            return try session.media.open(datagram, now: now)
        } catch {
            effects.count(MeshCounter(error))
            return nil
        }
    }

    // MARK: The agreed session

    private mutating func heard(
        _ body: DatagramBody, _ generation: UInt32, of index: Int, from source: Source, size: Int, now: Instant
    ) {
        registerArrival(now: now)
        paths[index].session?.heardAt = now
        confirmHeard(index, isEcho: false, now: now)
        serveGeneration(generation, of: index, now: now)
        if let arrival = paths[index].session?.arrival(from: source, now: now) {
            if case .path(let path) = arrival { paths[index].session?.table[path].heardAt = now }
            if let control = body.control { handle(control, of: index, arrival, now: now) }
            updatePaths(body, of: index, .current, arrival, size: size, now: now)
        }
        deliver(body, of: index)
    }

    private mutating func handle(_ control: ControlBlock, of index: Int, _ arrival: Arrival, now: Instant) {
        countLoss(control, of: index, arrival, now: now)
        handleEcho(control, of: index, now: now)
        // A block that was overtaken on the way has old facts.
        if paths[index].session?.isNewest(control.sequence) == true { note(control, of: index, now: now) }
        guard case .path(let path) = arrival else { return }
        paths[index].session?.table[path].keepNewestHeard(control.sequence, now: now)
        if control.flags.contains(.probe) {
            if isSuspicionShared(index, path, now: now) { startProbing(index, now: now) }
            // A probe without an echo proves nothing to this node. Where the link is not up, the answer is therefore
            // a probe too.
            let isAsked = !links[index].state.isUp && control.echo == nil
            send(of: index, over: path, control: isAsked ? .probe : [], now: now)
        }
    }

    /// Whether the peer probes over a worse kind of path than the chosen one, and the chosen one has stopped
    /// answering here too. Then both sides send voice over two paths at once, and neither waits for its own silence
    /// limit.
    private func isSuspicionShared(_ index: Int, _ path: Int, now: Instant) -> Bool {
        guard case .up = links[index].state, let table = paths[index].session?.table,
            table.chosenPath.kind.rawValue < table[path].kind.rawValue
        else { return false }
        return !table.chosenPath.isFresh(now: now)
    }

    /// Counts lost control blocks. Only ordinary blocks over one direct path show what is lost, because probes are
    /// sent over all paths.
    private func countLoss(_ control: ControlBlock, of index: Int, _ arrival: Arrival, now: Instant) {
        guard let session = paths[index].session else { return }
        guard case .path(let path) = arrival, session.table[path].kind == .direct, !control.flags.contains(.probe)
        else {
            session.controlLoss.restart()
            return
        }
        session.controlLoss.note(control.sequence, path: path, now: now)
    }

    private mutating func handleEcho(_ control: ControlBlock, of index: Int, now: Instant) {
        guard let echo = control.echo else { return }
        // `handleEcho` removes the block from `sent`, so this comes first.
        let isKnown = paths[index].session?.sent.contains(echo) == true
        let hasCarrier = links[index].session?.carrier != nil
        guard let proof = paths[index].session?.handleEcho(control, hasCarrier: hasCarrier, now: now) else {
            if isKnown {
                effects.count(.echoesLate)
                confirmHeard(index, isEcho: true, now: now)
            }
            return
        }
        if detector.health.improve(now: now) { effects.invalidateDeadlines() }
        if paths[index].probeSequence == echo {
            paths[index].probeSequence = nil
            effects.report(.probeAnswered(links[index].slot, links[index].node, rtt: proof.rtt))
        }
        switch links[index].state {
        case .verifying where proof.isPathOpen: setState(index, .echoed(now: now))
        case .up, .verifying: break
        case .down, .connecting, .inviting, .awaitingInvite, .awaitingDecision, .quarantined:
            if proof.isPathOpen { wake(index, now: now) }
        }
        choosePath(index, now: now)
    }

    /// Handles the fields of a control block other than its echo.
    private mutating func note(_ control: ControlBlock, of index: Int, now: Instant) {
        membership[index].recordsDigest = control.digest
        guard links[index].state.isLinked else { return }
        let slot = links[index].slot
        if control.digest != membership.gossip.digest { scheduleVersions(index, now: now) }
        effects.output(.peerMediaClock(control.sampleTime, of: slot))
        if let report = control.report {
            paths[index].peerReport = report
            effects.output(.peerReport(report, from: slot))
        }
        applyFlags(control.flags, of: index, now: now)
    }

    /// Sends an event to the shell for each flag of a peer that has changed. Changes beyond `flagChangesBurst` are only
    /// delayed: the next control block has the flag again, unless it has changed back.
    private mutating func applyFlags(_ flags: ControlFlags, of index: Int, now: Instant) {
        let (takesPlain, isTalking) = (flags.contains(.takesPlain), flags.contains(.talking))
        let isRecording = flags.contains(.recording)
        let isNews =
            takesPlain != paths[index].takesPlain || isTalking != paths[index].isTalking
            || isRecording != paths[index].isRecording
        guard isNews else { return }
        guard paths[index].flagChanges.take(now: now) else {
            effects.count(.flagChangesOverRate)
            return
        }
        let (slot, node) = (links[index].slot, links[index].node)
        if takesPlain != paths[index].takesPlain {
            paths[index].takesPlain = takesPlain
            effects.output(.peerTakesPlain(takesPlain, of: slot))
        }
        if isTalking != paths[index].isTalking {
            paths[index].isTalking = isTalking
            effects.report(.peerTalking(slot, node, isTalking))
        }
        if isRecording != paths[index].isRecording {
            paths[index].isRecording = isRecording
            effects.report(.peerRecording(slot, node, isRecording))
        }
    }

    private mutating func deliver(_ body: DatagramBody, of index: Int) {
        guard !body.voice.isEmpty else { return }
        guard links[index].state.isLinked else {
            effects.count(.voiceBeforeUp)
            return
        }
        effects.output(.voice(body.voice, from: links[index].slot))
    }

    // MARK: The session to come

    /// Handles an authentic datagram of the candidate session. It proves to the follower that the leader has the
    /// key halves of both nodes. An echo in it makes the candidate the session.
    private mutating func heardByCandidate(
        _ body: DatagramBody, of index: Int, from source: Source, size: Int, now: Instant
    ) {
        paths[index].candidate?.heardAt = now
        serveCandidate(index, now: now)
        guard let arrival = paths[index].candidate?.arrival(from: source, now: now) else { return }
        updatePaths(body, of: index, .candidate, arrival, size: size, now: now)
        if let control = body.control {
            if case .path(let path) = arrival {
                paths[index].candidate?.table[path].heardAt = now
                paths[index].candidate?.table[path].keepNewestHeard(control.sequence, now: now)
            }
            let hasCarrier = links[index].candidate?.carrier != nil
            let proof = paths[index].candidate?.handleEcho(control, hasCarrier: hasCarrier, now: now)
            if case .path(let path) = arrival, control.flags.contains(.probe) {
                sendProbe(ofCandidate: index, over: path, now: now)
            }
            if proof?.isPathOpen == true {
                promote(index, now: now)
                choosePath(index, now: now)
            }
        }
        deliver(body, of: index)
    }
}

extension MeshNode.Source {
    /// Whether a datagram with a key of the peer at `index` may come from this source. A carrier or a neighbour must
    /// name that peer.
    func allows(_ index: Int) -> Bool {
        switch self {
        case .address: true
        case .carrier(let peer), .neighbour(_, _, let peer): peer == index
        }
    }
}

extension MeshNode {
    /// What this node knows of a path through a neighbour.
    struct RelayTurn {
        var rank: UInt64
        /// Whether this node may hand datagrams to the neighbour: the neighbour is linked, and not reached through
        /// another one.
        var isOpen: Bool
    }
}

extension Paths.Peer {
    /// Takes a token of the peer's allowance. Only authentic datagrams get here, so a forger cannot use up the
    /// allowance.
    mutating func admit(_ body: DatagramBody, now: Instant) -> Bool {
        body.relayed == nil ? datagrams.take(now: now) : relayed.take(now: now)
    }
}

extension PathSet {
    /// Returns how a datagram came to this session. The first datagram through a neighbour adds its path. Returns nil
    /// where all such paths are taken and none can be replaced.
    func arrival(from source: MeshNode.Source, now: Instant) -> MeshNode.Arrival? {
        switch source {
        case .carrier: return .path(table.carrierIndex)
        case .neighbour(let node, let turn, _):
            return table.index(through: node, rank: turn.rank, isOpen: turn.isOpen, now: now).map { .path($0) }
        case .address(let endpoint):
            guard let path = table.index(of: .address(endpoint)), table[path].trust == .proved else {
                return .stranger(endpoint)
            }
            return .path(path)
        }
    }
}
