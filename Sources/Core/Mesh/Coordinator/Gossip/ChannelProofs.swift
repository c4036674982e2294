import Primitives
import Wire

/// Channels with a code. The mesh carries the steps of their proofs. It names such a channel to a peer by the tag that
/// this node and that peer have from their proof.
extension MeshNode {
    mutating func sendChannelJoin(_ join: ChannelJoin, to slot: PeerSlot) {
        guard slot.index < links.indices.count, links[slot.index].state.isLinked,
            let carrier = links[slot.index].session?.carrier
        else { return effects.count(.channelJoinsWithoutCarrier) }
        effects.send(.channelJoin(join), on: carrier)
    }

    /// Hands on a step that came with the session in use: its nonces are in the proof.
    mutating func receiveChannelJoin(_ join: ChannelJoin, on carrier: CarrierEntry, of index: Int) {
        guard links[index].role(of: carrier.id) == .current, links[index].state.isLinked else {
            return effects.count(.framesUnexpected)
        }
        effects.output(.channelJoin(join, from: carrier.slot))
    }

    /// Names channels by these tags from now on, and reads the lists of the peer by them.
    mutating func setTags(_ tags: [ChannelTags], of slot: PeerSlot, now: Instant) {
        let index = slot.index
        guard index < links.indices.count else { return }
        let known = membership[index].listening
        membership[index].setTags(tags)
        guard links[index].state.isLinked else { return }
        followChannels(of: index, after: known)
        readvertiseChannels(to: index, now: now)
    }

    /// Sends the peer the channels of this node if tags have changed how they are named to it.
    mutating func readvertiseChannels(to index: Int, now: Instant) {
        guard links[index].state.isLinked, let carrier = links[index].session?.carrier else { return }
        membership.advertiseChannels(to: index, on: carrier, &effects, now: now)
        sendListAhead(to: index, now: now)
        refreshDeadline(of: index, now: now)
    }
}
