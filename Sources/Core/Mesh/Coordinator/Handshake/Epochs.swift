import Primitives
import Trust
import Wire

/// Changes of the code at a running member: `Links/EpochChange.swift` judges them. A new epoch is in use once the shell
/// has stored it. Then it goes to the neighbours that stay, and the links to all others end.
extension MeshNode {
    private var mesh: ClosedMesh? { if case .member(let mesh) = configuration.standing { mesh } else { nil } }

    /// Whether the peer has left the mesh and has not entered it again.
    func hasLeftMesh(_ peer: NodeID) -> Bool {
        guard let mesh, mesh.hasLeft(peer) else { return false }
        return !mesh.proved.contains(peer)
    }

    // MARK: Making and taking

    mutating func changeCode(leaving: [NodeID], codeKey: [UInt8]?, now: Instant) {
        guard let mesh else { return effects.count(.epochsDropped) }
        let directive = links.epochs.change(leaving: leaving, codeKey: codeKey, in: mesh, with: sealing)
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
    }

    /// The shell has stored an epoch.
    mutating func finishStoring(_ number: UInt32, now: Instant) {
        perform(links.epochs.stored(number), on: nil, now: now)
    }

    private mutating func perform(_ directive: EpochChange.Directive, on carrier: CarrierEntry?, now: Instant) {
        switch directive {
        case .nothing: break
        case .store(let mesh): effects.output(.storeMesh(mesh))
        case .use(let mesh, let sender): use(mesh, from: sender, now: now)
        case .drop: effects.count(.epochsDropped)
        case .refuse:
            effects.count(.framesUnexpected)
            if let carrier { abandon(carrier, now: now) }
        }
    }

    private mutating func use(_ mesh: ClosedMesh, from sender: NodeID?, now: Instant) {
        effects.count(.epochsUsed)
        configuration.standing = .member(mesh)
        links.epochs.forgetWaits()
        for index in links.indices where !links.carriers.entries(of: links[index].slot).isEmpty || isLinked(index) {
            let peer = links[index].node
            if mesh.stays(peer) || mesh.proved.contains(peer) {
                awaitProof(of: index, in: mesh, isInformed: peer == sender, now: now)
            } else {
                endUnproved(index, now: now)
            }
        }
        // The peers read the record of this node by the new epoch only.
        effects.output(.announce(membership.own.record))
    }

    private func isLinked(_ index: Int) -> Bool { links[index].session != nil || links[index].candidate != nil }

    /// - Parameter isInformed: whether the peer has sent this epoch.
    private mutating func awaitProof(of index: Int, in mesh: ClosedMesh, isInformed: Bool, now: Instant) {
        for carrier in links.carriers.entries(of: links[index].slot) where carrier.greeting != nil {
            if !isInformed { sendEpoch(mesh, on: carrier) }
            if let proof = carrier.admission.proofOfNewest(in: mesh, with: sealing) {
                effects.send(.admission(proof), on: carrier.id)
            }
        }
        guard !mesh.proved.contains(links[index].node), isLinked(index) else { return }
        links.epochs.awaitProof(of: links[index].node, now: now)
    }

    private func entry(of mesh: ClosedMesh) -> SignedEpochEntry? {
        guard let entry = mesh.entry, entry.entry.number == mesh.newestKeys.number else { return nil }
        return entry
    }

    private mutating func sendEpoch(_ mesh: ClosedMesh, on carrier: CarrierEntry) {
        guard let entry = entry(of: mesh) else { return }
        let grant = EpochGrant(entry: entry, secret: mesh.secrets[0].bytes, codeKey: mesh.codeKey)
        effects.send(.epoch(grant), on: carrier.id)
    }

    // MARK: Proofs

    /// The peer of this carrier has proved an epoch, on it or at its admission.
    mutating func recordProof(of epoch: UInt32?, on carrier: CarrierEntry) {
        guard case .member(var mesh) = configuration.standing, epoch == mesh.newestKeys.number else { return }
        mesh.recordProof(by: links[carrier.slot.index].node)
        configuration.standing = .member(mesh)
        links.epochs.endWait(for: links[carrier.slot.index].node)
    }

    /// Brings a peer whose HELLO is accepted to the newest epoch. It was away during a change of the code, or has come
    /// as a newcomer and does not know which nodes stay.
    /// - Returns: whether the peer may go on.
    mutating func advanceEpoch(on carrier: CarrierEntry, now: Instant) -> Bool {
        guard let mesh, let epoch = carrier.admission.provedEpoch else { return true }
        let peer = links[carrier.slot.index].node
        if carrier.admission.hasGranted { sendEpoch(mesh, on: carrier) }
        guard epoch < mesh.newestKeys.number, !mesh.proved.contains(peer) else { return true }
        guard mesh.stays(peer) || entry(of: mesh) == nil else {
            endUnproved(carrier.slot.index, now: now)
            return false
        }
        sendEpoch(mesh, on: carrier)
        if let proof = carrier.admission.proofOfNewest(in: mesh, with: sealing) {
            effects.send(.admission(proof), on: carrier.id)
        }
        links.epochs.awaitProof(of: peer, now: now)
        return true
    }

    /// A member that was away during several changes was given a higher epoch. The entry follows in EPOCH and says who
    /// stays. Until then the present neighbours count.
    mutating func rise(to mesh: ClosedMesh, now: Instant) {
        configuration.standing = .member(mesh)
        effects.output(.storeMesh(mesh))
        links.epochs.forgetWaits()
        for index in links.indices where links[index].session != nil {
            links.epochs.awaitProof(of: links[index].node, now: now)
        }
    }

    // MARK: Ends

    /// Ends the link with a peer that is no member of the newest epoch.
    private mutating func endUnproved(_ index: Int, now: Instant) {
        effects.count(.linksUnproved)
        let carriers = links.carriers.entries(of: links[index].slot)
        for carrier in carriers {
            links.refuse(carrier.id, Refusal(.noProof, retryAfter: MeshLimits.refusalRetry), &effects)
        }
        reachability.cancelDials(of: index, &effects)
        dropCandidate(index)
        reachability[index].endConnectRequests()
        let isOver = hasLeftMesh(links[index].node)
        endSession(index, .noProof, dialAt: isOver ? .distantFuture : now + MeshLimits.refusalRetry, now: now)
        for carrier in carriers { links.closeQuietly(carrier.id, &effects) }
    }

    mutating func runEpochs(now: Instant) {
        guard let mesh, links.epochs.nextDeadline <= now else { return }
        for node in links.epochs.takeOverdue(now: now) {
            if let index = links.index(of: node), isLinked(index) { endUnproved(index, now: now) }
        }
        perform(links.epochs.settle(in: mesh, with: sealing, now: now), on: nil, now: now)
    }
}
