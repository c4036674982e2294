package import Mesh
package import Primitives

/// Who comes to the channels of this node, and who goes. A peer that this node meets on a channel has come to it. A
/// peer whose link goes down has gone.
package struct ChannelVisitors {
    package struct Change: Hashable, Sendable {
        package var node: NodeID
        package var channel: ChannelID
        package var hasJoined: Bool

        package init(node: NodeID, channel: ChannelID, hasJoined: Bool) {
            (self.node, self.channel, self.hasJoined) = (node, channel, hasJoined)
        }
    }

    /// By slot: the channels to which the peer listens.
    private var lists = [[ChannelID]](repeating: [], count: MeshScale.peersMax)

    package init() {}

    /// Takes an event of the mesh. Returns the changes on channels of `listened`, in the order of the lists.
    package mutating func take(_ event: MeshEvent, listened: [ChannelID]) -> [Change] {
        switch event {
        case .peerChannels(let slot, let node, let channels): change(slot, node, to: channels, listened)
        case .peerDown(let slot, let node, _, _): change(slot, node, to: [], listened)
        default: []
        }
    }

    /// Whether a peer goes from a channel of `listened` to one beside them at once. Then it may follow a renaming of
    /// which this node hears a moment later.
    package func mayFollow(_ event: MeshEvent, listened: [ChannelID]) -> Bool {
        guard case .peerChannels(let slot, _, let channels) = event else { return false }
        let former = lists[slot.index]
        return former.contains { !channels.contains($0) && listened.contains($0) }
            && channels.contains { !former.contains($0) && !listened.contains($0) }
    }

    private mutating func change(
        _ slot: PeerSlot, _ node: NodeID, to channels: [ChannelID], _ listened: [ChannelID]
    ) -> [Change] {
        let former = lists[slot.index]
        lists[slot.index] = channels
        let left = former.filter { !channels.contains($0) && listened.contains($0) }
        let joined = channels.filter { !former.contains($0) && listened.contains($0) }
        return left.map { Change(node: node, channel: $0, hasJoined: false) }
            + joined.map { Change(node: node, channel: $0, hasJoined: true) }
    }
}
