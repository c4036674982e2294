package import Primitives
import Trust
import Wire

/// The admission of a carrier's peer, before HELLO: `Links/CarrierAdmission.swift` shows its course.
extension MeshNode {
    /// Sends PROOF, the first frame of a carrier. An open mesh has nothing to hide, so its HELLO does not wait and
    /// follows at once.
    mutating func beginAdmission(on carrier: CarrierEntry) {
        let proof = carrier.admission.proof(as: configuration.standing, with: sealing)
        effects.send(.admission(.proof(proof)), on: carrier.id)
        if case .open = configuration.standing { sendHello(on: carrier) }
    }

    mutating func advanceAdmission(_ input: AdmissionInput, on carrier: CarrierEntry, now: Instant) {
        advanceAdmission(input, as: configuration.standing, on: carrier, now: now)
    }

    /// - Parameter standing: what this node is to the mesh: a node of an open mesh, a newcomer, or a member with its
    ///   secrets. The input is judged by it. For a proof after HELLO, it may have the secret of an epoch that this node
    ///   has received and does not use yet.
    mutating func advanceAdmission(
        _ input: AdmissionInput, as standing: MeshStanding, on carrier: CarrierEntry, now: Instant
    ) {
        let directives = links.advance(carrier.id, input, as: standing, with: sealing, now: now)
        for directive in directives { perform(directive, on: carrier, now: now) }
        if let entry = links.carriers[carrier.id], entry.greeting == nil, entry.admission.awaitsFrame {
            effects.output(.carrierAdmitFrame(carrier.id))
        }
    }

    /// The shell has compared codes. The carrier may have closed meanwhile.
    mutating func finishProof(_ result: CodeResult, on id: CarrierID, now: Instant) {
        guard let carrier = links.carriers[id] else { return }
        if case .failed = result { links.shownRuns.tell(id) }
        advanceAdmission(.worked(result), on: carrier, now: now)
    }

    private mutating func perform(_ directive: AdmissionDirective, on carrier: CarrierEntry, now: Instant) {
        switch directive {
        case .send(let step):
            if case .grant = step { effects.count(.newcomersAdmitted) }
            effects.send(.admission(step), on: carrier.id)
        case .work(let task): compare(task, on: carrier, now: now)
        case .enter(let mesh): enter(mesh, over: carrier, now: now)
        case .proved(let keys): recordProof(of: keys, on: carrier, now: now)
        case .admit:
            if let keys = links.carriers[carrier.id]?.admission.provedKeys {
                recordProof(of: keys, on: carrier, now: now)
            }
            // In an open mesh `beginAdmission` has sent HELLO.
            if case .open = configuration.standing { return }
            sendHello(on: carrier)
        case .refuse(let reason): refuseAdmission(carrier, reason, now: now)
        case .abandon:
            effects.count(.framesUnexpected)
            abandon(carrier, now: now)
        }
    }

    private mutating func compare(_ task: CodeTask, on carrier: CarrierEntry, now: Instant) {
        // The second task of a run that has begun.
        if case .confirm = task { return effects.output(.proveCode(carrier.id, task)) }
        let source = carrier.remote.map { hostNetwork.source(of: $0.address) } ?? .ofTunnels
        let late = links.addRun(
            task, on: carrier, from: source, as: configuration.standing, random: &effects.random, now: now)
        guard let late, let displaced = links.carriers[late]
        else { return }
        effects.count(.joinsOverRate)
        // The refused run of JOIN has no room. At a newcomer, mostly the address of its carrier has used up its guesses
        // at the newcomer's code, so the peer has to wait longer than at a member.
        let isNewcomer = if case .newcomer = configuration.standing { true } else { false }
        let wait = isNewcomer ? MeshLimits.refusalRetry : MeshLimits.refusalRetryShort
        refuseAdmission(displaced, .coolingDown, retryAfter: wait, now: now)
    }

    /// Counts a failure of the pairing window for each run of JOIN that has failed, and closes the window if its end
    /// has come. Then begins the waiting runs of JOIN whose turn it is.
    mutating func startRuns(now: Instant) {
        settlePairing(now: now)
        while let (id, task) = links.takeRun(as: configuration.standing, now: now) {
            guard links.mayBeginRun(task, on: id, as: configuration.standing, now: now) else {
                refuseRun(on: id, now: now)
                continue
            }
            effects.output(.proveCode(id, task))
        }
    }

    /// Refuses a run of JOIN. If this node is a member, its pairing window has no try left or is closed. If this node
    /// is a newcomer, it shows its pairing code to the peer no more.
    private mutating func refuseRun(on id: CarrierID, now: Instant) {
        guard let carrier = links.carriers[id] else { return }
        refuseAdmission(carrier, configuration.standing.isMember ? .noProof : .coolingDown, now: now)
    }

    private mutating func refuseAdmission(
        _ carrier: CarrierEntry, _ reason: RefusalReason, retryAfter: Interval = MeshLimits.refusalRetry, now: Instant
    ) {
        if reason == .noProof { effects.count(.proofsMissing) }
        if reason == .wrongCode { effects.count(.codesWrong) }
        let refusal = Refusal(reason, retryAfter: retryAfter)
        links.refuse(carrier.id, refusal, &effects)
        // `coolingDown` and `noProof` are reasons of this node alone, so only the peer reports them. Every other reason
        // holds for both nodes, so this node reports it too.
        if reason != .coolingDown, reason != .noProof {
            effects.report(.refused(links[carrier.slot.index].node, reason))
        }
        dismiss(carrier, refusal, now: now)
    }

    /// This newcomer is a member from now on. On its other carriers it has said that it is none, so they close.
    private mutating func enter(_ mesh: ClosedMesh, over carrier: CarrierEntry, now: Instant) {
        configuration.standing = .member(mesh)
        configuration.mesh = mesh.name
        effects.output(.enteredMesh(mesh.grant))
        for other in links.carriers.entries where other.id != carrier.id { abandon(other, now: now) }
        reachability.forgetSenders(&effects)
        effects.output(.announce(membership.own.record))
        announceSealed(now: now)
        // Those that refused a newcomer may take a member.
        for index in links.indices {
            if case .refused = links[index].lastFailure { connectAtOnce(index, now: now) }
        }
    }
}

/// The pairing window of this member. A person opens it, and the diagram in `Links/PairingWindow.swift` shows its
/// states.
extension MeshNode {
    /// The pairing window that is open at this node; nil if none is.
    package func pairing(now: Instant) -> PairingStatus? { links.pairing.status(now: now) }

    mutating func openPairing(codeKey: [UInt8], now: Instant) {
        precondition(configuration.standing.isMember, "only a member of a closed mesh has the secret to give")
        closePairing(.replaced)
        links.pairing.open(codeKey: codeKey, now: now)
        // In a complete clique this node may have been silent.
        reachability.restartBeacons(&effects, now: now)
        effects.invalidateDeadlines()
    }

    mutating func closePairing(_ end: PairingEnd) {
        guard links.pairing.close() else { return }
        effects.report(.pairing(.closed(end)))
        effects.invalidateDeadlines()
    }

    mutating func settlePairing(now: Instant) {
        for event in links.settlePairing(now: now) {
            effects.report(.pairing(event))
            effects.invalidateDeadlines()
        }
    }
}

extension IPAddress {
    /// Stands for the source of every carrier in a tunnel.
    fileprivate static let ofTunnels = IPAddress(v4: 0)
}
