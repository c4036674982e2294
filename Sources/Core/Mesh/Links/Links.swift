import Primitives
import Trust
import Wire

/// The links: one for each peer that holds a slot, with its sessions and their keys, and the carriers that are open.
struct Links {
    private var table: PeerTable
    private(set) var carriers = CarrierTable()
    private(set) var keyIDs = KeyIDTable()
    private var joins: JoinBudget
    var epochs = EpochChange()
    var pairing = PairingWindow()
    var shownRuns = ShownRuns()
    /// The allowance for events that ask the person about a peer. Ever new keys could ask without end.
    private var questions = TokenBucket(
        burst: MeshLimits.questionsBurst, interval: MeshLimits.questionInterval, now: .zero)
    /// The highest attempt number that any peer had when it lost its slot. A node that is given the slot of another
    /// peer counts on from this number: its first attempt has the next number.
    private var attemptFloor: UInt32 = 0

    init(_ capacity: MeshCapacity, now: Instant) {
        table = PeerTable(capacity)
        joins = JoinBudget(capacity, now: now)
    }

    var indices: Range<Int> { table.indices }
    /// The indices of all peers, in the order of their NodeIDs.
    var indicesByNode: [Int] { table.indicesByNode }
    var isFull: Bool { table.isFull }
    var linkedCount: Int { indices.count { self[$0].state.isLinked } }

    /// Begins to wait for a person's decision about a peer.
    /// - Returns: whether an event tells the person of it. It does not if this node waits already, or above the
    ///   allowance; then the peer only stands in the list of those that ask.
    mutating func ask(about index: Int, _ effects: inout Effects, now: Instant) -> Bool {
        guard self[index].beginQuestion(now: now) else { return false }
        if questions.take(now: now) { return true }
        effects.count(.questionsOverRate)
        return false
    }

    // A getter, not `_read`: see `PeerTable`.
    subscript(index: Int) -> PeerLink {
        get { table[index] }
        _modify { yield &table[index] }
    }

    func index(of node: NodeID) -> Int? { table.index(of: node) }

    mutating func append(_ node: NodeID, isLeader: Bool) -> Int { table.append(node, isLeader: isLeader) }

    /// Gives the slot to `node`, another peer. `node` may have had a slot before, and may still have the session of
    /// that time. It then accepts only an attempt with a higher number. So its attempts count on from the highest
    /// number of all peers that have lost a slot.
    mutating func replace(_ index: Int, with node: NodeID, isLeader: Bool) {
        attemptFloor = max(attemptFloor, table[index].attempt)
        table.replace(index, with: node, isLeader: isLeader)
        table[index].attempt = attemptFloor
    }

    // MARK: State

    /// Changes the state of a link. Every change from one state to another goes through here.
    /// - Returns: whether the link came up or went down by this change.
    mutating func setState(_ index: Int, _ event: LinkEvent, _ effects: inout Effects) -> Bool {
        let wasLinked = self[index].state.isLinked
        self[index].apply(event)
        effects.invalidateDeadlines()
        return wasLinked != self[index].state.isLinked
    }

    /// Changes the state of an attempt, which neither begins nor ends a link.
    mutating func changeAttempt(_ index: Int, _ event: LinkEvent, _ effects: inout Effects) {
        let isOther = setState(index, event, &effects)
        precondition(!isOther, "\(event) begins or ends a link")
    }

    /// Starts an attempt at once if the link is down. A link that is down waits for its next attempt. During that wait,
    /// a carrier that opened late may bring a message. The message needs an attempt, because only an attempt can
    /// negotiate.
    mutating func makeReady(_ index: Int, _ effects: inout Effects, now: Instant) {
        switch self[index].state {
        case .down: changeAttempt(index, .opening(now: now), &effects)
        case .connecting, .inviting, .awaitingInvite, .awaitingDecision, .up, .verifying: break
        }
    }

    // MARK: Carriers

    mutating func insert(_ carrier: CarrierEntry) { carriers.insert(carrier) }
    mutating func removeCarrier(_ id: CarrierID) -> CarrierEntry? { carriers.remove(id) }

    /// Passes an input to the admission of a carrier. Nothing happens if the carrier has closed.
    mutating func advance(
        _ id: CarrierID, _ input: AdmissionInput, as standing: MeshStanding, with sealing: any Sealing, now: Instant
    ) -> [AdmissionDirective] {
        carriers.advance(id, input, as: standing, pairingKey: pairing.codeKey(now: now), with: sealing)
    }

    /// Lets a run of JOIN wait for its turn.
    /// - Returns: the carrier of a run that may not wait (`JoinBudget.add`); nil if all may.
    mutating func addRun(
        _ task: CodeTask, on carrier: CarrierEntry, from source: IPAddress, as standing: MeshStanding,
        random: inout SeededRandom, now: Instant
    ) -> CarrierID? {
        let isNewcomer = if case .newcomer = standing { true } else { false }
        return joins.add(
            .init(carrier: carrier.id, task: task), from: source, isNewcomer: isNewcomer, random: &random, now: now
        )?.carrier
    }

