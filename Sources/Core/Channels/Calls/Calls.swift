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
///     request of a person ─► OwnRequests ─ REQUEST ─► receive ──► event: the microphone closes
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
    /// - Throws: the `CallRefusal` that says why the command was not carried out.
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

/// What this node permits its peers to ask.
package struct CallGrants: Hashable, Sendable {
    /// The peers that may call all nodes at once.
    package var callAll: Grant
    /// The peers that may close the microphone of this node.
    package var closeMicrophone: Grant

    package init(callAll: Grant = .anyone, closeMicrophone: Grant = .anyone) {
        self.callAll = callAll
        self.closeMicrophone = closeMicrophone
    }
}

/// Everything that can happen to the calls of a node; `Calls.handle` is their entrance.
package enum CallInput: Sendable {
    /// Nothing happened except that time passed.
    case deadline
    /// A peer is linked.
    case peerUp(PeerSlot, NodeID)
    case peerDown(PeerSlot)
    /// The channels to which a peer listens.
    case peerListens(PeerSlot, [ChannelID])
    /// The channels to which this node listens.
    case listens([ChannelID])
    /// What peers may ask of this node from now on.
    case grants(CallGrants)
    case message(CallMessage, from: PeerSlot)
}

/// Everything that the calls of a node want done.
package enum CallOutput: Hashable, Sendable {
    case send(CallMessage, to: PeerSlot)
    case event(CallEvent)
}

/// What happened to a call or request, for people.
package enum CallEvent: Hashable, Sendable {
    /// A peer calls. The call is shown unless its state is `quiet`.
    case called(IncomingCall)
    /// The caller has taken a call back that was shown.
    case withdrawn(IncomingCall)
    /// Nobody has answered a call that was shown, and its time is over.
    case missed(IncomingCall)
    /// A peer has answered an own call.
    case answered(CallID, by: NodeID, CallAnswer)
    /// The time of an own call is over. The nodes of `waiting` have neither accepted nor declined it.
    case expired(CallID, waiting: [NodeID])
    /// A peer asks another node to close its microphone.
    case closeAsked(by: NodeID, of: NodeID, on: ChannelID)
    /// A peer asks this node to close its microphone. The node does so if the peer has the permission.
    case closeOrdered(by: NodeID, on: ChannelID, isGranted: Bool)
    /// The node that was asked has closed its microphone, has refused, or has not answered in time (nil).
    case closeAnswered(by: NodeID, isObeyed: Bool?)
}

/// Everything that the calls of a node count.
package enum CallCounter: Int, CaseIterable, Sendable {
    case callsSent
    case callsShown
    /// Calls and requests above the allowance of a peer.
    case callsOverRate
    /// Calls that were dropped because as many as possible are kept.
    case callsOverLimit
    /// Calls and requests on a channel to which this node does not listen, and requests whose sender does not listen to
    /// it.
    case callsOffChannel
    /// Calls and requests without the permission of this node.
    case callsNotGranted
    /// Copies of calls that are known.
    case callsRepeated
    /// Answers to calls and requests that are unknown, or whose time is over.
    case callAnswersUnknown
    /// Answers that change nothing.
    case callAnswersLate
}

/// The requests of this node that wait for the answer of their subject.
struct OwnRequests: Sendable {
    private struct Waiting: Sendable {
        var id: CallID
        var subject: NodeID
        var expiresAt: Instant
    }

    private var waiting: [Waiting] = []

    /// When the first one runs out of time.
    var dueAt: Instant { waiting.first?.expiresAt ?? .distantFuture }

    /// Returns false if as many as possible wait.
    mutating func add(_ id: CallID, of subject: NodeID, now: Instant) -> Bool {
        guard waiting.count < CallLimits.requestsMax else { return false }
        waiting.append(Waiting(id: id, subject: subject, expiresAt: now + CallLimits.requestTime))
        return true
    }

    /// Ends a request by the answer of its subject. Returns false if no such request waits.
    mutating func take(_ id: CallID, from node: NodeID) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.id == id && $0.subject == node }) else { return false }
        waiting.remove(at: index)
        return true
    }

    /// Removes the requests whose time is over, and returns their subjects.
    mutating func removeExpired(now: Instant) -> [NodeID] {
        let over = waiting.prefix { $0.expiresAt <= now }.map(\.subject)
        waiting.removeFirst(over.count)
        return over
    }
}
