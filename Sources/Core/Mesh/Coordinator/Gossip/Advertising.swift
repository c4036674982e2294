import Primitives
import Wire

/// Advertised state: what this node sends a neighbour about itself, and what it has received of the neighbour's.
extension MeshNode {
    // MARK: This node's views

    /// Begins the gossip with a neighbour when a new session comes into use or a session wakes.
    mutating func sendFirstFrames(_ index: Int, now: Instant) {
        guard links[index].session?.carrier != nil else { return }
        membership.beginGossip(with: index, neighbours, &effects, now: now)
        effects.invalidateDeadlines()
    }

    /// Sends again each view that a neighbour should have by now and does not have.
    mutating func resendViews(to index: Int, holding held: HeldGenerations, now: Instant) {
        guard let carrier = links[index].session?.carrier else { return }
        let rtt = paths[index].current?.table.chosenPath.rtt
        membership[index].resendViews(holding: held, rtt: rtt, on: carrier, &effects, now: now)
    }

    // MARK: The neighbour's views

    mutating func receiveChannels(
        _ channels: [ChannelID], generation: UInt8, on carrier: CarrierEntry, of index: Int, now: Instant
    ) {
        guard let role = links[index].role(of: carrier.id) else { return effects.count(.framesUnexpected) }
        let isChange = membership[index].receive(
            channels, generation: generation, in: role, &effects, now: now)
        if isChange, links[index].state.isLinked { reportChannels(of: index) }
    }

    /// Reports the channels of a peer to the shell, also when its link comes up: the shell forgets a peer that goes
    /// down.
    mutating func reportChannels(of index: Int) {
        effects.report(.peerChannels(links[index].slot, links[index].node, membership[index].channels))
    }

    mutating func receiveLinkStates(
        _ entries: [AdvertisedLink], generation: UInt16, on carrier: CarrierEntry, of index: Int, now: Instant
    ) {
        guard let role = links[index].role(of: carrier.id) else { return effects.count(.framesUnexpected) }
        let known = membership[index].links
        let isChange = membership.receiveLinkStates(
            entries, generation: generation, of: index, in: role, &effects, now: now)
        if isChange { followLinkStates(of: index, after: known, now: now) }
    }
}
