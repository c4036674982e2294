import Primitives
import Wire

/// Replicated tables. The mesh carries their frames and digests between linked peers, and does not read them.
extension MeshNode {
    /// Reports the session in use to the owner of the tables, which begins to compare them.
    mutating func reportSession(of index: Int) {
        guard links[index].state.isLinked, let session = links[index].session else { return }
        effects.output(.sessionBegan(links[index].slot, links[index].node, nonces: session.nonces))
    }

    // MARK: Sending

    mutating func sendTable(_ message: TableMessage, to slot: PeerSlot) {
        guard slot.index < links.indices.count, links[slot.index].state.isLinked,
            let carrier = links[slot.index].session?.carrier
        else { return effects.count(.tableFramesWithoutCarrier) }
        effects.send(.table(message), on: carrier)
    }

    /// Keeps a digest for the next control block. It needs no datagram of its own, which would cost 58 bytes of
    /// headers and seal.
    mutating func sendTableDigest(_ digest: TableDigest, to slot: PeerSlot, isUrgent: Bool, now: Instant) {
        let index = slot.index
        guard index < links.indices.count, links[index].state.isLinked else { return }
        paths[index].keepTableDigest(digest)
        guard isUrgent else { return }
        paths[index].current?.scheduleControl(at: now)
        refreshDeadline(of: index, now: now)
    }

    // MARK: Arrivals

    /// Hands on a frame that came with the session in use. The hashes in a frame of another session are keyed with
    /// other nonces.
    mutating func receiveTable(_ message: TableMessage, on carrier: CarrierEntry, of index: Int) {
        guard links[index].role(of: carrier.id) == .current, links[index].state.isLinked else {
            return effects.count(.framesUnexpected)
        }
        effects.output(.table(message, from: carrier.slot))
    }

    /// Hands on the digests in a datagram of the session in use.
    mutating func receiveTableDigests(_ digests: [TableDigest], of index: Int) {
        guard !digests.isEmpty, links[index].state.isLinked else { return }
        let rtt = paths[index].current?.table.chosenPath.rtt
        effects.output(.tableDigests(digests, from: links[index].slot, rtt: rtt))
    }
}
