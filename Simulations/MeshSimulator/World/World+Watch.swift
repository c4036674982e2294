import Mesh
import Primitives
import Wire

/// The checkers that look at statuses.
struct Watch {
    var checkers: [any SampleChecker]
    var marks = CoverageMarks()
    /// The earliest look that is scheduled. Other looks in the queue are ignored.
    var nextLook: Instant
}

extension World {
    /// Begins to follow datagrams one by one and to look at the status of every node: each second while anything is
    /// wrong, else every ten seconds.
    package func startWatching() {
        guard watch == nil else { return }
        let cooldowns = CooldownsAreHonoured(nodeCount: nodeCount)
        watch = Watch(
            checkers: [
                LinksFollowInstances(nodeCount: nodeCount), HalfOpenLinksEnd(nodeCount: nodeCount),
                TablesAreBounded(nodeCount: nodeCount), EventsTellAll(),
                StabilityIsEarned(nodeCount: nodeCount), cooldowns,
            ],
            nextLook: now)
        safety.add(cooldowns)
        safety.follow([HeartbeatsDisperse(nodeCount: nodeCount), UpNeedsRoundTrip(nodeCount: nodeCount)])
        lookAgain(after: SimLimits.lookInterval)
    }

    /// Turns off all safety checkers but `TimersMoveOn`, so that only the caller judges the run.
    func dismissCheckers() { safety.dismiss() }

    /// Brings the next look forward, because a fault or a change of a link may have changed what nodes show.
    func lookSoon() {
        guard let watch, now + SimLimits.lookInterval < watch.nextLook else { return }
        lookAgain(after: SimLimits.lookInterval)
    }

    private func lookAgain(after interval: Interval) {
        watch?.nextLook = now + interval
        queue.schedule(.look, at: now + interval)
    }

    func look() {
        guard watch?.nextLook == now else { return }
        // Hostile members are not judged. Two hosts that share an identity are left out, because a status does not say
        // which of them it means.
        let snapshot = snapshot(of: nodes.indices.filter { isRunning($0) && !sharesIdentity($0) && !isHostile($0) })
        lookAgain(after: snapshot.isCalm ? SimLimits.calmLookInterval : SimLimits.lookInterval)
        guard var watch else { return }
        for index in watch.checkers.indices {
            guard let text = watch.checkers[index].look(at: snapshot) else { continue }
            safety.report(
                Violation(kind: .safety, checker: "\(type(of: watch.checkers[index]))", text: text, at: now))
        }
        self.watch = watch
    }

    func sharesIdentity(_ node: Int) -> Bool {
        guard let original = options.duplicateOf else { return false }
        return node == original || node == nodeCount - 1
    }

    /// How often the run has reached each coverage mark: a timer, a counter, a reason for the end of a link, a kind of
    /// path. Before `startWatching` these are only the counters of the processes that are not off.
    package var marks: CoverageMarks {
        var marks = watch?.marks ?? CoverageMarks()
        for node in nodes.indices { marks.note(lifeOf: nodes[node].core, now: localNow(node)) }
        return marks
    }

    /// Keeps the counters of a process that is about to end.
    func collectMarks(of node: Int) { watch?.marks.note(lifeOf: nodes[node].core, now: localNow(node)) }

    /// Returns the node that sends from an address, or did so: it may have moved while the datagram was under way.
    func sender(at endpoint: Endpoint) -> Int? {
        guard let host = SimHost.index(of: endpoint.address), nodes.indices.contains(host) else { return nil }
        return host
    }

    /// Notes that a process reads a member's datagram, over any path, also over a carrier.
    func countReading(of author: Int, by node: Int) {
        nodes[node].receiveLog.hear(at: now)
        if watch != nil { observe(.arrived(from: author, to: node)) }
    }

