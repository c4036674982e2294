import Primitives
import Wire

/// Calls and requests of people. The mesh carries their frames between linked peers, and does not read them.
extension MeshNode {
    mutating func sendCall(_ message: CallMessage, to slot: PeerSlot) {
        guard slot.index < links.indices.count, links[slot.index].state.isLinked,
            let carrier = links[slot.index].session?.carrier
        else { return effects.count(.callFramesWithoutCarrier) }
        effects.send(.call(message), on: carrier)
    }

    /// Hands on a frame that came with the session in use. Before a link is up, nobody knows who calls.
    mutating func receiveCall(_ message: CallMessage, on carrier: CarrierEntry, of index: Int) {
        guard links[index].role(of: carrier.id) == .current, links[index].state.isLinked else {
            return effects.count(.framesUnexpected)
        }
        effects.output(.call(message, from: carrier.slot))
    }
}
