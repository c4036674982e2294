package import Primitives

/// Every peer that holds a slot. Lookup is by slot, or by NodeID with a binary search.
///
/// A peer keeps its slot while its link is down. Only if all 64 slots are taken, a further node may be given the slot
/// of a peer.
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
    /// The indices of all peers, in the order of their NodeIDs.
    package var indicesByNode: [Int] { order }

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

    /// Takes the slot from its peer, and gives it to `node`, which has no slot.
    package mutating func replace(_ index: Int, with node: NodeID, isLeader: Bool) {
        order.removeAll { $0 == index }
        peers[index] = PeerLink(node: node, slot: PeerSlot(index: index), isLeader: isLeader, capacity)
        order.insert(index, at: lowerBound(node))
    }

    private func lowerBound(_ node: NodeID) -> Int { order.sortedIndex { peers[$0].node < node } }
}

/// The slot that a node gets if no slot is free.
extension Links {
    /// A node that has no slot.
    enum Claimant {
        /// The node was only heard of: it has no carrier.
        case isHeardOf
        /// The node that needs a slot has no carrier to this node, but a record of it has come that it has signed
        /// itself.
        case hasRecord
        /// The node has an authenticated carrier.
        /// - Parameters:
        ///   - mayLink: whether the node may link without a question to the person here.
        ///   - displaces: whether it may displace a peer that has a carrier and has not sent HELLO.
        case isHere(mayLink: Bool, displaces: Bool)
    }

    /// What the other machines know of the peer that has a slot.
    struct Holder {
        /// When the peer died or left; `.zero` if it did neither since it got the slot.
        var goneSince: Instant
        /// Whether the peer is known from an earlier start of this node alone, and an attempt to reach it has failed.
        var isOnlyRemembered: Bool
    }

    /// Returns the index of the slot to give away, the first that exists of:
    /// 1. a peer without keys, attempt or link (`isReplaceable`): first one that neither died nor left, then the one
    ///    that died or left the longest ago,
    /// 2. a peer that closed its carrier before the person here decided about it,
    /// 3. for a new node with a record or a carrier: a peer that is only remembered, and for which no attempt is under
    ///    way,
    /// 4. for a new node with a carrier: a peer that was never linked and has no carrier; first a peer without an
    ///    attempt, then one that is being dialled,
    /// 5. for a new node with a carrier, unless this node is a newcomer to its mesh: the peer without HELLO whose
    ///    carrier is the oldest. In an open mesh HELLO follows TLS at once. In a closed mesh, while many slots are
    ///    free, two nodes have compared their codes before strangers can fill the slots. With four free slots and 100
    ///    handshakes a second, a carrier has only 40 ms for that, which may be too short.
    /// 6. for a new node with a carrier that may link without a question: a peer about which a person has yet to
    ///    decide.
    /// - Parameter holders: the peers that have the slots, by index.
    func slotToReplace(by claimant: Claimant, holders: [Holder]) -> Int? {
        let unneeded = indices.filter { self[$0].isReplaceable }
        if let longest = unneeded.min(by: { holders[$0].goneSince < holders[$1].goneSince }) { return longest }
        if let abandoned = indices.first(where: { isAbandoned($0) }) { return abandoned }
        if case .isHeardOf = claimant { return nil }
        let wanted = indices.filter { self[$0].isOnlyWanted }
        let absent = wanted.filter { !hasCarrier($0) && !self[$0].state.awaitsDecision }
        let remembered = absent.first { holders[$0].isOnlyRemembered && self[$0].state.isDown }
        if let remembered { return remembered }
        guard case .isHere(let mayLink, let displaces) = claimant else { return nil }
        if let waiting = absent.first(where: { self[$0].state.isDown }) { return waiting }
        if let dialled = absent.first { return dialled }
        if displaces, let unproved = oldestUnproved(among: wanted) { return unproved }
        return mayLink ? wanted.first { self[$0].state.awaitsDecision } : nil
    }

    /// Of the peers whose carriers have all brought no HELLO, returns the one whose first carrier opened earliest.
    private func oldestUnproved(among wanted: [Int]) -> Int? {
        let unproved = wanted.filter { index in
            hasCarrier(index) && carriers.entries.allSatisfy { $0.slot != self[index].slot || $0.greeting == nil }
        }
        return unproved.min { openedAt($0) < openedAt($1) }
    }

    private func openedAt(_ index: Int) -> Instant {
        carriers.entries.first { $0.slot == self[index].slot }?.openedAt ?? .distantFuture
    }

    /// Whether a peer waits for the decision of the person here, and has closed its carrier. Such a peer connects again
    /// by itself.
    private func isAbandoned(_ index: Int) -> Bool {
        self[index].state == .awaitingDecision(until: .distantFuture) && self[index].isOnlyWanted && !hasCarrier(index)
    }

    /// Whether the peer has an open carrier beside that of its session.
    func hasOtherCarrier(_ index: Int) -> Bool {
        carriers.entries.contains { $0.slot == self[index].slot && $0.id != self[index].session?.carrier }
    }

    /// Whether any carrier of the peer is open.
    func hasCarrier(_ index: Int) -> Bool { carriers.entries.contains { $0.slot == self[index].slot } }
}

extension PeerLink {
    private var hasKeys: Bool { session != nil || candidate != nil || retired != nil }

    /// Whether any claimant may take this slot, even one that was only heard of.
    var isReplaceable: Bool {
        guard !hasKeys else { return false }
        switch state {
        case .down(let dialAt): return dialAt == .distantFuture
        case .connecting, .inviting, .awaitingInvite, .awaitingDecision, .up, .verifying: return false
        }
    }

    /// Whether the peer has no keys and no link, and has had no link since it got this slot. A new node may then take
    /// the slot under the conditions of `slotToReplace`, even if this node wants the peer.
    var isOnlyWanted: Bool { !hasKeys && !hasBeenUp && !state.isLinked }
}
