import Primitives
import Wire

/// The slots of peers. A peer has the same slot in every machine. If all slots are taken, a newcomer gets the slot of
/// another peer.
extension MeshNode {
    /// Returns the peer's index in the table. Gives a slot to a peer that has none; returns nil if no slot can be
    /// had.
    /// - Parameter isHere: whether the peer has an authenticated carrier. If so, it may also take the slot of a peer
    ///   that was never linked.
    mutating func peerIndex(of peer: NodeID, isHere: Bool = false, now: Instant) -> Int? {
        if let index = links.index(of: peer) { return index }
        guard peer != node, let index = makeSlot(for: peer, isHere: isHere) else { return nil }
        effects.invalidateDeadlines()
        if let record = membership.roster[peer]?.record, !record.isLeaving {
            reachability[index].replaceAddresses(with: record.endpoints)
        }
        return index
    }

    private mutating func makeSlot(for peer: NodeID, isHere: Bool) -> Int? {
        guard links.isFull else {
            let index = links.append(peer, isLeader: peer < node)
            openSlot(index, for: peer)
            return index
        }
        guard let index = slotToReplace(by: isHere ? peer : nil) else { return nil }
        // Open dials and carriers of the former peer would count as those of the new one.
        clearAttempt(index)
        links.attemptFloor = max(links.attemptFloor, links[index].attempt)
        links.replace(index, with: peer, isLeader: peer < node)
        openSlot(index, for: peer)
        // The new peer may have had a slot before and still hold that session. It accepts only an attempt with a
        // higher number.
        links[index].attempt = links.attemptFloor
        return index
    }

    /// Every machine forgets the former holder of the slot.
    private mutating func openSlot(_ index: Int, for peer: NodeID) {
        reachability.open(index, for: peer)
        paths.open(index, for: peer)
        membership.open(index, for: peer)
        detector.open(index, for: peer)
        relay.open(index)
    }

    /// Returns the index of the slot to give away, the first that exists of:
    /// 1. a peer without keys, attempt or link (`isReplaceable`),
    /// 2. a peer that closed its carrier before the person here decided about it,
    /// 3. for a visitor: a peer that was never linked and has no carrier, one that waits before one that is dialled,
    /// 4. for a visitor that may link without a question: a peer about which a person has yet to decide.
    /// - Parameter visitor: the peer that needs the slot, if it has an authenticated carrier.
    private func slotToReplace(by visitor: NodeID?) -> Int? {
        if let unsought = links.indices.first(where: { links[$0].isReplaceable }) { return unsought }
        if let abandoned = links.indices.first(where: { isAbandoned($0) }) { return abandoned }
        guard let visitor else { return nil }
        let wanted = links.indices.filter { links[$0].isOnlyWanted }
        let absent = wanted.filter { links.carriers.lines(of: links[$0].slot).isEmpty && !isUndecided($0) }
        if let waiting = absent.first(where: { if case .down = links[$0].state { true } else { false } }) {
            return waiting
        }
        if let dialled = absent.first { return dialled }
        return invitation(for: visitor) == .allowed ? wanted.first(where: { isUndecided($0) }) : nil
    }

    /// Whether a peer waits for the person here to decide, and has no carrier any more. Such a peer asks again by
    /// itself.
    private func isAbandoned(_ index: Int) -> Bool {
        guard case .awaitingDecision(.distantFuture) = links[index].state else { return false }
        return links[index].isOnlyWanted && links.carriers.lines(of: links[index].slot).isEmpty
    }

    private func isUndecided(_ index: Int) -> Bool {
        if case .awaitingDecision = links[index].state { true } else { false }
    }
}
