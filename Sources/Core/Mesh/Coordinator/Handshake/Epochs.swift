package import Primitives
import Trust
package import Wire

/// Changes of the code at a running member: `Links/EpochChange.swift` judges them. A new epoch is in use once the shell
/// has stored it; an epoch of another node also if the shell could not. Then this node expects a proof of it from each
/// neighbour that stays by the epoch entry, and from each that had left and to which the maker gives, or may give, the
/// new secret. This node ends the links to all others.
extension MeshNode {
    private var mesh: ClosedMesh? { if case .member(let mesh) = configuration.standing { mesh } else { nil } }

    /// Whether the peer has left the mesh and has not entered it again, or leaves it by an epoch that is not in use
    /// yet. False for a node that had left and to which this node, the maker of the newest epoch, gives the new secret.
    package func hasLeftMesh(_ peer: NodeID) -> Bool {
        guard let mesh else { return false }
        if !mesh.hasLeft(peer) { return links.epochs.hasLeft(peer) }
        return !mesh.proved.contains(peer) && !mesh.kept.contains(peer)
    }

    // MARK: Making and taking

    /// Why the command `changeCode` would have no effect; nil if the command would work.
    package func codeChangeFault(leaving: [NodeID], codeKey: [UInt8]?) -> CodeChangeFault? {
        guard let mesh else { return .openMesh }
        return links.epochs.fault(leaving: leaving, codeKey: codeKey, in: mesh, of: node)
    }

    /// The other nodes that would stay after a change of the code, linked or not.
    package var knownMembers: [NodeID] {
        let own = node
        return (mesh?.known ?? []).filter { $0 != own }
    }

    /// The nodes that had left and have entered again, and that the last change of the code by this node keeps.
    package var keptNodes: [NodeID] { mesh?.kept.sorted() ?? [] }

    /// The entry of the newest epoch: its number, its maker, and the nodes that stay and that have left. Nil if the
    /// code was never changed, or if this node has that epoch only from GRANT.
    package var epochEntry: EpochEntry? { mesh?.entry?.entry }

    /// Whether this is the key of the code of the mesh.
    package func hasCode(_ codeKey: [UInt8]) -> Bool { mesh?.codeKey == codeKey }

    /// Whether the closed mesh has no code, so that nobody can enter it by one.
    package var lacksCode: Bool { mesh.map { $0.codeKey == nil } ?? false }

    mutating func changeCode(leaving: [NodeID], codeKey: [UInt8]?, now: Instant) {
        guard let mesh else { return effects.count(.epochsDropped) }
        // Nothing passes over the carrier of a session that sleeps, so a node that has returned would not get the
        // secret.
        let linked = links.indices.filter { links[$0].state.isLinked }.map { links[$0].node }
        let directive = links.epochs.change(
            leaving: leaving, codeKey: codeKey, in: mesh, linked: Set(linked), with: sealing)
        perform(directive, on: nil, now: now)
    }

    mutating func receiveEpoch(_ grant: EpochGrant, on carrier: CarrierEntry, now: Instant) {
        guard let mesh else {
            effects.count(.framesUnexpected)
            return abandon(carrier, now: now)
        }
        guard links[carrier.slot.index].admitEpoch(now: now) else { return effects.count(.epochsOverRate) }
        let directive = links.epochs.receive(
            grant, from: links[carrier.slot.index].node, in: mesh, with: sealing, random: &effects.random, now: now)
        perform(directive, on: carrier, now: now)
        switch directive {
        case .nothing, .store, .use, .restore: prove(grant, in: mesh, on: carrier)
        case .drop, .refuse: break
        }
    }

    /// Proves to the neighbour that has sent an epoch that this node has the secret of that epoch. This node may have
    /// to wait before it uses the epoch, and without the proof the sender would end the link meanwhile.
    private mutating func prove(_ grant: EpochGrant, in mesh: ClosedMesh, on carrier: CarrierEntry) {
        guard let secret = grant.matchingSecret(with: sealing) else { return }
        sendMemberProof(of: EpochKeys(of: secret, in: mesh.id, with: sealing), on: carrier)
    }

    /// Sends MEMBER, this node's proof of an epoch, if the carrier is admitted.
    private mutating func sendMemberProof(of keys: EpochKeys, on carrier: CarrierEntry) {
        guard let proof = carrier.admission.proof(of: keys, with: sealing) else { return }
        effects.send(.admission(proof), on: carrier.id)
    }

    /// The peer proves another epoch than at its admission. Perhaps this node has received that epoch, and does not use
    /// it yet.
    mutating func receiveProof(_ member: MemberProof, on carrier: CarrierEntry, now: Instant) {
        let standing = links.epochs.next.map { MeshStanding.member($0) } ?? configuration.standing
        advanceAdmission(.frame(.member(member)), as: standing, on: carrier, now: now)
    }