    func inspectFrame(_ frame: [UInt8], of sender: Int?, at node: Int) {
        guard let sender else { return }
        let kind = FrameKind(of: frame)
        if kind == .datagram { countReading(of: sender, by: node) }
        if kind == .linkStates { updateLinkStates(frame, of: sender, at: node) }
        if kind == .refuse || kind == .decline { observe(.refused(observer: node, peer: sender)) }
        // A connect request may end a wait, and so may records, which may show a new boot.
        guard kind == .connectRequest || kind == .records,
            let message = try? CarrierMessage(parsing: frame, isBeforeHello: false)
        else { return }
        switch message {
        case .connectRequest(let connectRequest):
            if let peer = subject(of: connectRequest.record, besides: node) { countConnectRequest(of: peer, at: node) }
        case .records(let records):
            for peer in records.compactMap({ subject(of: $0, besides: node) }) {
                observe(.prompted(observer: node, peer: peer))
            }
        default: break
        }
    }
}

extension World {
    private func subject(of record: SignedRecord, besides node: Int) -> Int? {
        publicKeys.firstIndex(of: record.publicKey).flatMap { $0 == node ? nil : $0 }
    }

    /// Tells the checkers that the node may make one more attempt for each peer that it takes for dead and to which the
    /// neighbour `sender` advertises a new link. The node may not have reported that death with an event. If the node
    /// waits for its next attempt for a peer, the new link does not end that wait, and the checkers get no such
    /// message.
    private func updateLinkStates(_ frame: [UInt8], of sender: Int, at node: Int) {
        // Most nodes take no peer for dead in a run, and they end here: a snapshot of a peer costs as much as a full
        // status.
        guard isRunning(node), let core = nodes[node].core, 0 < core.counted([.deaths]),
            case .linkStates(let entries, _)? = try? CarrierMessage(parsing: frame, isBeforeHello: false)
        else { return }
        // The links that this neighbour has advertised to the node before. They are no news, and allow no attempt.
        lazy var known = status(of: node)?.matrix.first { $0.node == network.hosts[sender].node }?.entries ?? []
        for entry in entries {
            guard let peer = number(of: entry.peer), peer != node,
                let link = peerSnapshot(at: node, of: peer)?.link?.status, link.presence.isDead,
                link.retryAt == nil,
                !known.contains(where: { $0.peer == entry.peer && $0.instance == entry.instance })
            else { continue }
            observe(.prompted(observer: node, peer: peer))
        }
    }
}

extension Observation {
    /// Whether the observation names one of two hosts that share an identity. It does not say which of the two it
    /// means.
    func isAbout(_ original: Int, or duplicateNode: Int) -> Bool {
        func isOne(_ nodes: Int...) -> Bool { nodes.contains(original) || nodes.contains(duplicateNode) }
        switch self {
        case .peerAdvanced(let observer, let peer, _), .peerUp(let observer, let peer, _, _),
            .peerDown(let observer, let peer, _, _, _), .linkLost(let observer, let peer, _, _, _),
            .replayed(let observer, let peer, _, _), .followerInvited(let observer, let peer),
            .takenForDead(let observer, let peer, _), .flapping(let observer, let peer, _),
            .relayed(let observer, let peer),
            .dialled(let observer, let peer, _, _), .invited(let observer, let peer),
            .refused(let observer, let peer),
            .tunnelLost(let observer, let peer), .errorCounted(let observer, let peer, _),
            .received(let observer, let peer, _, _, _):
            return isOne(observer, peer)
        case .voice(let observer, let holder, let stamp), .sounded(let observer, let holder, let stamp, _):
            return isOne(observer, holder ?? observer, stamp?.talker ?? observer)
        case .sent(let node, let target), .arrived(let node, let target): return isOne(node, target)
        case .replayAnswered(let observer, let peer, _), .tunnelNested(let observer, let peer):
            return isOne(observer, peer)
        case .started, .tuned, .said, .listens, .holdsCode, .heldBack, .advanced, .stopped, .unsettled, .strangerUp,
            .prompted, .requestSent,
            .stuckTimer, .datagramSent,
            .dialEnded, .dialPlaceTaken, .dialPlaceLeft, .readdressed,
            .strangerServed, .strangerHeard, .advanceAsked, .dialEarned,
            .dialOverspent, .counterWritten, .callMade, .callDecided, .quieted, .callShown, .callAnswered, .stands,
            .pairingOpened, .pairingClosed, .entered, .overslept:
            return false
        }
    }
}
