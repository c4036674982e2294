package import Primitives
package import Wire

/// The calls and requests of one node (docs/WIRE.md, "Calls and requests").
///
/// A machine beside the mesh. `VoiceNode` calls `handle` or `perform`, then takes `nextOutput()` until nil, and calls
/// again at `nextDeadline`. Equal seed and inputs always give equal outputs.
///
///     call of a person ──► OutgoingCall ─ CALL ─► receive ──► IncomingCall ──► event: a person sees it
///                               ▲                    │ permission, allowance, bounds, do-not-disturb
///                               └────── ANSWER ──────┴── answer of a person
///     request of a person ─► OwnRequests ─ REQUEST ─► receiveRequest ──► event: the microphone closes
///
package struct Calls: Sendable {
    let node: NodeID
    /// What peers may ask of this node.
    package private(set) var grants: CallGrants
    /// Own calls, the oldest first.
    package internal(set) var outgoing: [OutgoingCall] = []
    /// Calls of peers, in the order of their arrival. Some of them have ended.
    package internal(set) var incoming: [IncomingCall] = []
    /// Whether calls that are not urgent are kept from people.
    package internal(set) var isQuiet = false
    package internal(set) var counters = Counters<CallCounter>()
    var peers = CallPeers()
    /// The channels to which this node listens.
    var channels: [ChannelID]
    var requests = OwnRequests()
    private var random: SeededRandom
    private var outputs: [CallOutput] = []
    package private(set) var nextDeadline: Instant = .distantFuture

    /// - Parameters:
    ///   - node: this node.
    ///   - listened: the channels to which this node listens at its start.
    ///   - seed: seeds the numbers of calls. Other nodes see them, so they are no keys.
    package init(of node: NodeID, grants: CallGrants, listened: [ChannelID], seed: UInt64) {
        self.node = node
        self.grants = grants
        channels = listened
        random = SeededRandom(seed: seed)
    }

    // Mutating, because it runs after every input of the node: this value is read in place and not copied.
    package var hasOutputs: Bool { mutating get { !outputs.isEmpty } }
    package mutating func nextOutput() -> CallOutput? { outputs.isEmpty ? nil : outputs.removeFirst() }

    package mutating func handle(_ input: CallInput, now: Instant) {
        switch input {
        case .deadline: break
        case .peerUp(let slot, let node): peers.begin(slot, node, now: now)
        case .peerDown(let slot): peers.end(slot)
        case .peerListens(let slot, let listened): peers.setChannels(listened, of: slot)
        case .listens(let listened): channels = listened
        case .grants(let grants): self.grants = grants
        case .message(let message, let slot): receive(message, from: slot, now: now)
        }
        settle(now: now)
    }

    /// Carries out a person's command. Returns the number of the call or request that it makes.
    package mutating func perform(_ command: CallCommand, now: Instant) throws(CallRefusal) -> CallID? {
        defer { settle(now: now) }
        switch command {
        case .call(let order): return try call(order, now: now)
        case .withdraw(let id): try withdraw(id)
        case .answer(let key, let isAccepted): try answer(key, isAccepted: isAccepted, now: now)
        case .askToClose(let subject, let channel): return try askToClose(subject, on: channel, now: now)
        case .setDoNotDisturb(let isOn): isQuiet = isOn
        }
        return nil
    }

    /// Does what is due, and computes the next deadline.
    private mutating func settle(now: Instant) {
        resendCalls(now: now)
        expireCalls(now: now)
        for subject in requests.removeExpired(now: now) { tell(.closeAnswered(by: subject, isObeyed: nil)) }
        nextDeadline = requests.dueAt
        for call in outgoing { nextDeadline = min(nextDeadline, call.dueAt) }
        for call in incoming { nextDeadline = min(nextDeadline, call.dueAt) }
    }

    private mutating func resendCalls(now: Instant) {
        for index in outgoing.indices where outgoing[index].isOpen && outgoing[index].resendAt <= now {
            guard now < outgoing[index].expiresAt else { continue }
            let frame = outgoing[index].frame(now: now)
            for node in outgoing[index].waiting {
                if let slot = peers.slot(of: node) { send(.call(frame), to: slot) }
            }
            outgoing[index].resent(now: now)
        }
    }

    private mutating func expireCalls(now: Instant) {
        for call in outgoing where call.expiresAt <= now && call.isOpen {
            tell(.expired(call.id, waiting: call.waiting))
        }
        outgoing.removeAll { $0.expiresAt <= now }
        for index in incoming.indices where incoming[index].isOpen && incoming[index].expiresAt <= now {
            incoming[index].state = .expired
            tell(.missed(incoming[index]))
        }
        incoming.removeAll { $0.forgottenAt <= now }
    }

    // MARK: Effects

    mutating func send(_ message: CallMessage, to slot: PeerSlot) { outputs.append(.send(message, to: slot)) }
    mutating func tell(_ event: CallEvent) { outputs.append(.event(event)) }
    mutating func drawID() -> CallID { CallID(number: random.next()) }
}