    /// The shell has stored a mesh, or could not.
    mutating func finishStoring(_ number: UInt32, isDurable: Bool, now: Instant) {
        perform(links.epochs.stored(number, isDurable: isDurable), on: nil, now: now)
    }

    private mutating func perform(_ directive: EpochChange.Directive, on carrier: CarrierEntry?, now: Instant) {
        // No link is expected to a node that leaves by an epoch that waits, is being stored or is in dispute. So the
        // clique has to be checked again.
        membership.invalidateClique()
        switch directive {
        case .nothing: break
        case .store(let mesh): effects.output(.storeMesh(mesh))
        case .use(let mesh, let sender): use(mesh, from: sender, now: now)
        case .drop: effects.count(.epochsDropped)
        case .restore:
            effects.count(.epochsDropped)
            if let mesh { effects.output(.storeMesh(mesh)) }
        case .refuse:
            effects.count(.framesUnexpected)
            if let carrier { abandon(carrier, now: now) }
        }
    }

    private mutating func use(_ mesh: ClosedMesh, from sender: NodeID?, now: Instant) {
        effects.count(.epochsUsed)
        let former = self.mesh
        configuration.standing = .member(mesh)
        links.epochs.begin(from: sender)
        for carrier in links.carriers.entries {
            if let keys = carrier.admission.provedKeys { recordProof(of: keys, on: carrier, now: now) }
        }
        guard let mesh = self.mesh else { return }
        let isNew = former?.newestKeys.isSame(as: mesh.newestKeys) == false
        if isNew { closePairing(.codeChanged) }
        reportChange(from: former, to: mesh, through: sender)
        if isNew { connectToRefusing(mesh, now: now) }
        // A peer with neither an admitted carrier nor a session is passed over, and so not refused here: it may be a
        // newcomer whose code is being compared at this moment. The admission of its carrier judges it.
        for index in links.indices where hasAdmittedCarrier(index) || hasAgreement(index) {
            let peer = links[index].node
            if mesh.takesAlong(peer) || mesh.proved.contains(peer) {
                awaitProof(of: index, in: mesh, from: isNew ? sender : nil, now: now)
            } else if sender != nil, former?.hasReturned(peer) == true, hasAgreement(index) {
                awaitReturned(index, in: mesh, now: now)
            } else {
                endUnproved(index, now: now)
            }
        }
        endQuestionsAboutLeft()
        membership.invalidateClique()
        // The peers read the announcement of this node by the new epoch only.
        announceSealed(now: now)
    }

    /// Ends the wait for a person's decision about each node that has left by a change of the code. A node with a
    /// session or a candidate is left alone: it may still prove the epoch. The person at this node is asked anew if the
    /// node enters again.
    private mutating func endQuestionsAboutLeft() {
        for index in links.indices where links[index].state.awaitsDecision && !hasAgreement(index) {
            guard hasLeftMesh(links[index].node) else { continue }
            links[index].endQuestion()
            setState(index, .refused(dialAt: .distantFuture))
        }
    }

    /// Dials the members that refused this node because it did not have this epoch.
    private mutating func connectToRefusing(_ mesh: ClosedMesh, now: Instant) {
        for index in links.indices where links[index].lastFailure == .refused(.noProof) {
            if mesh.isKnown(links[index].node) { connectAtOnce(index, now: now) }
        }
    }

    /// Reports a change of the code to the shell. If this node has the epoch from a GRANT already and only its entry is
    /// new, the code has not changed, and nothing is reported.
    private mutating func reportChange(from former: ClosedMesh?, to mesh: ClosedMesh, through sender: NodeID?) {
        guard let entry = mesh.entry?.entry, former?.newestKeys.number != mesh.newestKeys.number else { return }
        var left = Set(entry.left).subtracting(former?.entry?.entry.left ?? [])
        for index in links.indices where hasAgreement(index) && !mesh.isKnown(links[index].node) {
            // Of a linked node that had left and has entered again, only the maker of the epoch knows now whether it is
            // left behind anew. Another member reports that later, when the node's proof has not come.
            let peer = links[index].node
            let staysLinked = sender == nil ? mesh.kept.contains(peer) : former?.hasReturned(peer) == true
            if !staysLinked { left.insert(peer) }
        }
        reportEntry(of: mesh, through: sender, leaving: left.sorted())
    }

    /// Reports the entry of the newest epoch to the shell, with the nodes that this change of the code leaves behind.
    private mutating func reportEntry(of mesh: ClosedMesh, through sender: NodeID?, leaving left: [NodeID]) {
        guard let entry = mesh.entry?.entry, let maker = sealing.nodeID(ofPublicKey: entry.maker) else { return }
        // Any key can sign an entry. If this node has no link with the maker, its person can ask only the neighbour
        // that sent the entry, so the report names that neighbour.
        let neighbour = agreedNodes.contains(maker) || sender == maker ? nil : sender
        effects.report(
            .codeChanged(
                epoch: entry.number, by: maker, through: neighbour, left: left, hasCode: mesh.codeKey != nil))
    }

