import Primitives
import Trust
import Wire

/// Sealed datagrams as they arrive. A datagram that does not open is counted and never answered.
extension MeshNode {
    mutating func receiveDatagram(_ bytes: [UInt8], from source: Endpoint, now: Instant) {
        openDatagram(bytes, from: .address(source), now: now)
    }

    mutating func receiveCarried(_ bytes: [UInt8], of index: Int, now: Instant) {
        openDatagram(bytes, from: .carrier(of: index), now: now)
    }

    private mutating func openDatagram(_ bytes: [UInt8], from source: DatagramSource, now: Instant) {
        guard let arrived = handleDatagram(bytes, from: source, now: now) else { return }
        if let relayed = arrived.relayed { handleRelayed(relayed, of: arrived.index, now: now) }
        refreshDeadlines(after: arrived.index, now: now)
    }

    /// Opens a datagram that a neighbour has relayed to this node. A relayed datagram inside it is not handled: relays
    /// have one hop.
    mutating func openRelayed(_ bytes: [UInt8], from source: DatagramSource, now: Instant) {
        guard let arrived = handleDatagram(bytes, from: source, now: now) else { return }
        if arrived.relayed != nil { effects.count(.relaysNested) }
        refreshDeadlines(after: arrived.index, now: now)
    }

    private mutating func refreshDeadlines(after index: Int, now: Instant) {
        if effects.areDeadlinesStale { refreshAllDeadlines(now: now) } else { refreshDeadline(of: index, now: now) }
    }

    /// An authentic datagram that has arrived: its sender, and the relayed datagram in it.
    private struct Arrived {
        var index: Int
        var relayed: RelayedDatagram?
    }

    /// Opens a datagram and handles everything in it except a relayed datagram. Returns nil if the datagram does not
    /// open, if its body is malformed, or if it exceeds the allowance of the peer.
    private mutating func handleDatagram(_ bytes: [UInt8], from source: DatagramSource, now: Instant) -> Arrived? {
        let datagram: SealedDatagram
        do throws(OpenError) {
            datagram = try SealedDatagram(parsing: bytes)
        } catch {
            effects.count(MeshCounter(error))
            return nil
        }
        let keyID = datagram.header.keyID
        guard let index = links.keyIDs[keyID]?.index, source.allows(index) else {
            effects.count(.datagramsUnknownKey)
            return nil
        }
        guard let (session, role) = links.session(of: index, opening: keyID),
            let (plaintext, generation) = openBody(of: datagram, by: session, now: now)
        else { return nil }
        let body: DatagramBody
        do throws(WireError) {
            body = try DatagramBody(parsing: consume plaintext)
        } catch {
            effects.count(.datagramBodiesMalformed)
            return nil
        }
        guard paths[index].admit(body, now: now) else {
            effects.count(.datagramsOverRate)
            return nil
        }
        registerArrival(now: now)
        switch role {
        case .current:
            heard(body, generation, of: index, from: source, size: bytes.count, now: now)
        case .candidate: heardUnderCandidateKeys(body, of: index, from: source, size: bytes.count, now: now)
        case .retired: deliver(body, of: index)
        }
        return Arrived(index: index, relayed: body.relayed)
    }

    private mutating func openBody(
        of datagram: SealedDatagram, by session: Session, now: Instant
    ) -> (body: [UInt8], generation: UInt32)? {
        do throws(OpenError) {
            return try session.open(datagram, now: now)
        } catch {
            effects.count(MeshCounter(error))
            return nil
        }
    }

    // MARK: The session in use

    private mutating func heard(
        _ body: DatagramBody, _ generation: UInt32, of index: Int, from source: DatagramSource, size: Int, now: Instant
    ) {
        let set = paths[index].current
        set?.heard(at: now)
        detector.hearSuspect(index, now: now)
        links.activateGeneration(generation, of: index, &effects, now: now)
        if let arrival = set?.arrival(from: source, now: now) {
            if case .path(let path) = arrival { set?.heard(over: path, at: now) }
            if let control = body.control { handleControl(control, body.tally, of: index, arrival, now: now) }
            updatePaths(body, of: index, .current, arrival, size: size, now: now)
        }
        receiveList(body.listening, of: index, now: now)
        receiveTableDigests(body.tableDigests, of: index)
        deliver(body, of: index)
    }

