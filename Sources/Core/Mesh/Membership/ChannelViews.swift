package import Primitives
import Wire

/// The channels of a node as its neighbours are told.
package struct ChannelView: Hashable, Sendable {
    /// The channels to which the node that advertises this view listens. A voice label names a channel by its place in
    /// this list.
    package let listened: [ChannelID]
    /// The channels on which the node that advertises this view may talk, and to which it does not listen.
    package let talks: [ChannelID]

    /// What exceeds the limits is left out.
    package init(_ listened: [ChannelID] = [], talks: [ChannelID] = []) {
        self.listened = Array(listened.prefix(WireLimits.channelsListenedMax))
        self.talks = Array(talks.prefix(WireLimits.channelsTalkedMax))
    }

    /// The places of these channels in a tally, one bit each.
    package func places(of channels: [ChannelID]) -> UInt32 {
        (listened + talks).enumerated().reduce(0) { places, entry in
            channels.contains(entry.element) ? places | 1 << UInt32(entry.offset) : places
        }
    }

    /// The channels at the places of a tally. Places beyond the view are ignored.
    package func channels(at places: UInt32) -> [ChannelID] {
        (listened + talks).enumerated().filter { places & 1 << UInt32($0.offset) != 0 }.map(\.element)
    }
}

/// The channels of this node that one neighbour is told of, in two lists of one order: `own` has this node's ids,
/// `wire` the names that go over the network. Channels whose code the neighbour has not proved are in neither.
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

/// The channels of a peer: the view that CHANNELS brought, and a list that a datagram has brought ahead of it.
///
///     CHANNELS on the carrier ─► view ──────────────────┐
///     listening list in a datagram, later than both ─► listAhead, until the view has its generation ──► listened
///
/// This node's control blocks name the generation of the view, never that of the list ahead. So the peer sends CHANNELS
/// again until it arrives, and until then keeps the meaning of labels under the earlier generations.
package struct ReceivedChannels {
    private var received: ReceivedView<ChannelView, UInt8>
    private var listAhead: (channels: [ChannelID], generation: UInt8)?
    /// The allowance for lists that come ahead.
    private var allowance: TokenBucket

    package init(allowance: TokenBucket) {
        received = ReceivedView(allowance: allowance)
        self.allowance = allowance
    }

    package var listened: [ChannelID] { listAhead?.channels ?? view.listened }
    /// The generation of `listened`; 0 before the first view or list of the session.
    package var listenedGeneration: UInt8 { listAhead?.generation ?? received.generation }
    /// The view that CHANNELS brought, with its generation.
    package var view: ChannelView { received.value ?? ChannelView() }
    package var viewGeneration: UInt8 { received.generation }
    package var candidateGeneration: UInt8 { received.candidateGeneration }

    /// Whether the peer's newest view or list has this name in it.
    package func names(_ channel: ChannelID) -> Bool {
        view.listened.contains(channel) || view.talks.contains(channel) || listened.contains(channel)
    }

    /// - Parameter isOfCandidate: whether the view came with the candidate session.
    package mutating func receive(
        _ view: ChannelView, generation: UInt8, isOfCandidate: Bool, now: Instant
    ) -> ReceivedView<ChannelView, UInt8>.Arrival {
        let arrival = received.receive(view, generation: generation, isOfCandidate: isOfCandidate, now: now)
        let holdsView = received.generation != 0
        if let list = listAhead, holdsView, !Self.isLater(list.generation, than: received.generation) {
            listAhead = nil
        }
        return arrival
    }

    /// Takes a list ahead of its view. If it is not later than what has come, it is ignored. Returns whether the
    /// allowance forbids it.
    package mutating func receiveAhead(_ channels: [ChannelID], generation: UInt8, now: Instant) -> Bool {
        let isFirst = listenedGeneration == 0
        guard isFirst || Self.isLater(generation, than: listenedGeneration) else { return false }
        guard allowance.take(now: now) else { return true }
        listAhead = (channels, generation)
        return false
    }

    /// Generations run from 1 to 255 and then from 1 again: a later one is up to 127 ahead.
    private static func isLater(_ generation: UInt8, than known: UInt8) -> Bool {
        1...127 ~= (Int(generation) - Int(known) + 255) % 255
    }

    // MARK: The life of sessions

    package mutating func beginSession(isSameBoot: Bool) {
        if isSameBoot, let list = listAhead { received.replace(with: ChannelView(list.channels, talks: view.talks)) }
        listAhead = nil
        received.beginSession(isSameBoot: isSameBoot)
    }

    package mutating func dropCandidate() { received.dropCandidate() }

    package mutating func endSession() {
        listAhead = nil
        received.endSession()
    }
}
