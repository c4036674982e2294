import Primitives
import Wire

extension Paths {
    /// The paths to one peer, what the control blocks of the peer have said, and what this node reports to it.
    struct Peer {
        let node: NodeID
        let slot: PeerSlot
        /// The paths of the session in use.
        private(set) var current: PathSet?
        /// The paths of the session that is being agreed on.
        private(set) var candidate: PathSet?
        private(set) var advertisedPath = AdvertisedPath()
        private var facts = PeerFacts()
        /// How this node receives the peer.
        private(set) var ownReport: ReceptionReport?
        /// The number of the control block whose echo is to be reported to the shell, as answer to a person's probe.
        private var probeSequence: UInt32?
        /// Digests of tables that leave with the next control block.
        private var tableDigests: [TableDigest] = []
        /// Control blocks that have yet to carry this node's newest list of channels.
        private var listsLeft = 0
        /// Allowances for datagrams of any session with the peer: `datagrams` for the peer's own content, `relayed` for
        /// those that contain a relayed datagram. They are counted apart, so that a flood of relayed datagrams does not
        /// silence the neighbour itself.
        private var datagrams = TokenBucket(
            burst: MeshLimits.datagramsPerPeerBurst, interval: MeshLimits.datagramsPerPeerInterval, now: .zero)
        private var relayed = TokenBucket(
            burst: MeshLimits.relayedPerPeerBurst, interval: MeshLimits.relayedPerPeerInterval, now: .zero)

        init(node: NodeID, slot: PeerSlot) {
            self.node = node
            self.slot = slot
        }

        /// Returns the paths of the candidate session, or of the session in use. A retired session, which the session
        /// in use has replaced, has no paths of its own: for it, returns those of the session in use.
        func pathSet(in role: SessionRole) -> PathSet? { role == .candidate ? candidate : current }

        var isTalking: Bool { facts.isTalking }
        var isRecording: Bool { facts.isRecording }
        /// The talk of this node that the peer does not play.
        var refusedTalk: RefusedTalk { facts.refusedTalk }
        /// The channels on which the peer talks, as places in the channels that it has advertised; nil for none.
        var tally: Tally? { facts.tally }
        /// How the peer receives this node.
        var peerReport: ReceptionReport? { facts.report }

        // MARK: Datagrams

        /// Takes a token of the peer's allowance. Only authentic datagrams get here, so a forger cannot use up the
        /// allowance.
        mutating func admit(_ body: DatagramBody, now: Instant) -> Bool {
            body.relayed == nil ? datagrams.take(now: now) : relayed.take(now: now)
        }

        /// Hands the voice of a datagram to the shell.
        mutating func deliver(_ voice: [UInt8], isLinked: Bool, _ effects: inout Effects) {
            guard !voice.isEmpty else { return }
            guard isLinked else {
                effects.count(.voiceBeforeUp)
                return
            }
            effects.output(.voice(voice, from: slot))
        }

        /// Reads what a control block says, apart from its echo and its digest.
        mutating func readFacts(
            _ control: ControlBlock, _ tally: Tally?, _ effects: inout Effects, now: Instant
        ) {
            facts.read(control, tally, of: slot, node, &effects, now: now)
        }

        /// Handles the echo in a control block of the session in use.
        /// - Parameter hasCarrier: whether the session has a carrier now.
        mutating func handleEcho(
            _ control: ControlBlock, hasCarrier: Bool, _ effects: inout Effects, now: Instant
        ) -> PathSet.EchoResult {
            guard let current else { return .unknown }
            let result = current.handleEcho(control, hasCarrier: hasCarrier, now: now)
            switch result {
            case .unknown: break
            case .late: effects.count(.echoesLate)
            case .inTime(let rtt, _):
                guard control.echo == probeSequence else { break }
                probeSequence = nil
                effects.report(.probeAnswered(slot, node, rtt: rtt))
            }
            return result
        }

        /// Remembers this node's newest control block, so that the peer's echo of it is reported to the shell.
        mutating func awaitProbeEcho() { probeSequence = current?.controlSequence }

        mutating func keepReception(_ report: ReceptionReport) { ownReport = report }

        // MARK: What leaves with control blocks

        /// Whether something waits for a control block without voice.
        var hasMoreForControl: Bool { !tableDigests.isEmpty || 0 < listsLeft }

        /// Makes the next control blocks carry this node's list of channels. The first one is due now.
        mutating func sendListAhead(now: Instant) {
            listsLeft = MeshLimits.listsAhead
            current?.scheduleControl(at: now)
        }

