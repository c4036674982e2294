import Primitives

/// Who listens to which channels, as far as this node knows.
struct ListenerLists {
    /// The channels that this node listens to.
    var own: [ChannelID] = []
    /// By slot.
    private var neighbours: [[ChannelID]] = []

    mutating func set(_ channels: [ChannelID], of slot: PeerSlot) {
        while neighbours.count <= slot.index { neighbours.append([]) }
        neighbours[slot.index] = channels
    }

    mutating func forget(_ slot: PeerSlot) {
        if slot.index < neighbours.count { neighbours[slot.index] = [] }
    }

    func neighbourListens(to channel: ChannelID) -> Bool { neighbours.contains { $0.contains(channel) } }
}
