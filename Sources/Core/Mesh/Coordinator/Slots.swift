import Primitives
import Trust
import Wire

/// The slots of peers. A peer has the same slot in each of the six machines of the mesh. If all slots are taken, a
/// further peer may be given the slot of another one (`Links.slotToReplace`).
extension MeshNode {
    /// Returns the peer's index in the table. Gives a slot to a peer that has none; returns nil if no slot can be
    /// had.
    /// - Parameter isHere: whether the peer has an authenticated carrier to this node. With one, the peer may also take
    ///   the slot of a peer that was never linked. With only a record in the roster, it may take the slot of a peer
    ///   that is known from an earlier start of this node alone and was not reached.
    mutating func peerIndex(of peer: NodeID, isHere: Bool = false) -> Int? {
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
        let mayLink = decision(about: peer) == .allowed
        let hasRecord = membership.roster[peer].map { !$0.record.isLeaving } ?? false
        // If this node is a newcomer, it compares codes with each peer before HELLO, so its peers stay longer without
        // HELLO.
        let seeksMesh = if case .newcomer = configuration.standing { true } else { false }
        let claimant: Links.Claimant =
            isHere
            ? .isHere(mayLink: mayLink, displaces: !seeksMesh)
            : hasRecord ? .hasRecord : .isHeardOf
        var holders: [Links.Holder] = []
        for index in links.indices {
            holders.append(
                Links.Holder(
                    goneSince: detector[index].goneSince, isOnlyRemembered: reachability[index].isOnlyRemembered))
        }
        guard let index = links.slotToReplace(by: claimant, holders: holders) else { return nil }
        detector[index].endDamping(&effects)
        // Open dials and carriers of the former peer would count as those of the new one.
        clearAttempt(index)
        links.replace(index, with: peer, isLeader: peer < node)
        openSlot(index, for: peer)
        return index
    }

    /// Each machine forgets the peer that had the slot before. The new peer may have been declared dead in an earlier
    /// slot: it is unmet again.
    private mutating func openSlot(_ index: Int, for peer: NodeID) {
        reachability.open(index, for: peer)
        paths.open(index, for: peer)
        membership.open(index, for: peer)
        detector.open(index, for: peer)
        relay.open(index)
        membership.setDead(false, peer)
    }
}
