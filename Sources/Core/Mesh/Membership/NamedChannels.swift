import Primitives

/// The channels of this node as one neighbour is told them: the same places, by the ids of this node and by the names
/// that go over the network. Channels whose code the neighbour has not proved are left out.
struct NamedChannels: Hashable, Sendable {
    let own: ChannelView
    let wire: ChannelView

    /// - Parameter name: how a channel is named to the neighbour; nil if it is not.
    init(_ channels: ChannelView, _ name: (ChannelID) -> ChannelID?) {
        let listened = channels.listened.filter { name($0) != nil }
        let talks = channels.talks.filter { name($0) != nil }
        own = ChannelView(listened, talks: talks)
        wire = ChannelView(listened.compactMap(name), talks: talks.compactMap(name))
    }
}
