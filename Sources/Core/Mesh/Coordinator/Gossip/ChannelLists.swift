import Primitives
import Wire

/// The channels that each node listens to, as it tells its neighbours.
extension MeshNode {
    mutating func setChannels(_ channels: [ChannelID]) {
        configuration.channels = Array(channels.prefix(WireLimits.channelsMax))
        for neighbour in neighbours {
            if let carrier = neighbour.carrier { effects.send(.channels(configuration.channels), on: carrier) }
        }
    }

    /// Accepts a channel list, now or later (`ChannelList`).
    mutating func receiveChannels(_ channels: [ChannelID], on line: CarrierEntry, of index: Int, now: Instant) {
        guard links[index].role(of: line.id) != nil else { return effects.count(.framesUnexpected) }
        let boot = line.greeting?.bootNonce
        guard membership.receiveChannels(channels, saidBy: boot, of: index, &effects, now: now) else { return }
        announceChannels(of: index)
    }

    /// Accepts the list that came above the allowance, when its time has come.
    mutating func readChannelsLate(_ index: Int, now: Instant) {
        guard membership[index].channelList.readLate(now: now) else { return }
        announceChannels(of: index)
    }

    /// Reports an accepted list. Before the link is up, nothing is reported; `announceUp` reports the list.
    private mutating func announceChannels(of index: Int) {
        if links[index].state.isLinked { reportChannels(of: index) }
    }

    /// Reports the channels of a peer to the shell, also when its link comes up. The shell forgets a peer that goes
    /// down, and a peer that noticed no loss does not send its list again.
    mutating func reportChannels(of index: Int) {
        effects.report(.peerChannels(links[index].slot, links[index].node, membership[index].channels))
    }
}
