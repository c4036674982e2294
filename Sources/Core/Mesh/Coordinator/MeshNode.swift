package import Primitives
package import Trust
import Wire

/// The whole mesh protocol of one node as a value. Bytes, time and commands go in. Datagrams, carrier frames, dials,
/// events and one deadline come out.
///
/// It is not copyable: a copy would use the same sessions, keys and counters.
///
/// The shell calls `handle`, then takes `nextOutput()` until nil, then sleeps until `nextDeadline`. Equal
/// configuration, seed and inputs give equal outputs, apart from the keys and nonces that `sealing` draws at random.
///
/// It is the coordinator of six parts that own their state (machines): links, reachability, paths, membership, detector
/// and relay. It alone sees all six (docs/decisions/019-machines.md). From the first hint of a peer to its death, these
/// functions handle the link, in the folders at the right. Words in capitals are messages, and `─ ─` is the way over
/// the network:
///
///     hint, beacon, gossip ─► startConnecting, connectAtOnce ─► beginAttempt ─► startDials Connecting/
///     carrier open ─► beginAdmission ─ ─ PROOF ─► advanceAdmission ─► sendHello            Handshake/
///                       └─► sendHello at once in an open mesh
///     sendHello ─ ─ HELLO ─► receiveHello ─► refusal?
///                       └─► registerInstance ─► acceptRecord (Gossip/) ─► continueAsLeader, continueAsFollower
///     invite ─ ─ INVITE ─► receiveInvite ─► answer ─ ─ ACCEPT ─► receiveAccept ─► probeCandidate
///     receiveAccept ─ ─ MEDIA_KEY_CONFIRM ─► receiveKeyConfirm ─► activateCandidateKeys ─► probeCandidate (Datagrams/)
///     datagram ─► heardUnderCandidateKeys ─ first echo ─► promote ─► reportUp              Datagrams/, Verdicts/
///     promote, bringUpSleeping, refreshLink ─► beginGossip                                 Gossip/
///     records, link states ─► acceptRecord, repair ─► startConnecting                      Gossip/
///     silence ─► startVerifying ─► verify ─► loseLink ─► suspect ─► declareDead            Verdicts/
package struct MeshNode: ~Copyable {
    var configuration: MeshConfiguration
    let sealing: any Sealing
    package let node: NodeID
    var effects: Effects

    var links: Links
    var reachability: Reachability
    var paths: Paths
    var membership: Membership
    var detector: FailureDetector
    var relay: Relay
    var deadlines = DeadlineCache()
    /// Set from the loss of the last network until its carriers are judged.
    var outage: NetworkOutage?
    var hasLeft = false
    /// The `now` of the input in progress, or of the last one. At first the time at which this node was made.
    package private(set) var handledAt: Instant

    /// - Parameter seed: seeds jitter and random choices, never keys.
    package init(_ configuration: MeshConfiguration, sealing: any Sealing, seed: UInt64, now: Instant) {
        self.configuration = configuration
        self.sealing = sealing
        node = sealing.nodeID
        effects = Effects(random: SeededRandom(seed: seed))
        links = Links(configuration.capacity, now: now)
        membership = Membership(configuration, sealing: sealing, now: now)
        reachability = Reachability(configuration, random: &effects.random, now: now)
        paths = Paths(configuration, now: now)
        detector = FailureDetector(configuration.suspicion, now: now)
        relay = Relay(configuration.capacity, now: now)
        handledAt = now
        effects.output(.announce(membership.own.record))
        announceSealed(now: now)
        refreshDigest(now: now)
        refreshAllDeadlines(now: now)
    }

    /// - Precondition: Every output was taken. `now` is not before that of the last call.
    package mutating func handle(_ input: MeshInput, now: Instant) {
        precondition(effects.isEmpty, "outputs are taken before the next input")
        precondition(handledAt <= now, "time went backwards from \(handledAt) to \(now)")
        if hasLeft { return }
        let formerlyHandledAt = handledAt
        handledAt = now
        noticeLag(since: formerlyHandledAt, now: now)
        switch input {
        case .datagram(let bytes, let source): receiveDatagram(bytes, from: source, now: now)
        case .voice(let payload, let slot): sendVoice(payload, to: slot, now: now)
        case .receptionReport(let report, let slot): keepReception(report, of: slot)
        case .mediaClock(let time): paths.setClock(time, now: now)
        case .talking(let shown): setTalking(shown, now: now)
        case .tally(let channels): setTally(channels, now: now)
        case .table(let message, let slot): sendTable(message, to: slot)
        case .call(let message, let slot): sendCall(message, to: slot)
        case .channelJoin(let join, let slot): sendChannelJoin(join, to: slot)
        case .channelTags(let tags, let slot): setTags(tags, of: slot, now: now)
        case .tableDigest(let digest, let slot, let isUrgent):
            sendTableDigest(digest, to: slot, isUrgent: isUrgent, now: now)
        case .deadline: runDeadlines(now: now)
        default:
            handleRare(input, now: now)
            startRuns(now: now)
            refreshAllDeadlines(now: now)
        }
        settleTunnels()
        settleClique(now: now)
    }

    package mutating func nextOutput() -> MeshOutput? { effects.popFirst() }

    /// The latest instant at which the shell must call again; nil where there is none.
    // Mutating, so that the deadlines are read in place: a plain getter would first copy them.
    package var nextDeadline: MeshDeadline? { mutating get { deadline } }
    var deadline: MeshDeadline? { hasLeft ? nil : deadlines.next }

    /// Handles inputs that may change anything; the caller computes every deadline again afterwards.
    private mutating func handleRare(_ input: MeshInput, now: Instant) {
        switch input {
        case .discovered(let hint): learn(hint, now: now)
        case .serviceFound(let service, let endpoints): receiveService(service, at: endpoints, now: now)
        case .beacon(let bytes, let source): receiveBeacon(bytes, from: source, now: now)
        case .carrierOpened(let id, let peer, let dial, let remote):
            openCarrier(id, peer: peer, dial: dial, remote: remote, now: now)
        case .carrierFrame(let id, let frame): receiveFrame(frame, on: id, now: now)
        case .carrierClosed(let id, let end): closeCarrier(id, end, now: now)
        case .dialFailed(let dial, let failure): endDial(dial, failure, now: now)
        case .tunnelledCarrierOpened(let id, let peer, let tunnel):
            openTunnelledCarrier(id, peer: peer, tunnel, now: now)
        case .tunnelSend(let tunnel, let bytes): relay.sendThroughTunnel(tunnel, bytes, &effects, now: now)
        case .tunnelTook(let tunnel, let byteCount): relay.creditTunnel(tunnel, byteCount, &effects, now: now)
        case .tunnelFinished(let tunnel): relay.finishTunnel(tunnel, &effects)
        case .addressesChanged(let interfaces): changeAddresses(interfaces, now: now)
        case .resumed(let gap, let slept): resume(after: Absence(gap, slept: slept), now: now)
        case .instanceAdvanced(let instance): advanceOwnInstance(to: instance, now: now)
        case .codeProved(let id, let result): finishProof(result, on: id, now: now)
        case .meshStored(let epoch, let isDurable): finishStoring(epoch, isDurable: isDurable, now: now)
        case .command(let command): perform(command, now: now)
        case .datagram, .voice, .receptionReport, .mediaClock, .talking, .tally, .table, .tableDigest, .call,
            .channelJoin, .channelTags, .deadline:
            illegal("\(input)", in: "handleRare")
        }
    }
}

/// The values that the coordinator gives one machine, so that the machine knows what it needs of the others.
extension MeshNode {
    /// The linked peers, in the order of their slots. A peer whose link is stale is left out: since a long absence of
    /// this node no echo has come from it, so others may have taken it for dead.
    var neighbours: [Neighbour] {
        links.indices.compactMap { index in
            guard links[index].state.isLinked, !links[index].isStale, let session = links[index].session,
                let path = paths[index].current?.table.chosenPath
            else { return nil }
            return Neighbour(
                slot: links[index].slot, node: links[index].node, instance: session.instance,
                sessionStartedAt: session.startedAt, carrier: session.carrier,
                path: advertised(path.kind, of: index), rtt: path.rtt,
                lossPermille: paths[index].ownReport?.lossPermille)
        }
    }

    /// Returns the path kind to advertise. A tunnelled carrier is advertised as a relay, because it leads through a
    /// neighbour too: other nodes then ask for no relay over this link.
    func advertised(_ kind: PathKind, of index: Int) -> PathKind {
        kind == .carrier && links.isTunnelled(index) ? .relay : kind
    }
}
