package import Primitives
package import Wire

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
    /// The time of an own call is over. `waiting` have not answered.
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
    /// Calls and requests on a channel to which this node, or the sender, does not listen.
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