        /// Returns whether the control block that leaves now carries this node's list of channels. If more control
        /// blocks are to carry the list after it, makes the next one due after `MeshLimits.listsAheadInterval`.
        mutating func takeList(now: Instant) -> Bool {
            guard 0 < listsLeft else { return false }
            listsLeft -= 1
            if 0 < listsLeft { current?.scheduleControl(at: now + MeshLimits.listsAheadInterval) }
            return true
        }

        mutating func keepTableDigest(_ digest: TableDigest) {
            tableDigests.removeAll { $0.table == digest.table }
            tableDigests.append(digest)
        }

        /// Returns the digests that wait for a control block, and forgets them.
        mutating func takeTableDigests() -> [TableDigest] {
            defer { tableDigests = [] }
            return tableDigests
        }

        // MARK: Paths

        /// Marks the path of a session that was challenged with `number` as proved, and returns its index.
        mutating func prove(
            challengedWith number: UInt64, of role: SessionRole, _ effects: inout Effects
        ) -> Int? {
            let path = pathSet(in: role)?.prove(challengedWith: number)
            if path == nil { effects.count(.pathAnswersUnknown) }
            return path
        }

        /// Reports the path that carries the voice if its kind or its neighbour has changed.
        /// - Parameter toOthers: the kind of the path, as sent in link states.
        /// - Returns: whether `toOthers` has changed.
        mutating func reportPath(toOthers: PathKind, _ effects: inout Effects) -> Bool {
            guard let route = current?.table.chosenPath.route else { return false }
            let (path, before) = (AdvertisedPath(route, toOthers: toOthers), advertisedPath)
            guard path != before else { return false }
            advertisedPath = path
            effects.invalidateDeadlines()
            if path.kind != before.kind || path.neighbour != before.neighbour {
                effects.report(.pathChanged(slot, node, path.kind, through: path.neighbour))
            }
            return path.toOthers != before.toOthers
        }

        /// Stops the use of the paths through a neighbour. Returns whether one carried the voice.
        mutating func forgetRelay(through neighbour: NodeID) -> Bool {
            _ = candidate?.forgetRelay(through: neighbour)
            return current?.forgetRelay(through: neighbour) ?? false
        }

        // MARK: The life of sessions

        /// Puts the paths of the candidate session in place of those of the session in use, after the candidate's first
        /// echo. The averaged loss stays. Drops the table digests and the list of channels that waited for the next
        /// control blocks of the old session.
        mutating func useCandidatePaths() {
            (tableDigests, listsLeft) = ([], 0)
            if let current { candidate?.inheritLoss(from: current) }
            current = candidate
            candidate = nil
        }

        mutating func open(candidate set: PathSet) { candidate = set }
        mutating func dropCandidate() { candidate = nil }
        mutating func endSession() { current = nil }

        /// Sets the advertised path to a direct one, because the link has just come up: the shell supposes a direct
        /// path then, until this node reports another one.
        mutating func linkUp() { advertisedPath = AdvertisedPath() }

        /// Forgets what both sides have reported, because the link is down.
        mutating func linkDown(_ effects: inout Effects) {
            (tableDigests, listsLeft) = ([], 0)
            facts.forget(of: slot, node, &effects)
            ownReport = nil
        }

        // MARK: Waits

        var controlDueAt: Instant { current?.controlDueAt ?? .distantFuture }
        var candidateDueAt: Instant { candidate?.controlDueAt ?? .distantFuture }
        var pathProbeAt: Instant { current?.table.nextProbe ?? .distantFuture }

        /// Brings `earliest` forward to the next control block, path probe or silence of this peer.
        /// - Parameter isUp: whether the link is up, so that a silence of the peer starts its verification.
        // It is `mutating`, although it changes nothing in the record of the peer, so that Swift reads the record in
        // place and does not copy it: it runs after every packet.
        mutating func considerWaits(_ earliest: inout EarliestDeadline, isUp: Bool) {
            earliest.consider(controlDueAt, .control)
            earliest.consider(pathProbeAt, .pathProbe)
            earliest.consider(candidateDueAt, .control)
            if isUp, let silentAt = current?.silentAt { earliest.consider(silentAt, .silence) }
        }
    }
}

/// The path of a link as last reported; direct for a link that has just come up.
struct AdvertisedPath: Equatable {
    /// The kind as reported in events, to people and to the voice sender.
    var kind = PathKind.direct
    var neighbour: NodeID?
    /// The kind of the path that this node sends in its link states. If the carrier is tunnelled, the kind is `.relay`
    /// instead of `.carrier`, because the path leads through a neighbour.
    var toOthers = PathKind.direct

    init() {}

    init(_ route: PathRoute, toOthers: PathKind) {
        kind = route.kind
        if case .neighbour(let node) = route { neighbour = node }
        self.toOthers = toOthers
    }
}
