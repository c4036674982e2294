package import Primitives
package import Trust
package import Wire

/// Why a person's change of the code is refused.
package enum CodeChangeFault: Error, Hashable, Sendable {
    case openMesh
    /// Another change that this node has made is being stored.
    case underWay
    /// This node was left behind by an earlier change, and has entered again by the code.
    case hasLeft
    case leavesItself
    case sameCode
    /// As many nodes have left as an epoch entry holds.
    case full
}

/// Changes of the code, at one member of a closed mesh (docs/WIRE.md, "Epochs").
///
///     EPOCH that follows ─► waits ──┐
///     a person's order ─────────────┼─► stores ── the shell has stored it ──► settled, the new epoch is in use
///     the wait of a dispute is over ┘
///     EPOCH that does not follow ─► disputed (from any state; it ends by the next number)
///
/// EPOCH waits only after several others. A person's order does not wait for a turn. It is refused while the
/// shell stores another epoch that this node has made (`CodeChangeFault`).
///
/// An entry *follows* if its number is higher and its nodes that have left include all that have left so far. So if two
/// nodes change the code independently, neither entry follows the other, and the epoch with the next number unites
/// both.
package struct EpochChange {
    private indirect enum State {
        case settled
        /// This epoch waits, because too many were used a moment ago. An epoch that *follows* it takes its place.
        case waits(ClosedMesh, from: NodeID, until: Instant)
        /// The shell stores this mesh before this node uses it and sends EPOCH. Without a sender, this node has made
        /// it.
        case stores(ClosedMesh, from: NodeID?)
        case disputed(EpochDispute)
    }

    /// A neighbour that stays or has entered again, and whose proof of the newest epoch has not come.
    private struct Wait {
        let node: NodeID
        /// When the epoch is sent to it.
        var informingAt: Instant
        /// The end of the wait for its proof.
        var until: Instant
        /// `until` is never later.
        let last: Instant
    }

    private var state = State.settled
    /// The epoch of another node that waited or was being stored when a person here changed the code. This node stores
    /// it after all if it cannot store its own epoch.
    private var displaced: (mesh: ClosedMesh, sender: NodeID)?
    /// Limits the rate of epochs that the person at this node has not ordered: each takes one token. Without this
    /// limit, one member could make all other members store and send epochs without end.
    private var allowance = TokenBucket(
        burst: MeshLimits.epochsUsedBurst, interval: MeshLimits.epochUsedInterval, now: .zero)
    private var unproved: [Wait] = []
    /// Neighbours whose proof of this epoch was late already.
    private var late: Set<NodeID> = []
    /// The instant at which the shell is asked to store which nodes have proved the newest epoch.
    private var proofsKeptAt = Instant.distantFuture
    /// The known member that has refused this node, because this node lacks the newest epoch; nil if none has.
    package private(set) var leftBehindBy: NodeID?
    /// The neighbour that has sent the epoch in use; nil if this node has made it, or has had it since its start.
    package private(set) var sender: NodeID?

    package init() {}

    /// The next action of the coordinator.
    package enum Directive {
        case nothing
        /// The shell stores the mesh, and then calls `stored`.
        case store(ClosedMesh)
        /// The mesh is in use from now on.
        case use(ClosedMesh, from: NodeID?)
        /// The entry has no effect.
        case drop
        /// Storing this node's own epoch failed, but it may be on disk: the shell stores the mesh in use over it.
        case restore
        /// The sender broke the protocol.
        case refuse
    }

    // MARK: A person's order

    /// Why a change would be refused; nil if it would not.
    package func fault(
        leaving: [NodeID], codeKey: [UInt8]?, in mesh: ClosedMesh, of node: NodeID
    ) -> CodeChangeFault? {
        if case .stores(_, from: nil) = state { return .underWay }
        let newest = newestMesh(or: mesh)
        let present = standing(in: newest)
        guard !present.left.contains(node) else { return .hasLeft }
        guard !leaving.contains(node) else { return .leavesItself }
        // Those that leave know the present code.
        guard codeKey == nil || codeKey != mesh.codeKey && codeKey != newest.codeKey else { return .sameCode }
        guard present.left.union(leaving).count <= WireLimits.epochNodesMax, present.number < .max else {
            return .full
        }
        return nil
    }

    /// Makes the next epoch. It follows an epoch that waits, and unites epochs in dispute. So a member that changes the
    /// code again and again cannot keep the person at this node from leaving it behind.
    /// - Parameter linked: nodes that stay before others if an entry cannot name all. Those of them that had left and
    ///   have entered again are kept, unless they are among `leaving` or another epoch is not in use yet.
    package mutating func change(
        leaving: [NodeID], codeKey: [UInt8]?, in mesh: ClosedMesh, linked: Set<NodeID>, with sealing: any Sealing
    ) -> Directive {
        guard fault(leaving: leaving, codeKey: codeKey, in: mesh, of: sealing.nodeID) == nil else { return .drop }
        let present = standing(in: newestMesh(or: mesh))
        // An epoch not yet in use may leave returned nodes behind anew, and no entry shows it. So no node is kept then.
        var kept: Set<NodeID> = []
        if case .settled = state { kept = linked.filter { mesh.hasReturned($0) }.subtracting(leaving) }
        displaced = pendingEpoch.flatMap { pending in pending.sender.map { (pending.mesh, $0) } }
        return make(
            after: present.number, stay: present.stay.union(mesh.known), left: present.left.union(leaving),
            keeping: kept, codeKey: codeKey, in: mesh, linked: linked, with: sealing)
    }

    private mutating func make(
        after number: UInt32, stay: Set<NodeID>, left: Set<NodeID>, keeping kept: Set<NodeID>, codeKey: [UInt8]?,
        in mesh: ClosedMesh, linked: Set<NodeID>, with sealing: any Sealing
    ) -> Directive {
        let (next, isTooHigh) = number.addingReportingOverflow(1)
        guard !isTooHigh, !left.contains(sealing.nodeID), left.count <= WireLimits.epochNodesMax,
            let secret = EpochSecret(number: next, bytes: sealing.randomBytes(count: EpochSecret.byteCount))
        else { return .drop }
        let others = stay.subtracting(left).subtracting([sealing.nodeID]).sorted()
        let ranked =
            others.filter(linked.contains)
            + others.filter { !linked.contains($0) && mesh.stays($0) }
            + others.filter { !linked.contains($0) && !mesh.stays($0) }
        let staying = [sealing.nodeID] + ranked.prefix(WireLimits.epochNodesMax - 1)
        let entry = EpochEntry(
            mesh: mesh.id, number: next, secretHash: secret.hash(with: sealing),
            codeHash: secret.codeHash(of: codeKey, with: sealing), maker: sealing.publicKey, stay: staying.sorted(),
            left: left.sorted())
        let signed = SignedEpochEntry(signing: entry, with: sealing)
        var made = mesh.following(secret, codeKey: codeKey, entry: signed, with: sealing)
        made.kept = kept
        return store(made, from: nil)
    }

    /// Stores an epoch of another node, at once or when its turn comes.
    private mutating func storeInTurn(_ mesh: ClosedMesh, from sender: NodeID, now: Instant) -> Directive {
        if case .waits(_, _, let until) = state {
            state = .waits(mesh, from: sender, until: until)
            return .nothing
        }
        guard allowance.take(now: now) else {
            state = .waits(mesh, from: sender, until: allowance.nextToken(now: now))
            return .nothing
        }
        return store(mesh, from: sender)
    }

    private mutating func store(_ mesh: ClosedMesh, from sender: NodeID?) -> Directive {
        state = .stores(mesh, from: sender)
        return .store(mesh)
    }

    /// The shell has stored a mesh, or could not. Another one may have taken its place meanwhile. If the disk fails,
    /// this node still uses an epoch that another node made, because its neighbours stop using the old one. But it
    /// gives up an epoch that it made itself, and takes the one in `displaced` again.
    package mutating func stored(_ number: UInt32, isDurable: Bool) -> Directive {
        guard case .stores(let mesh, let sender) = state, mesh.newestKeys.number == number else { return .nothing }
        state = .settled
        defer { displaced = nil }
        if isDurable || sender != nil { return .use(mesh, from: sender) }
        return displaced.map { store($0.mesh, from: $0.sender) } ?? .restore
    }

    // MARK: EPOCH

    /// Judges an EPOCH frame of a neighbour: stores its epoch, now or later, drops or refuses the frame, or begins a
    /// dispute.
    /// - Parameter mesh: the closed mesh that this node uses now. A newer epoch of it may be on its way to the disk.
    package mutating func receive(
        _ grant: EpochGrant, from sender: NodeID, in mesh: ClosedMesh, with sealing: any Sealing,
        random: inout SeededRandom, now: Instant
    ) -> Directive {
        let entry = grant.entry.entry
        guard entry.mesh == mesh.id, let secret = grant.matchingSecret(with: sealing) else { return .refuse }
        let newest = newestMesh(or: mesh)
        let (number, _, left) = standing(in: newest)
        if entry == newest.entry?.entry { return .nothing }
        // A node that leaves by an epoch that is not in use yet could undo that with an epoch of its own.
        guard mesh.isKnown(sender), !hasLeft(sender),
            let maker = grant.entry.verifiedMaker(with: sealing), entry.stay.contains(maker)
        else { return .drop }
        // The entry of a maker that has left names that maker among those that stay, so it does not follow. This
        // happens if two persons leave each other behind at once.
        let includesLeft = left.isSubset(of: entry.left)
        // GRANT has brought the secret before, and only the entry is new. A second entry for one secret is not taken.
        if includesLeft, !isDisputed, newest.entry == nil, newest.secrets[0] == secret {
            return store(newest.explained(by: grant, with: sealing), from: sender)
        }
        if includesLeft, number < entry.number {
            // A node that was left behind and has entered again is sent EPOCH only by a maker that keeps it.
            guard entry.stay.contains(sealing.nodeID) || newest.hasLeft(sealing.nodeID) else { return .drop }
            let next = mesh.following(secret, codeKey: grant.codeKey, entry: grant.entry, with: sealing)
            return storeInTurn(next, from: sender, now: now)
        }
        // An entry before the present one.
        if entry.number < number, Set(entry.left).isSubset(of: left) { return .nothing }
        dispute(entry, newest, random: &random, now: now)
        return .nothing
    }

    /// Whether the node has left by an entry that is not in use yet: one that waits, is being stored, or is in dispute.
    package func hasLeft(_ node: NodeID) -> Bool {
        switch state {
        case .settled: false
        case .waits(let mesh, _, _), .stores(let mesh, _): mesh.hasLeft(node)
        case .disputed(let dispute): dispute.left.contains(node)
        }
    }

    /// The epoch that waits or is being stored, or did so before a dispute, and its sender; nil if there is none.
    private var pendingEpoch: (mesh: ClosedMesh, sender: NodeID?)? {
        switch state {
        case .waits(let next, let sender, _): (next, sender)
        case .stores(let next, from: let sender): (next, sender)
        case .disputed(let dispute): dispute.before
        case .settled: nil
        }
    }

    private var isDisputed: Bool { if case .disputed = state { true } else { false } }

    /// The mesh in the epoch that waits or is being stored; nil if there is none.
    package var next: ClosedMesh? {
        switch state {
        case .waits(let mesh, _, _), .stores(let mesh, _): mesh
        case .settled, .disputed: nil
        }
    }

    private func newestMesh(or mesh: ClosedMesh) -> ClosedMesh { next ?? mesh }

    /// Returns the number that an entry has to exceed, and the nodes that stay and have left.
    private func standing(
        in mesh: ClosedMesh
    ) -> (number: UInt32, stay: Set<NodeID>, left: Set<NodeID>) {
        if case .disputed(let dispute) = state { return (dispute.number, dispute.stay, dispute.left) }
        return (mesh.newestKeys.number, Set(mesh.known), Set(mesh.entry?.entry.left ?? []))
    }

    private mutating func dispute(
        _ entry: EpochEntry, _ mesh: ClosedMesh, random: inout SeededRandom, now: Instant
    ) {
        var dispute: EpochDispute
        if case .disputed(let present) = state {
            dispute = present
        } else {
            let (number, stay, left) = standing(in: mesh)
            let members = max(MeshLimits.epochDisputeMembersMin, min(stay.count, MeshScale.peersMax))
            let wait = random.interval(in: .zero...MeshLimits.epochDisputeWaitPerMember * Int64(members))
            // Many nodes may get a token of `allowance` at one moment. So a random wait follows the wait for it.
            dispute = EpochDispute(
                number: number, stay: stay, left: left, before: pendingEpoch, presentCodeKey: mesh.codeKey,
                until: allowance.nextToken(now: now) + wait)
        }
        dispute.unite(with: entry)
        state = .disputed(dispute)
    }

    // MARK: Proofs of neighbours

    /// Waits for the proof of the newest epoch by a neighbour that stays, or that had left and has entered again.
    /// - Parameters:
    ///   - isInformed: whether the neighbour has the epoch, or is sent it by this node or by the maker of the epoch;
    ///     else this node sends it soon, if the proof does not come.
    ///   - hasReturned: whether it had left and has entered again: only the maker sends it the epoch.
    package mutating func awaitProof(of node: NodeID, isInformed: Bool, hasReturned: Bool = false, now: Instant) {
        guard !unproved.contains(where: { $0.node == node }) else { return }
        let last = now + (hasReturned ? MeshLimits.returnedProofWaitMax : MeshLimits.epochProofWaitMax)
        unproved.append(
            Wait(
                node: node, informingAt: isInformed ? .distantFuture : now + MeshLimits.epochForwardedAfter,
                until: hasReturned ? now + MeshLimits.returnedProofWait : last, last: last))
    }

    /// Lengthens the waits for proofs of these nodes that would end now, but none beyond its `last`.
    package mutating func prolongWaits(for kept: Set<NodeID>, now: Instant) {
        for place in unproved.indices where unproved[place].until <= now && kept.contains(unproved[place].node) {
            unproved[place].until = min(now + MeshLimits.returnedProofWait, unproved[place].last)
        }
    }

    /// Returns the neighbours that are sent the epoch now, because their proof has not come.
    package mutating func takeUninformed(now: Instant) -> [NodeID] {
        var uninformed: [NodeID] = []
        for place in unproved.indices where unproved[place].informingAt <= now {
            unproved[place].informingAt = .distantFuture
            uninformed.append(unproved[place].node)
        }
        return uninformed
    }

    /// The neighbour has proved the newest epoch, or is no neighbour any more.
    package mutating func endWait(for node: NodeID) { unproved.removeAll { $0.node == node } }

    /// The proof of a neighbour that stays or is kept has not come in time.
    /// - Returns: whether that is the first time in this epoch.
    package mutating func recordLateProof(of node: NodeID) -> Bool { late.insert(node).inserted }

    /// A new epoch is in use. No other node has proved yet that it has the secret of this epoch.
    /// - Parameter sender: the neighbour that has sent the epoch; nil if this node has made it.
    package mutating func begin(from sender: NodeID?) {
        self.sender = sender
        unproved = []
        late = []
        leftBehindBy = nil
    }

    /// A node has proved the newest epoch for the first time. The shell stores that a little later, together with the
    /// proofs of other nodes that have come by then.
    package mutating func keepProofs(now: Instant) {
        proofsKeptAt = min(proofsKeptAt, now + MeshLimits.epochProofsKeptAfter)
    }

    // MARK: Left behind

    /// A known member has refused this node for a missing proof: this node does not have the newest epoch.
    /// - Returns: whether this node did not count as left behind before.
    package mutating func recordLeftBehind(by node: NodeID) -> Bool {
        defer { leftBehindBy = node }
        return leftBehindBy == nil
    }

    /// The node has proved the newest epoch to this node.
    package mutating func clearLeftBehind(by node: NodeID) { if leftBehindBy == node { leftBehindBy = nil } }

    // MARK: Deadlines

    package var nextDeadline: Instant {
        let ofProofs = unproved.reduce(proofsKeptAt) { min($0, $1.informingAt, $1.until) }
        return switch state {
        case .settled, .stores: ofProofs
        case .waits(_, _, let until): min(until, ofProofs)
        case .disputed(let dispute): min(dispute.until, ofProofs)
        }
    }

    /// Returns the neighbours whose proof is overdue, and waits for them no more.
    package mutating func removeOverdue(now: Instant) -> [NodeID] {
        let overdue = unproved.filter { $0.until <= now }.map(\.node)
        unproved.removeAll { $0.until <= now }
        return overdue
    }

    /// Asks for the mesh to be stored with the proofs of its newest epoch, when that is due.
    package mutating func storeProofs(in mesh: ClosedMesh, now: Instant) -> Directive {
        guard proofsKeptAt <= now else { return .nothing }
        proofsKeptAt = .distantFuture
        // No node has proved the next epoch yet.
        if case .stores = state { return .nothing }
        return .store(mesh)
    }

    /// Ends a wait that is over. If an epoch waits for its turn, this node now stores it. If epochs are in dispute,
    /// this node makes the epoch that unites them. If no epoch can, this node stores the one that was next before the
    /// dispute.
    /// - Parameter linked: the linked peers. If an epoch entry cannot name all nodes that stay, it names these first.
    package mutating func settle(
        in mesh: ClosedMesh, linked: Set<NodeID>, with sealing: any Sealing, now: Instant
    ) -> Directive {
        if case .waits(let next, let sender, let until) = state, until <= now {
            _ = allowance.take(now: now)
            return store(next, from: sender)
        }
        guard case .disputed(let dispute) = state, dispute.until <= now else { return .nothing }
        _ = allowance.take(now: now)
        state = .settled
        let united = make(
            after: dispute.number, stay: dispute.stay.union(mesh.known), left: dispute.left, keeping: [],
            codeKey: dispute.codeKey, in: mesh, linked: linked, with: sealing)
        guard case .drop = united, let before = dispute.before else { return united }
        return store(before.mesh, from: before.sender)
    }
}
