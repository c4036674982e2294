package import Primitives

/// Every peer that holds a slot, found by slot at once and by NodeID in a binary search.
///
/// A peer keeps its slot while it is down; only where all 64 are taken does a newcomer get another's.
package struct PeerTable {
    package private(set) var peers: [PeerLink] = []
    /// Slot indices sorted by NodeID.
    private var order: [Int] = []

    private let capacity: MeshCapacity

    package init(_ capacity: MeshCapacity = .standard) {
        self.capacity = capacity
        peers.reserveCapacity(MeshScale.peersMax)
    }

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

    package var isFull: Bool { peers.count == MeshScale.peersMax }

    /// A slot for a node that has none.
    package mutating func append(_ node: NodeID, isLeader: Bool) -> Int {
        precondition(!isFull, "no slot is free")
        let index = peers.count
        peers.append(PeerLink(node: node, slot: PeerSlot(index: index), isLeader: isLeader, capacity))
        order.insert(index, at: lowerBound(node))
        return index
    }

    /// Gives the slot of one that does not matter any more to a node that has none.
    package mutating func replace(_ index: Int, with node: NodeID, isLeader: Bool) {
        order.removeAll { $0 == index }
        peers[index] = PeerLink(node: node, slot: PeerSlot(index: index), isLeader: isLeader, capacity)
        order.insert(index, at: lowerBound(node))
    }

    private func lowerBound(_ node: NodeID) -> Int { order.sortedIndex { peers[$0].node < node } }
}

extension PeerLink {
    private var hasKeys: Bool { session != nil || candidate != nil || retired != nil }

    /// Whether a newcomer may have this slot, who was only heard of.
    var isReplaceable: Bool {
        guard !hasKeys else { return false }
        switch state {
        case .down(let dialAt): return dialAt == .distantFuture
        case .quarantined: return true
        case .connecting, .inviting, .awaitingInvite, .awaitingDecision, .up, .verifying: return false
        }
    }

    /// Whether whoever stands at the door may have it: this one was never linked with, whatever is hoped of it.
    var isOnlyWanted: Bool { !hasKeys && !hasBeenUp && !state.isLinked }
}
