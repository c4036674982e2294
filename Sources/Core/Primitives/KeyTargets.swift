/// To whom a talk key speaks.
package struct KeyTargets: Hashable, Sendable {
    package var channels: [ChannelID]
    /// Peers to whom the key speaks privately.
    package var peers: [NodeID]
    /// Whether the key speaks privately to the peer that last called this node or last spoke to it privately.
    package var isReply: Bool
    /// Whether the key speaks to all linked peers.
    package var isToAll: Bool

    package init(channels: [ChannelID] = [], peers: [NodeID] = [], isReply: Bool = false, isToAll: Bool = false) {
        self.channels = channels
        self.peers = peers
        self.isReply = isReply
        self.isToAll = isToAll
    }

    /// Whether the key speaks to nobody.
    package var isEmpty: Bool { channels.isEmpty && peers.isEmpty && !isReply && !isToAll }

    /// Whether a linked peer that listens to these channels hears the key. A reply counts where its receiver is among
    /// `peers`.
    /// - Parameter refused: the talk of this node that the peer does not play.
    package func reaches(
        _ peer: NodeID, listeningTo listened: [ChannelID], refusing refused: RefusedTalk = []
    ) -> Bool {
        isToAll && !refused.contains(.toAll) || peers.contains(peer) && !refused.contains(.privately)
            || listened.contains { channels.contains($0) }
    }

    /// Whether the key speaks to a linked peer that does not play it, because the peer has not granted that talk.
    ///
    /// - Parameter feedsProgramme: whether the peer feeds programme, so that nobody is there. Talk to all is not for
    ///   such a peer: it counts only if the key names it.
    package func isRefused(
        by peer: NodeID, listeningTo listened: [ChannelID], refusing refused: RefusedTalk,
        feedsProgramme: Bool = false
    ) -> Bool {
        guard !reaches(peer, listeningTo: listened, refusing: refused) else { return false }
        return peers.contains(peer) || isToAll && !feedsProgramme
    }

    /// Adds the targets of another key.
    package mutating func formUnion(_ other: KeyTargets) {
        for channel in other.channels where !channels.contains(channel) { channels.append(channel) }
        for peer in other.peers where !peers.contains(peer) { peers.append(peer) }
        isReply = isReply || other.isReply
        isToAll = isToAll || other.isToAll
    }

    /// Speaks on `new` instead of `old`, because the channel has another name now. Returns whether anything changed.
    package mutating func follow(_ old: ChannelID, to new: ChannelID) -> Bool {
        guard let index = channels.firstIndex(of: old) else { return false }
        if channels.contains(new) { channels.remove(at: index) } else { channels[index] = new }
        return true
    }
}
