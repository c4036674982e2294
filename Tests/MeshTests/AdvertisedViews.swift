import Mesh
import Primitives
import Wire

/// Views, as puppets read and hold them.
extension CarrierMessage {
    /// The entries of LINK_STATES; nil of another message.
    var advertisedLinks: [AdvertisedLink]? { if case .linkStates(let entries, _) = self { entries } else { nil } }

    /// The list of CHANNELS; nil of another message.
    var advertisedChannels: [ChannelID]? { if case .channels(let channels, _, _) = self { channels } else { nil } }
}

extension HeldGenerations {
    /// Holds a view of the node; other messages change nothing.
    mutating func hold(_ message: CarrierMessage) {
        switch message {
        case .linkStates(_, let generation): linkStates = generation
        case .channels(_, _, let generation): channels = generation
        default: break
        }
    }

    /// Returns the next view of a puppet with these entries.
    mutating func next(_ entries: [AdvertisedLink]) -> CarrierMessage {
        linkStates += 1
        return .linkStates(entries, generation: linkStates)
    }

    mutating func next(channels list: [ChannelID]) -> CarrierMessage {
        channels += 1
        return .channels(list, generation: channels)
    }
}