    private func hasAdmittedCarrier(_ index: Int) -> Bool {
        links.carriers.entries(of: links[index].slot).contains { $0.admission.isAdmitted }
    }

    /// Whether the peer has proved the newest epoch on a carrier that is open now. A wait for its proof may run out all
    /// the same: it began for another carrier of the peer, which may have closed since.
    private func hasProved(_ index: Int, _ mesh: ClosedMesh) -> Bool {
        links.carriers.entries(of: links[index].slot).contains {
            $0.admission.provedKeys?.isSame(as: mesh.newestKeys) == true
        }
    }

    /// The nodes with which this node has a session or a candidate.
    private var agreedNodes: Set<NodeID> {
        var found: Set<NodeID> = []
        for index in links.indices where hasAgreement(index) { found.insert(links[index].node) }
        return found
    }

    /// Whether the peer has a session, even one that sleeps, or a candidate.
    func hasAgreement(_ index: Int) -> Bool { links[index].session != nil || links[index].candidate != nil }

    /// Sends the peer this node's proof of the newest epoch, and in some cases the epoch itself. If another node has
    /// made the epoch, most peers have it from there, so a linked peer is sent it only if the peer's proof does not
    /// come soon.
    /// - Parameter sender: the node that has sent the epoch; nil if this node has made it, or had its secret before.
    ///   Then neighbours may have the secret without the entry, as this node did.
    private mutating func awaitProof(of index: Int, in mesh: ClosedMesh, from sender: NodeID?, now: Instant) {
        let peer = links[index].node
        let hasProved = mesh.proved.contains(peer)
        let isSent = sender == nil || sender != peer && !hasProved && !hasAgreement(index)
        for carrier in links.carriers.entries(of: links[index].slot) where carrier.greeting != nil {
            if isSent { sendEpoch(mesh, on: carrier) }
            sendMemberProof(of: mesh.newestKeys, on: carrier)
        }
        guard !hasProved, hasAgreement(index) else { return }
        links.epochs.awaitProof(of: peer, isInformed: isSent || sender == peer, now: now)
    }

    /// Gives a neighbour that had left and has entered again a moment to prove the newest epoch, and more time while
    /// the maker advertises a link to it. The neighbour can prove the epoch only if the maker keeps it: this node does
    /// not send the epoch to it.
    private mutating func awaitReturned(_ index: Int, in mesh: ClosedMesh, now: Instant) {
        for carrier in links.carriers.entries(of: links[index].slot) where carrier.greeting != nil {
            sendMemberProof(of: mesh.newestKeys, on: carrier)
        }
        links.epochs.awaitProof(of: links[index].node, isInformed: true, hasReturned: true, now: now)
    }

    /// The peers to which the maker of the newest epoch advertises a link. The maker ends its link to a node that it
    /// leaves behind anew, and then advertises none to it. Empty if this node has no link with the maker, or a stale
    /// one.
    private func peersOfMaker(of mesh: ClosedMesh) -> Set<NodeID> {
        guard let entry = mesh.entry?.entry, let maker = sealing.nodeID(ofPublicKey: entry.maker),
            let index = links.index(of: maker), links[index].state.isLinked, !links[index].isStale
        else { return [] }
        return Set(membership[index].links.entries.map(\.peer))
    }

    private mutating func sendEpoch(_ mesh: ClosedMesh, on carrier: CarrierEntry) {
        guard let entry = mesh.entry else { return }
        let grant = EpochGrant(entry: entry, secret: mesh.secrets[0].bytes, codeKey: mesh.codeKey)
        effects.send(.epoch(grant), on: carrier.id)
    }

    // MARK: Proofs

    /// Records that the peer of this carrier has proved an epoch, at its admission or later. Does nothing unless that
    /// is the newest epoch.
    mutating func recordProof(of keys: EpochKeys, on carrier: CarrierEntry, now: Instant) {
        guard case .member(var mesh) = configuration.standing, keys.isSame(as: mesh.newestKeys) else { return }
        let peer = links[carrier.slot.index].node
        if mesh.recordProof(by: peer, keeping: agreedNodes) {
            links.epochs.keepProofs(now: now)
            membership.invalidateClique()
        }
        configuration.standing = .member(mesh)
        links.epochs.endWait(for: peer)
        links.epochs.clearLeftBehind(by: peer)
        effects.invalidateDeadlines()
    }

