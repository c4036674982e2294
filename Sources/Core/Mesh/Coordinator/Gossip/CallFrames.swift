import Primitives
import Wire

/// Calls and requests of people. The mesh carries their frames between linked peers. Of a frame it reads the channel
/// alone, because two nodes name a channel with a code by a tag.
extension MeshNode {
    mutating func sendCall(_ message: CallMessage, to slot: PeerSlot) {
        guard slot.index < links.indices.count, links[slot.index].state.isLinked,
            let carrier = links[slot.index].session?.carrier
        else { return effects.count(.callFramesWithoutCarrier) }
        guard let message = message.renamingChannel(membership[slot.index].wireName) else {
            return effects.count(.callFramesWithoutTag)
        }
        effects.send(.call(message), on: carrier)
    }

    /// Hands on a frame that came with the session in use. Before a link is up, nobody knows who calls.
    mutating func receiveCall(_ message: CallMessage, on carrier: CarrierEntry, of index: Int) {
        guard links[index].role(of: carrier.id) == .current, links[index].state.isLinked else {
            return effects.count(.framesUnexpected)
        }
        guard let message = message.renamingChannel(membership[index].ownName) else { return }
        effects.output(.call(message, from: carrier.slot))
    }
}

extension CallMessage {
    /// This message with another name for its channel; nil if the channel has no name for the reader.
    fileprivate func renamingChannel(_ name: (ChannelID) -> ChannelID?) -> CallMessage? {
        switch self {
        case .call(var call):
            guard case .channel(let channel) = call.target else { return self }
            guard let name = name(channel) else { return nil }
            call.target = .channel(name)
            return .call(call)
        case .request(var request):
            guard let name = name(request.channel) else { return nil }
            request.channel = name
            return .request(request)
        case .answer: return self
        }
    }
}
