import Primitives
import Wire

/// Calls and requests of people. The mesh carries their frames between linked peers. Of a frame it reads the channel
/// alone, because two nodes name a channel with a code by a tag.
extension MeshNode {
    mutating func sendCall(_ message: CallMessage, to slot: PeerSlot) {
        guard slot.index < links.indices.count, links[slot.index].state.isLinked,
            let carrier = links[slot.index].session?.carrier
        else { return effects.count(.callFramesWithoutCarrier) }
        guard let channel = message.channel else { return effects.send(.call(message), on: carrier) }
        guard let name = membership[slot.index].wireName(channel) else {
            return effects.count(.callFramesWithoutTag)
        }
        effects.send(.call(message.naming(name)), on: carrier)
    }

    /// Hands on a frame that came with the session in use. Before a link is up, nobody knows who calls.
    mutating func receiveCall(_ message: CallMessage, on carrier: CarrierEntry, of index: Int) {
        guard links[index].role(of: carrier.id) == .current, links[index].state.isLinked else {
            return effects.count(.framesUnexpected)
        }
        let renamed = message.channel.map { message.naming(membership[index].ownName($0)) }
        effects.output(.call(renamed ?? message, from: carrier.slot))
    }
}

extension CallMessage {
    /// The channel that the message names; nil if it names none.
    fileprivate var channel: ChannelID? {
        switch self {
        case .call(let call): if case .channel(let channel) = call.target { channel } else { nil }
        case .request(let request): request.channel
        case .answer: nil
        }
    }

    /// This message with this name for its channel, if it has one.
    fileprivate func naming(_ name: ChannelID) -> CallMessage {
        switch self {
        case .call(var call):
            if case .channel = call.target { call.target = .channel(name) }
            return .call(call)
        case .request(var request):
            request.channel = name
            return .request(request)
        case .answer: return self
        }
    }
}