    /// Sends EPOCH to a peer whose HELLO is accepted, if the peer may lack the secret or the entry of the newest epoch.
    /// It lacks the secret if it was away during a change of the code. It lacks the entry if it has come as a newcomer,
    /// perhaps on another carrier, so that the entry does not name it. The handshake does not wait for the proof of the
    /// newest epoch, which the peer owes within `MeshLimits.epochProofWaitMax`.
    /// - Returns: whether the handshake goes on; false if the peer may not have the newest secret and the link has
    ///   ended.
    mutating func advanceEpoch(on carrier: CarrierEntry, now: Instant) -> Bool {
        guard let mesh, let proved = carrier.admission.provedKeys else { return true }
        let peer = links[carrier.slot.index].node
        if proved.isSame(as: mesh.newestKeys) {
            if carrier.admission.hasGranted || !mesh.stays(peer) { sendEpoch(mesh, on: carrier) }
            return true
        }
        // A peer that neither stays nor is kept is not given the newest secret: it may have entered by the former code
        // a moment ago.
        guard mesh.takesAlong(peer) else {
            if mesh.proved.contains(peer) { return true }
            endUnproved(carrier.slot.index, now: now)
            return false
        }
        sendEpoch(mesh, on: carrier)
        sendMemberProof(of: mesh.newestKeys, on: carrier)
        links.epochs.awaitProof(of: peer, isInformed: true, now: now)
        return true
    }

    // MARK: Ends

    /// Handles a linked peer whose proof of the newest epoch has not come in time. A peer that stays by the epoch entry
    /// gets a second chance, and so does one that had left and to which this node, the maker, gives the new secret. The
    /// peer's carriers may deliver nothing, so this node closes them, and the session goes on. EPOCH follows HELLO on
    /// the next carrier. If the proof is late there too, the link ends.
    private mutating func handleLateProof(_ index: Int, in mesh: ClosedMesh, now: Instant) {
        let peer = links[index].node
        guard mesh.takesAlong(peer), links.epochs.recordLateProof(of: peer) else {
            // The peer had left and has entered again, and it lacks this epoch: the maker has left it behind anew. The
            // report of the change of the code did not name the peer, so this report does.
            if !mesh.takesAlong(peer) { reportEntry(of: mesh, through: links.epochs.sender, leaving: [peer]) }
            return endUnproved(index, now: now)
        }
        for carrier in links.carriers.entries(of: links[index].slot) where carrier.greeting != nil {
            abandon(carrier, now: now)
        }
    }

    /// Ends the link with a peer that is no member of the newest epoch, or has not proved that it is.
    private mutating func endUnproved(_ index: Int, now: Instant) {
        effects.count(.linksUnproved)
        links[index].recordFailure(.refused(.noProof))
        let peer = links[index].node
        let retryAfter = MeshLimits.refusalRetry
        let carriers = links.carriers.entries(of: links[index].slot)
        for carrier in carriers {
            links.refuse(carrier.id, Refusal(.noProof, retryAfter: retryAfter), &effects)
        }
        reachability.cancelDials(of: index, &effects)
        dropCandidate(index)
        reachability[index].endConnectRequests()
        links[index].endQuestion()
        var dialAt = hasLeftMesh(peer) ? Instant.distantFuture : now + retryAfter
        // A link that is down already goes on waiting.
        if case .down(let planned) = links[index].state { dialAt = max(dialAt, planned) }
        endSession(index, .noProof, dialAt: dialAt, now: now)
        for carrier in carriers { links.closeQuietly(carrier.id, &effects) }
    }

    /// A peer has refused this node because a proof is missing. Only a known member can say that the code was changed.
    /// A peer that is in another mesh now refuses with another reason. While this node has yet to store a newer epoch,
    /// the refusal may mean only that this node's proof was late.
    mutating func recordLeftBehind(by peer: NodeID) {
        guard let mesh, mesh.isKnown(peer), links.epochs.next == nil, links.epochs.recordLeftBehind(by: peer)
        else { return }
        effects.report(.leftBehind(by: peer))
    }

    mutating func runEpochs(now: Instant) {
        guard links.epochs.nextDeadline <= now, let mesh else { return }
        for node in links.epochs.takeUninformed(now: now) {
            guard let index = links.index(of: node), hasAgreement(index), !hasProved(index, mesh) else { continue }
            for carrier in links.carriers.entries(of: links[index].slot) where carrier.greeting != nil {
                sendEpoch(mesh, on: carrier)
            }
        }
        links.epochs.prolongWaits(for: peersOfMaker(of: mesh), now: now)
        for node in links.epochs.removeOverdue(now: now) {
            guard let index = links.index(of: node), hasAgreement(index), !hasProved(index, mesh) else { continue }
            handleLateProof(index, in: mesh, now: now)
        }
        perform(links.epochs.storeProofs(in: mesh, now: now), on: nil, now: now)
        perform(links.epochs.settle(in: mesh, linked: agreedNodes, with: sealing, now: now), on: nil, now: now)
    }
}
