package import Primitives
package import Trust
package import Wire

/// Finds out on one carrier, before HELLO, whether both nodes are of one mesh (docs/WIRE.md, "Admission"). A member
/// gives no secret and no HELLO to a peer that has not shown that it is a member or has the code, unless the member's
/// epoch entry names the peer among those that stay.
///
///                       both open
///     waitsForProof ───────────────────────────────────────────────► admitted
///        │    │  a tag matches                       MEMBER is right   ▲
///        │    └────────────────────────────► proves ───────────────────┘
///        │ one side is new                     ▲  ▲
///        └──────────► joins ───────────────────┘  │ GRANT
///                       │   member: sends GRANT   │
///                       └───────────► waitsForGrant
///                         newcomer
///
/// The program of a newcomer stores the secret that came with GRANT, and ends. At its next start it is a member. So
/// only members go from `waitsForGrant` to `proves` on one carrier.
///
/// Two members without a common epoch go from `waitsForProof` to `proves` or `waitsForGrant` (`bridge`). Each state may
/// end in `ended`, with a refusal or without one.
package struct CarrierAdmission: Sendable {
    private enum State {
        case waitsForProof
        case joins(CarrierEnds, JoinRun)
        /// This node waits for GRANT. It is a newcomer, and a run of JOIN has shown that the peer has the same code. Or
        /// it is a member that has no epoch in common with the peer, which is a known member.
        case waitsForGrant(CarrierEnds)
        /// This node waits for the peer's MEMBER. Both nodes seem to have the secret of this epoch: a tag in the peer's
        /// PROOF says so, or one node has sent it by GRANT. If both have sent GRANT at once, the peer's GRANT may come
        /// before its MEMBER.
        case proves(CarrierEnds, EpochKeys, mayBeGranted: Bool)
        /// The keys are those of the epoch that the peer has proved last; nil in an open mesh.
        case admitted(CarrierEnds, EpochKeys?)
        case ended

        /// The name of the state alone: the values in it hold keys, and go into no message.
        var word: String {
            switch self {
            case .waitsForProof: "waitsForProof"
            case .joins: "joins"
            case .waitsForGrant: "waitsForGrant"
            case .proves: "proves"
            case .admitted: "admitted"
            case .ended: "ended"
            }
        }
    }

    private let side: CarrierSide
    private let own: NodeID
    private let peer: NodeID
    private let nonce: [UInt8]
    /// The keys by which this side's PROOF is made. The peer judges by them, so this side does too, although it may
    /// have a newer epoch when the peer's PROOF comes.
    private let keys: [EpochKeys]
    private var state = State.waitsForProof

    /// - Parameters:
    ///   - side: whether this node has dialled or accepted the carrier.
    ///   - nonce: 32 random bytes, fresh for this carrier.
    ///   - keys: those of the epochs whose secrets this node has now; none unless it is a member of a closed mesh.
    package init(side: CarrierSide, own: NodeID, peer: NodeID, nonce: [UInt8], keys: [EpochKeys]) {
        self.side = side
        self.own = own
        self.peer = peer
        self.nonce = nonce
        self.keys = keys
    }

    package var isAdmitted: Bool { ends != nil }

    /// Both ends, once the peer is admitted.
    package var ends: CarrierEnds? { if case .admitted(let ends, _) = state { ends } else { nil } }

    /// The keys that follow from the secret of the epoch that the peer has proved last; nil before admission, and in an
    /// open mesh.
    package var provedKeys: EpochKeys? { if case .admitted(_, let keys) = state { keys } else { nil } }

    /// Whether this side has given the peer the secret of the newest epoch.
    package private(set) var hasGranted = false

    /// Whether the peer's PROOF has not come.
    package var awaitsProof: Bool { if case .waitsForProof = state { true } else { false } }

    /// Whether this node waits for GRANT or, as a newcomer, takes part in a run of JOIN. Neither may take long.
    package var awaitsMember: Bool {
        switch state {
        case .waitsForGrant: true
        case .joins(_, let run): run.isNewcomer
        case .waitsForProof, .proves, .admitted, .ended: false
        }
    }

    /// Whether a run of JOIN goes on over this carrier.
    package var isJoining: Bool { if case .joins = state { true } else { false } }

    /// Whether this side compares codes in a run of JOIN over this carrier, or waits for its turn to do so.
    package var hasBegunRun: Bool { if case .joins(_, let run) = state { run.hasBegun } else { false } }

    /// Whether the run of JOIN over this carrier compares pairing codes.
    package var isPairing: Bool { if case .joins(_, let run) = state { run.kind == .pairing } else { false } }

    /// Whether this side has sent the peer its tag in a run of JOIN. By the tag the peer finds out whether both codes
    /// are equal.
    package var isJudged: Bool { if case .joins(_, let run) = state { run.isJudged } else { false } }

    /// Whether a frame of the peer may come now. None may come while the shell computes a step of a run of JOIN for
    /// this side, or after the admission has failed.
    package var awaitsFrame: Bool {
        switch state {
        case .waitsForProof, .waitsForGrant, .proves, .admitted: true
        case .joins(_, let run): run.awaitsStep
        case .ended: false
        }
    }

    /// Returns the first frame of this side.
    package func proof(as standing: MeshStanding, with sealing: any Sealing) -> Proof {
        let form: ProofForm =
            switch standing {
            case .open: .open
            case .member(let mesh): .member(tags: mesh.proofTags(nonce: nonce, of: own, with: sealing))
            case .newcomer(_, by: .mesh): .newcomer
            case .newcomer(_, by: .pairing): .pairing
            }
        return Proof(nonce: nonce, form: form, versionMin: WireLimits.version, versionMax: WireLimits.version)
    }

    /// - Parameters:
    ///   - standing: what this node is to the mesh: a node of an open mesh, a newcomer, or a member with its secrets.
    ///     It is the standing that this node's PROOF showed, or one that this node has got since then as a member.
    ///   - pairingKey: the key of the pairing code; nil while this node has no pairing window.
    package mutating func handle(
        _ input: AdmissionInput, as standing: MeshStanding, pairingKey: [UInt8]?, with sealing: any Sealing
    ) -> [AdmissionDirective] {
        switch (state, input) {
        case (.waitsForProof, .frame(.proof(let proof))): receive(proof, as: standing, pairingKey, with: sealing)
        case (.joins(let ends, let run), .frame(.join(let step))):
            advance(run, ends, as: standing, pairingKey, with: sealing) { $0.receive(step, with: sealing) }
        case (.joins(let ends, let run), .worked(let result)):
            advance(run, ends, as: standing, pairingKey, with: sealing) { $0.finish(result) }
        case (.waitsForGrant(let ends), .frame(.grant(let grant))): take(grant, ends, as: standing, with: sealing)
        case (.proves(let ends, let keys, _), .frame(.member(let member))): check(member, ends, keys, with: sealing)
        case (.proves(let ends, let keys, mayBeGranted: true), .frame(.grant(let grant))):
            choose(between: keys, and: grant, ends, as: standing, with: sealing)
        case (.admitted(let ends, let proved?), .frame(.member(let member))):
            checkAgain(member, ends, proved, as: standing, with: sealing)
        case (.waitsForProof, .frame), (.joins, .frame), (.waitsForGrant, .frame), (.proves, .frame),
            (.admitted, .frame), (.ended, .frame):
            abandon()
        case (.waitsForProof, .worked), (.waitsForGrant, .worked), (.proves, .worked), (.admitted, .worked),
            (.ended, .worked):
            illegal("the result of a code task", in: state.word)
        }
    }

    // MARK: PROOF

    private mutating func receive(
        _ proof: Proof, as standing: MeshStanding, _ pairingKey: [UInt8]?, with sealing: any Sealing
    ) -> [AdmissionDirective] {
        guard proof.versionMin <= WireLimits.version, WireLimits.version <= proof.versionMax else {
            return refuse(.version)
        }
        // A peer that sends back this node's own nonce has no random generator, or repeats.
        guard proof.nonce != nonce else { return abandon() }
        let ends = ends(with: proof.nonce)
        switch (standing, proof.form) {
        case (.open, .open): return admit(ends, nil)
        case (.member(let mesh), .member(let tags)):
            guard let keys = keys.matching(tags, nonce: proof.nonce, of: peer, with: sealing) else {
                return bridge(ends, mesh, with: sealing)
            }
            // A peer that proves only the former epoch is of this mesh only if it stays by the entry, or this node
            // keeps it.
            guard keys.isSame(as: mesh.newestKeys) || mesh.takesAlong(peer) else { return refuse(.noProof) }
            return prove(ends, keys, with: sealing)
        case (.newcomer(let codeKey, let kind), .member):
            return join(ends, codeKey, isNewcomer: true, kind, with: sealing)
        case (.member(let mesh), .newcomer): return admitNewcomer(by: .mesh, mesh.codeKey, ends, with: sealing)
        case (.member, .pairing): return admitNewcomer(by: .pairing, pairingKey, ends, with: sealing)
        case (.newcomer, .newcomer), (.newcomer, .pairing): return refuse(.noProof)
        case (.open, .member), (.open, .newcomer), (.open, .pairing), (.member, .open), (.newcomer, .open):
            return refuse(.otherMesh)
        }
    }

    /// The two members have no epoch in common: the code was changed more than once while they were apart, or one of
    /// them is in another mesh now. This node sends GRANT to a peer that stays by its entry, and waits for GRANT from
    /// another peer that it knows. Both prove that secret on this carrier alone, and its receiver does not store it:
    /// EPOCH follows HELLO. Any other peer is refused: with `noProof` if it has left by the entry here, otherwise with
    /// `otherMesh`.
    private mutating func bridge(
        _ ends: CarrierEnds, _ mesh: ClosedMesh, with sealing: any Sealing
    ) -> [AdmissionDirective] {
        if mesh.stays(peer) { return grant(mesh, ends, mayBeGranted: true, with: sealing) }
        guard mesh.isKnown(peer) else { return refuse(mesh.hasLeft(peer) ? .noProof : .otherMesh) }
        state = .waitsForGrant(ends)
        return []
    }

    private func ends(with peerNonce: [UInt8]) -> CarrierEnds {
        switch side {
        case .dialler:
            CarrierEnds(dialler: own, acceptor: peer, diallerNonce: nonce, acceptorNonce: peerNonce)
        case .acceptor:
            CarrierEnds(dialler: peer, acceptor: own, diallerNonce: peerNonce, acceptorNonce: nonce)
        }
    }

    // MARK: MEMBER

    private mutating func prove(
        _ ends: CarrierEnds, _ keys: EpochKeys, mayBeGranted: Bool = false, with sealing: any Sealing
    ) -> [AdmissionDirective] {
        state = .proves(ends, keys, mayBeGranted: mayBeGranted)
        return side == .dialler ? [ownProof(ends, keys, with: sealing)] : []
    }

    private mutating func check(
        _ member: MemberProof, _ ends: CarrierEnds, _ keys: EpochKeys, with sealing: any Sealing
    ) -> [AdmissionDirective] {
        let right = keys.memberProof(of: side.other, on: ends, with: sealing)
        let isRight = member.epoch == keys.number && member.proof.isEqualInConstantTime(to: right)
        guard isRight else { return refuse(.noProof) }
        return (side == .acceptor ? [ownProof(ends, keys, with: sealing)] : []) + admit(ends, keys)
    }

    /// The peer proves another epoch on a carrier that is admitted already. This side answers each new proof with its
    /// own proof of that epoch, even if it has sent that before: the peer may not have stored the epoch when it came. A
    /// wrong proof is ignored: of two epochs of one number the peer may have the other one.
    private mutating func checkAgain(
        _ member: MemberProof, _ ends: CarrierEnds, _ proved: EpochKeys, as standing: MeshStanding,
        with sealing: any Sealing
    ) -> [AdmissionDirective] {
        guard case .member(let mesh) = standing, let keys = mesh.keys.first(where: { $0.number == member.epoch }),
            member.proof.isEqualInConstantTime(to: keys.memberProof(of: side.other, on: ends, with: sealing))
        else { return [] }
        guard !keys.isSame(as: proved) else { return [] }
        state = .admitted(ends, keys)
        return [ownProof(ends, keys, with: sealing), .proved(keys)]
    }

    /// Returns the proof of an epoch that this side sends after a change of the code; nil before admission.
    package func proof(of keys: EpochKeys, with sealing: any Sealing) -> AdmissionMessage? {
        guard case .admitted(let ends, .some) = state else { return nil }
        return .member(MemberProof(epoch: keys.number, proof: keys.memberProof(of: side, on: ends, with: sealing)))
    }

    private func ownProof(_ ends: CarrierEnds, _ keys: EpochKeys, with sealing: any Sealing) -> AdmissionDirective {
        let proof = keys.memberProof(of: side, on: ends, with: sealing)
        return .send(.member(MemberProof(epoch: keys.number, proof: proof)))
    }

    // MARK: JOIN

    private mutating func admitNewcomer(
        by kind: CodeKind, _ codeKey: [UInt8]?, _ ends: CarrierEnds, with sealing: any Sealing
    ) -> [AdmissionDirective] {
        guard let codeKey else { return refuse(.noProof) }
        return join(ends, codeKey, isNewcomer: false, kind, with: sealing)
    }

    private mutating func join(
        _ ends: CarrierEnds, _ codeKey: [UInt8], isNewcomer: Bool, _ kind: CodeKind, with sealing: any Sealing
    ) -> [AdmissionDirective] {
        let run = JoinRun(ends, side, isNewcomer: isNewcomer, kind, codeKey: codeKey, with: sealing)
        state = .joins(ends, run)
        return run.firstDirectives(with: sealing)
    }

    private mutating func advance(
        _ run: JoinRun, _ ends: CarrierEnds, as standing: MeshStanding, _ pairingKey: [UInt8]?,
        with sealing: any Sealing, _ step: (inout JoinRun) -> JoinRun.Outcome
    ) -> [AdmissionDirective] {
        var run = run
        switch step(&run) {
        case .goesOn(let directives):
            state = .joins(ends, run)
            return directives
        case .succeeds(let directives):
            return directives + succeed(run, ends, as: standing, pairingKey, with: sealing)
        case .codesDiffer: return refuse(.wrongCode)
        case .isBroken: return abandon()
        }
    }

    /// The codes of both sides are equal. A newcomer then waits for GRANT. A member sends GRANT, but refuses the
    /// newcomer if the code that was compared no longer holds: during the run of JOIN the code of the mesh was changed,
    /// or the pairing window closed.
    private mutating func succeed(
        _ run: JoinRun, _ ends: CarrierEnds, as standing: MeshStanding, _ pairingKey: [UInt8]?,
        with sealing: any Sealing
    ) -> [AdmissionDirective] {
        guard !run.isNewcomer else {
            state = .waitsForGrant(ends)
            return []
        }
        guard case .member(let mesh) = standing else { return refuse(.noProof) }
        let codeKey =
            switch run.kind {
            case .mesh: mesh.codeKey
            case .pairing: pairingKey
            }
        return run.isOf(codeKey: codeKey) ? grant(mesh, ends, with: sealing) : refuse(.noProof)
    }

    // MARK: GRANT

    private mutating func grant(
        _ mesh: ClosedMesh, _ ends: CarrierEnds, mayBeGranted: Bool = false, with sealing: any Sealing
    ) -> [AdmissionDirective] {
        hasGranted = true
        return [.send(.grant(mesh.grant))]
            + prove(ends, mesh.newestKeys, mayBeGranted: mayBeGranted, with: sealing)
    }

    /// Both members have given their secrets at once: that of the dialler counts.
    private mutating func choose(
        between own: EpochKeys, and grant: MeshGrant, _ ends: CarrierEnds, as standing: MeshStanding,
        with sealing: any Sealing
    ) -> [AdmissionDirective] {
        guard side == .dialler else { return take(grant, ends, as: standing, with: sealing) }
        state = .proves(ends, own, mayBeGranted: false)
        return []
    }

    /// Takes the secret in a GRANT. A newcomer enters the mesh by it. A member takes only a secret of its own mesh;
    /// `bridge` has found before that the sender is a known member.
    private mutating func take(
        _ grant: MeshGrant, _ ends: CarrierEnds, as standing: MeshStanding, with sealing: any Sealing
    ) -> [AdmissionDirective] {
        guard let mesh = ClosedMesh(grant, with: sealing) else { return abandon() }
        if case .member(let own) = standing {
            return own.id == mesh.id ? prove(ends, mesh.newestKeys, with: sealing) : abandon()
        }
        return [.enter(mesh)] + prove(ends, mesh.newestKeys, with: sealing)
    }

    // MARK: Ends

    private mutating func admit(_ ends: CarrierEnds, _ keys: EpochKeys?) -> [AdmissionDirective] {
        state = .admitted(ends, keys)
        return [.admit]
    }

    private mutating func refuse(_ reason: RefusalReason) -> [AdmissionDirective] {
        state = .ended
        return [.refuse(reason)]
    }

    private mutating func abandon() -> [AdmissionDirective] {
        state = .ended
        return [.abandon]
    }
}