    private mutating func handleControl(
        _ control: ControlBlock, _ tally: Tally?, of index: Int, _ arrival: DatagramArrival, now: Instant
    ) {
        paths[index].current?.countLoss(control, arrival, now: now)
        handleEcho(control, of: index, now: now)
        // A control block that arrives after a newer one has old facts.
        if paths[index].current?.isNewest(control.sequence) == true {
            readFacts(control, tally, of: index, now: now)
        }
        guard case .path(let path) = arrival else { return }
        paths[index].current?.keepNewestHeard(control.sequence, over: path, now: now)
        if control.flags.contains(.probe) { answerProbe(control, of: index, over: path, now: now) }
    }

    /// Answers a probe. If the probe came over a worse kind of path than the chosen one, and the chosen path brings
    /// this node no recent echo, both nodes have lost the chosen path. Then this node begins to verify the link now and
    /// does not wait for its own silence limit. So both send voice over two paths at the same time.
    private mutating func answerProbe(_ probe: ControlBlock, of index: Int, over path: Int, now: Instant) {
        let isUp = links[index].state.isUp
        if isUp, paths[index].current?.isDoubtShared(by: path, now: now) == true { startVerifying(index, now: now) }
        // A probe that echoes no control block of this node does not show that this node is heard. While the link is
        // down or in verification, this node therefore answers with a probe of its own, to get an echo.
        let isAsked = !links[index].state.isUp && probe.echo == nil
        sendDatagram(of: index, over: path, control: isAsked ? .probe : [], now: now)
    }

    private mutating func handleEcho(_ control: ControlBlock, of index: Int, now: Instant) {
        let hasCarrier = links[index].session?.carrier != nil
        switch paths[index].handleEcho(control, hasCarrier: hasCarrier, &effects, now: now) {
        case .unknown, .late: break
        case .inTime(_, let isPathOpen):
            detector.ownHealth.registerEcho(&effects, now: now)
            if isPathOpen { bringUp(index, now: now) }
            choosePath(index, now: now)
            if links[index].isStale { refreshLink(index, now: now) }
        }
    }

    /// Makes the link up, because the peer has echoed a control block over a path that can be used.
    private mutating func bringUp(_ index: Int, now: Instant) {
        switch links[index].state {
        case .up: break
        case .verifying: setState(index, .echoed(now: now))
        case .down, .connecting, .inviting, .awaitingInvite, .awaitingDecision: bringUpSleeping(index, now: now)
        }
    }

    /// Handles the fields of a control block other than its echo.
    private mutating func readFacts(_ control: ControlBlock, _ tally: Tally?, of index: Int, now: Instant) {
        let differs = membership.storeDigest(control.digest, of: index)
        guard links[index].state.isLinked else { return }
        if differs { scheduleVersions(index, now: now) }
        resendViews(to: index, holding: control.held, now: now)
        paths[index].readFacts(control, tally, &effects, now: now)
    }

    private mutating func deliver(_ body: DatagramBody, of index: Int) {
        paths[index].deliver(body.voice, isLinked: links[index].state.isLinked, &effects)
    }

    // MARK: The candidate

    /// Handles an authentic datagram that was sealed with the candidate's keys. It proves to the follower that the
    /// leader has the key halves of both nodes. If it echoes a control block of the candidate, the candidate becomes
    /// the session.
    private mutating func heardUnderCandidateKeys(
        _ body: DatagramBody, of index: Int, from source: DatagramSource, size: Int, now: Instant
    ) {
        paths[index].candidate?.heard(at: now)
        activateCandidateKeys(index, now: now)
        guard let arrival = paths[index].candidate?.arrival(from: source, now: now) else { return }
        updatePaths(body, of: index, .candidate, arrival, size: size, now: now)
        if let control = body.control { handleControl(control, ofCandidate: index, arrival, now: now) }
        deliver(body, of: index)
    }

    private mutating func handleControl(
        _ control: ControlBlock, ofCandidate index: Int, _ arrival: DatagramArrival, now: Instant
    ) {
        if case .path(let path) = arrival {
            paths[index].candidate?.heard(over: path, at: now)
            paths[index].candidate?.keepNewestHeard(control.sequence, over: path, now: now)
        }
        let hasCarrier = links[index].candidate?.carrier != nil
        let echo = paths[index].candidate?.handleEcho(control, hasCarrier: hasCarrier, now: now)
        // This node answers the probe first: `sendProbe` needs the candidate, which is about to become the session.
        // Without the answer the peer would have no echo, and its link would come up only with the next heartbeat.
        if case .path(let path) = arrival, control.flags.contains(.probe) {
            sendProbe(ofCandidate: index, over: path, now: now)
        }
        guard case .inTime(_, isPathOpen: true)? = echo else { return }
        promote(index, now: now)
        choosePath(index, now: now)
    }
}
