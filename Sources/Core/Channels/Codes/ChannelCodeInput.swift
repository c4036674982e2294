package import Primitives
package import Trust
package import Wire

/// The number of a slow task of `ChannelCodes`; unique while the node runs.
package struct ChannelTaskID: Hashable, Sendable {
    package let number: UInt64
    package init(number: UInt64) { self.number = number }
}

/// Everything that can happen to the codes of channels; `ChannelCodes.handle` is its entrance.
package enum ChannelCodeInput: Sendable {
    /// Nothing happened except that time passed.
    case deadline
    /// A session with a linked neighbour is in use from now on.
    case sessionBegan(PeerSlot, NodeID, nonces: [UInt8])
    case peerDown(PeerSlot)
    case join(ChannelJoin, from: PeerSlot)
    /// The shell has run a task.
    case worked(ChannelTaskID, CodeResult)
    /// This node has the code of a channel from now on, in place of an earlier code. `isNews`: a person wants to
    /// be told whether a linked peer has the channel with this code.
    case hold(CodedChannel, isNews: Bool)
    case drop(ChannelID)
}

/// Everything that the codes of channels want done.
package enum ChannelCodeOutput: Sendable {
    case send(ChannelJoin, to: PeerSlot)
    /// All tags that this node shares with a peer now.
    case tags([ChannelTags], of: PeerSlot)
    case note(ChannelCodeNote)
}

/// What the codes of channels tell the shell.
package enum ChannelCodeNote: Sendable {
    /// Slow work, which the shell does on another thread. Its result is an input.
    case work(ChannelTaskID, CodeTask)
    case event(ChannelCodeEvent)
}

/// What a person is told of the code of a channel.
package enum ChannelCodeEvent: Hashable, Sendable {
    /// The peer has the channel, with the same code.
    case proved(ChannelID, by: NodeID)
    /// No linked peer has the channel with this code.
    case nobodyHas(ChannelID)
}

/// Everything that the codes of channels count.
package enum ChannelCodeCounter: Int, CaseIterable, Sendable {
    case channelProofs
    /// Runs in which the codes differed, or the peer did not have the channel, or did not confirm, or its share was no
    /// element of the group.
    case channelProofsFailed
    /// Runs that ended because a step was lost.
    case channelProofsLost
    /// Runs of a peer that has no guess left: they are answered as if the channel were unknown.
    case channelProofsOverRate
    /// Steps that do not belong to a run, or are above the allowance of the peer, and answers that had no room.
    case channelJoinsUnexpected
    /// Runs of the peer that were not answered, because this node had begun one at the same time, and its run counts.
    case channelJoinsCrossed
}