    /// Returns the first task of the next run that may begin now, and its carrier.
    mutating func takeRun(as standing: MeshStanding, now: Instant) -> (CarrierID, CodeTask)? {
        guard joins.waitingCount != 0 else { return nil }
        let open = carriers
        joins.keep { open[$0] != nil }
        let next: JoinBudget.Waiting? =
            switch standing {
            case .newcomer: joins.takeAsNewcomer(underWay: runsUnderWay, now: now)
            case .member: joins.takeAsMember(now: now)
            case .open: illegal("a run of JOIN", in: "an open mesh")
            }
        return next.map { ($0.carrier, $0.task) }
    }

    /// Whether a run of JOIN whose turn has come may begin. With a pairing code, a member takes a try of its window. A
    /// newcomer begins no further run with a node to which a run has shown whether the node's guess was right
    /// (`ShownRuns`): each node gets one guess at the code.
    mutating func mayBeginRun(_ task: CodeTask, on id: CarrierID, as standing: MeshStanding, now: Instant) -> Bool {
        guard let carrier = carriers[id], carrier.admission.isPairing else { return true }
        let peer = self[carrier.slot.index].node
        if standing.isMember { return pairing.begin(id, with: peer, now: now) }
        let tells = if case .answer = task { true } else { false }
        return shownRuns.begin(id, with: peer, tells: tells)
    }

    /// Counts the runs of pairing codes that have ended.
    mutating func settlePairing(now: Instant) -> [PairingEvent] {
        // This runs after every input, and codes are seldom compared.
        guard pairing.isOpen || !shownRuns.isEmpty else { return [] }
        let open = carriers
        shownRuns.keep { open[$0] != nil }
        return pairing.settle(now: now) { id in
            guard let admission = open[id]?.admission else { return .hasFailed }
            return admission.isJoining ? .goesOn : admission.hasGranted ? .isAdmitted : .hasFailed
        }
    }

    /// When the next run of JOIN may begin; `.distantFuture` if none waits, or if a run that is under way must end
    /// first.
    mutating func nextRunAt(as standing: MeshStanding, now: Instant) -> Instant {
        switch standing {
        case .newcomer: joins.nextAt(underWay: runsUnderWay, now: now)
        case .member: joins.nextAt(now: now)
        case .open: .distantFuture
        }
    }

    /// The runs of JOIN that are under way. A run for which the peer has sent no START does not count: it takes no
    /// token of its source's allowance, so one source could otherwise fill `MeshLimits.ownJoinsAtOnceMax`.
    private var runsUnderWay: Int { carriers.entries.count { $0.admission.hasBegunRun } - joins.waitingCount }

    /// Keeps what is used later of the peer's HELLO.
    mutating func greet(_ id: CarrierID, _ greeting: Greeting) { carriers.greet(id, greeting) }

    /// Closes a carrier without any consequence for the link.
    mutating func closeQuietly(_ id: CarrierID, _ effects: inout Effects) {
        guard carriers.remove(id) != nil else { return }
        effects.output(.carrierClose(id))
    }

    /// Closes the carriers of an attempt: all except the session's.
    mutating func closeAttemptCarriers(
        of index: Int, keeping isKept: (CarrierEntry) -> Bool, _ effects: inout Effects
    ) {
        let own = self[index].session?.carrier
        for carrier in carriers.entries(of: self[index].slot) where carrier.id != own && !isKept(carrier) {
            closeQuietly(carrier.id, &effects)
        }
    }

    // MARK: Key ids

    /// Returns the session of a peer to which `keyID` belongs. A key of neither the session nor the candidate can only
    /// be one of the retired session, which is returned without a check: if it lacks the key, the datagram does not
    /// open.
    func session(of index: Int, opening keyID: UInt32) -> (Session, SessionRole)? {
        if let session = self[index].session, session.keyIDs.contains(keyID) { return (session, .current) }
        if let session = self[index].candidate, session.keyIDs.contains(keyID) { return (session, .candidate) }
        return self[index].retired.map { ($0.session, .retired) }
    }

    mutating func makeKeyID(for index: Int, _ effects: inout Effects) -> UInt32? {
        let keyID = keyIDs.take(for: self[index].slot)
        if keyID == nil { effects.count(.keyIDsExhausted) }
        return keyID
    }

    mutating func release(_ keyID: UInt32) { keyIDs.release(keyID) }

    /// Whether a tunnel may go over this hop, which is a neighbour and the carrier to it. The neighbour must be linked,
    /// its session must use that carrier, and the carrier must not be a tunnel itself.
    func isHop(_ hop: TunnelHop) -> Bool {
        self[hop.slot.index].state.isLinked && self[hop.slot.index].session?.carrier == hop.carrier
            && carriers[hop.carrier].map { !$0.isTunnelled } ?? false
    }
}
