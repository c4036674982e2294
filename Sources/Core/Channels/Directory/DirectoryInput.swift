package import Primitives
package import Wire

/// Everything that can happen to the directory; `ChannelDirectory.handle` is its entrance.
package enum DirectoryInput: Sendable {
    /// Nothing happened except that time passed.
    case deadline
    /// The time of day, in seconds since 1970. The shell tells it at the start, and again at least every minute.
    case wallClock(UInt64)
    /// A session with a neighbour is in use from now on.
    case sessionBegan(PeerSlot, NodeID, nonces: [UInt8])
    case peerDown(PeerSlot)
    /// The channels that a neighbour listens to.
    case peerListens(PeerSlot, [ChannelID])
    /// The channels that this node listens to.
    case listens([ChannelID])
    /// This node uses a name. If no entry has it, this node makes one after a while.
    case claim(ChannelName)
    case digests([TableDigest], from: PeerSlot, rtt: Interval?)
    case message(TableMessage, from: PeerSlot)
    /// An entry that the shell has kept since an earlier start, as `store` gave it. If it is invalid or has expired,
    /// and the directory has no other entry of the channel, the directory answers with `forget`.
    case stored(ChannelID, [UInt8])
}

/// Everything that the directory wants done.
package enum DirectoryOutput: Hashable, Sendable {
    case send(TableMessage, to: PeerSlot)
    /// A digest that leaves with the next control block; at once if it is urgent.
    case sendDigest(TableDigest, to: PeerSlot, isUrgent: Bool)
    /// An entry that the shell keeps across restarts, in place of an earlier one of the channel. The bytes are read by
    /// this module alone (`FirstCreators`).
    case store(ChannelID, [UInt8])
    /// The shell forgets the entry of a channel.
    case forget(ChannelID)
    case event(DirectoryEvent)
    /// Another node than its creator has deleted a channel to which this node listens. This node cannot undo that.
    case notTakenBack(ChannelID, name: SafeText, DirectoryRefusal)
}

/// What happened in the directory, for people.
package enum DirectoryEvent: Hashable, Sendable {
    case created(ChannelID, name: SafeText, creator: NodeID)
    /// The channel was deleted. `now` is the channel that it was renamed to.
    case deleted(ChannelID, name: SafeText, by: NodeID, now: ChannelID?)
    /// The creator of a channel has corrected the spelling of its name.
    case respelled(ChannelID, from: SafeText, to: SafeText, by: NodeID)
    /// The channel was deleted or renamed and its name used again, before this node heard of either: another channel
    /// has the name now.
    case replaced(ChannelID, name: SafeText, creator: NodeID)
}

/// Everything that the directory counts.
package enum DirectoryCounter: Int, CaseIterable, Sendable {
    /// Entries that break a bound, have a wrong id, or a wrong signature.
    case entriesRefused
    /// Tombstones that are too old by the clock of this node.
    case entriesExpired
    /// Entries above the allowance of a neighbour, or more than can wait for their check.
    case entriesOverRate
    case summariesOverRate
    case entriesTaken
    /// Entries that went because a creator, or all together, had too many.
    case entriesDisplaced
    case summariesSent
    /// Deletions by others than the creator that this node has taken back.
    case deletionsTakenBack
    /// Claims of this node that were refused: its directory has no entry of that channel.
    case claimsRefused
}

/// What the directory hands on: outputs, which the node takes after each input, and counters.
struct DirectoryEffects {
    private var outputs: [DirectoryOutput] = []
    private var head = 0
    private(set) var counters = Counters<DirectoryCounter>()

    mutating func output(_ output: DirectoryOutput) { outputs.append(output) }

    var isEmpty: Bool { outputs.isEmpty }

    mutating func popFirst() -> DirectoryOutput? {
        guard head < outputs.count else { return nil }
        let output = outputs[head]
        head += 1
        if head == outputs.count {
            outputs.removeAll(keepingCapacity: true)
            head = 0
        }
        return output
    }

    mutating func count(_ counter: DirectoryCounter, by amount: Int = 1) {
        counters.count(counter, by: UInt64(amount))
    }
}
