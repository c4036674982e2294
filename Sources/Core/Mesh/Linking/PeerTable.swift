package import Primitives

/// Every peer that holds a slot, found by slot at once and by NodeID in a binary search.
///
/// A peer keeps its slot while it is down; only where all 64 are taken does a newcomer get the
/// slot of a peer that is down, unsought and without a session.
package struct PeerTable {
    package private(set) var peers: [PeerLink] = []
    /// Slot indices sorted by NodeID.
    private var order: [Int] = []

    package init() { peers.reserveCapacity(MeshScale.peersMax) }

    package var indices: Range<Int> { peers.indices }

    // Not `_read`: the optimizer sees through a getter, so that reading one field of a peer does not
    // copy the whole peer, which a coroutine would.
    package subscript(index: Int) -> PeerLink {
        get { peers[index] }
        _modify { yield &peers[index] }
    }

    package func index(of node: NodeID) -> Int? {
        let place = lowerBound(node)
        guard place < order.count, peers[order[place]].node == node else { return nil }
        return order[place]
    }

    /// A slot for a node that has none; nil where all are held by somebody that matters.
    package mutating func insert(_ node: NodeID, isLeader: Bool) -> Int? {
        if peers.count < MeshScale.peersMax {
            let index = peers.count
            peers.append(PeerLink(node: node, slot: PeerSlot(index: index), isLeader: isLeader))
            order.insert(index, at: lowerBound(node))
            return index
        }
        guard let index = peers.firstIndex(where: \.isReplaceable) else { return nil }
        order.removeAll { $0 == index }
        peers[index] = PeerLink(node: node, slot: PeerSlot(index: index), isLeader: isLeader)
        order.insert(index, at: lowerBound(node))
        return index
    }

    private func lowerBound(_ node: NodeID) -> Int { order.sortedIndex { peers[$0].node < node } }
}

extension PeerLink {
    /// Whether a newcomer may have this slot.
    var isReplaceable: Bool {
        guard session == nil, candidate == nil, retired == nil else { return false }
        switch state {
        case .down(let dialAt): return dialAt == .distantFuture
        case .quarantined: return true
        case .connecting, .inviting, .awaitingInvite, .awaitingDecision, .up, .verifying: return false
        }
    }
}
