package import Primitives

/// Every peer that holds a slot. Lookup is by slot, or by NodeID with a binary search.
///
/// A peer keeps its slot while it is down. Only if all 64 slots are taken, a newcomer gets the slot of another peer.
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

    // A getter, not `_read`: the optimizer sees through a getter, so reading one field does not copy the whole peer.
    // A coroutine would copy it.
    package subscript(index: Int) -> PeerLink {
        get { peers[index] }
        _modify { yield &peers[index] }
    }

    package func index(of node: NodeID) -> Int? {
        let rank = lowerBound(node)
        guard rank < order.count, peers[order[rank]].node == node else { return nil }
        return order[rank]
    }

    package var isFull: Bool { peers.count == MeshScale.peersMax }

    /// Gives a free slot to a node that has none, and returns its index. Traps if the table is full.
    package mutating func append(_ node: NodeID, isLeader: Bool) -> Int {
        precondition(!isFull, "no slot is free")
        let index = peers.count
        peers.append(PeerLink(node: node, slot: PeerSlot(index: index), isLeader: isLeader, capacity))
        order.insert(index, at: lowerBound(node))
        return index
    }

    /// Gives the slot of a peer that no longer matters to a node that has none.
    package mutating func replace(_ index: Int, with node: NodeID, isLeader: Bool) {
        order.removeAll { $0 == index }
        peers[index] = PeerLink(node: node, slot: PeerSlot(index: index), isLeader: isLeader, capacity)
        order.insert(index, at: lowerBound(node))
    }

    private func lowerBound(_ node: NodeID) -> Int { order.sortedIndex { peers[$0].node < node } }
}
