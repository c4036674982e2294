package import Primitives

/// What a person does with the directory.
package enum DirectoryCommand: Hashable, Sendable {
    case create(ChannelName)
    case delete(ChannelName)
    /// Deletes the channel and creates another; who listens to the first follows.
    case rename(ChannelName, to: ChannelName)
}

/// Why a command was not carried out.
package enum DirectoryRefusal: Error, Hashable, Sendable {
    /// The channel exists already.
    case exists
    /// No channel of that name is in the directory.
    case unknown
    /// Another node created the channel, and a neighbour listens to it.
    case inUse
    /// This node has changed the channel less than `DirectoryLimits.changeInterval` ago.
    case tooSoon
    /// This node has created `DirectoryLimits.liveOfCreatorMax` channels that still exist.
    case full
    /// Entries of this node that rank before the new one fill its share of the directory, or the directory is full.
    case noRoom
    /// The name was deleted and created again so often that it can be used no more.
    case wornOut
    /// The shell has not told the time of day.
    case noTime
    /// The channel has a code, so the directory knows nothing of it.
    case hasCode
}

/// What happened in the directory, for people.
package enum DirectoryEvent: Hashable, Sendable {
    case created(ChannelID, name: SafeText, creator: NodeID)
    /// The channel was deleted. `now` is the channel that it was renamed to.
    case deleted(ChannelID, name: SafeText, by: NodeID, now: ChannelID?)
}
