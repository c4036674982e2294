import Mesh
import Primitives
import Testing
import Trust
import Wire

@Suite("Admission of a carrier")
struct CarrierAdmissionTests {
    private static let codeKey = [UInt8](repeating: 9, count: 32)

    private static func mesh(
        _ number: UInt64 = 1, epochs: [UInt32] = [1], codeKey: [UInt8]? = Self.codeKey, keepsAll: Bool = false
    ) -> MeshStanding {
        let secrets = epochs.compactMap { epoch in
            EpochSecret(number: epoch, bytes: [UInt8](repeating: UInt8(10 * number) + UInt8(epoch), count: 32))
        }
        let maker = TransparentSealing(seed: 9)
        var entry: SignedEpochEntry?
        if keepsAll, let newest = epochs.first, 2 <= newest {
            entry = SignedEpochEntry(
                signing: EpochEntry(
                    mesh: MeshID(high: number, low: 0), number: newest, secretHash: secrets[0].hash(with: maker),
                    codeHash: secrets[0].codeHash(of: codeKey, with: maker), maker: maker.publicKey,
                    stay: [1, 2].map { TransparentSealing(seed: $0).nodeID }.sorted(), left: []), with: maker)
        }
        return .member(
            ClosedMesh(
                id: MeshID(high: number, low: 0), name: "crew", secrets: secrets, codeKey: codeKey, entry: entry,
                with: maker))
    }

    private static let newcomer = MeshStanding.newcomer(codeKey: codeKey, by: .mesh)
    private static let wrong = MeshStanding.newcomer(codeKey: [UInt8](repeating: 8, count: 32), by: .mesh)

    @Test("two nodes of open meshes are admitted, and so are two members")
    func sameKind() {
        for standing in [MeshStanding.open, Self.mesh(), Self.mesh(epochs: [2, 1], codeKey: nil)] {
            let rig = AdmissionRig(standing, standing)
            rig.run()
            #expect(rig.outcomes == [.admitted, .admitted])
            #expect(rig.dialler.ends == rig.acceptor.ends && rig.dialler.ends?.dialler == rig.dialler.sealing.nodeID)
        }
    }

    @Test(
        "members meet in the highest epoch that both have",
        arguments: [([2, 1], [3, 2]), ([1], [2, 1]), ([3, 1], [1])])
    func epochs(_ a: [UInt32], _ b: [UInt32]) throws {
        let rig = AdmissionRig(Self.mesh(epochs: a, keepsAll: true), Self.mesh(epochs: b, keepsAll: true))
        rig.run()
        #expect(rig.outcomes == [.admitted, .admitted])
        let epochs = rig.dialler.sent.compactMap { if case .member(let member) = $0 { member.epoch } else { nil } }
        #expect(epochs == [Set(a).intersection(b).max()])
    }

    @Test("a member of an older epoch is refused if it does not stay")
    func leftBehind() {
        for (a, b) in [([2, 1], [1]), ([1], [2, 1]), ([3, 2], [2, 1])] as [([UInt32], [UInt32])] {
            let rig = AdmissionRig(Self.mesh(epochs: a), Self.mesh(epochs: b))
            rig.run()
            #expect(rig.outcomes.contains(.refused(.noProof)) && rig.outcomes != [.admitted, .admitted])
        }
    }

    @Test("a member that missed two changes is admitted by a secret of a known member, whichever side dials")
    func bridged() throws {
        for isDialler in [true, false] {
            var old = try #require(Self.mesh(epochs: [1]).closed)
            for seed in 1...2 as ClosedRange<UInt64> { old.recordProof(by: TransparentSealing(seed: seed).nodeID) }
            let (away, present) = (MeshStanding.member(old), Self.mesh(epochs: [3, 2], keepsAll: true))
            let rig = isDialler ? AdmissionRig(away, present) : AdmissionRig(present, away)
            rig.run()
            #expect(rig.outcomes == [.admitted, .admitted])
            for end in [rig.dialler, rig.acceptor] {
                #expect(end.admission.provedKeys?.number == 3 && !end.hasEntered)
            }
            let (given, taken) = isDialler ? (rig.acceptor, rig.dialler) : (rig.dialler, rig.acceptor)
            #expect(given.admission.hasGranted && !taken.admission.hasGranted)
        }
    }

    @Test("two members that each know that the other stays, and have no epoch in common, prove that of the dialler")
    func bridgedByBoth() throws {
        for (a, b) in [([5, 4], [3, 2]), ([3, 2], [5, 4])] as [([UInt32], [UInt32])] {
            let rig = AdmissionRig(Self.mesh(epochs: a, keepsAll: true), Self.mesh(epochs: b, keepsAll: true))
            rig.run()
            #expect(rig.outcomes == [.admitted, .admitted])
            for end in [rig.dialler, rig.acceptor] {
                #expect(end.admission.provedKeys?.number == a[0] && end.admission.hasGranted && !end.hasEntered)
            }
        }
    }

    @Test("a side that takes a newer epoch after its PROOF goes on with the epochs of its PROOF")
    func risenMeanwhile() {
        for (before, after, other, pair) in [([1], [2, 1], [2, 1], 1), ([2, 1], [5, 4], [5, 4], 5)]
            as [([UInt32], [UInt32], [UInt32], UInt32)]
        {
            for isDialler in [true, false] {
                let (risen, present) = (
                    Self.mesh(epochs: before, keepsAll: true), Self.mesh(epochs: other, keepsAll: true)
                )
                let rig = isDialler ? AdmissionRig(risen, present) : AdmissionRig(present, risen)
                let end = isDialler ? rig.dialler : rig.acceptor
                rig.run { message, side in
                    if case .proof = message, side != end.side {
                        end.standing = Self.mesh(epochs: after, keepsAll: true)
                    }
                    return message
                }
                #expect(rig.outcomes == [.admitted, .admitted])
                for end in [rig.dialler, rig.acceptor] { #expect(end.admission.provedKeys?.number == pair) }
            }
        }
    }

    @Test("a second GRANT, and one of another mesh, end the admission of a member")
    func grantedTwice() throws {
        for number in [1, 2] as [UInt64] {
            let rig = AdmissionRig(
                Self.mesh(epochs: [3, 2], keepsAll: true), Self.mesh(epochs: [5, 4], keepsAll: true))
            rig.dialler.start()
            rig.acceptor.start()
            rig.acceptor.handle(.frame(rig.dialler.sent[0]))
            let mesh = try #require(Self.mesh(number, epochs: [3, 2]).closed)
            rig.acceptor.handle(.frame(.grant(mesh.grant)))
            #expect((rig.acceptor.outcome == .abandoned) == (number == 2))
            rig.acceptor.handle(.frame(.grant(mesh.grant)))
            #expect(rig.acceptor.outcome == .abandoned)
        }
    }

    @Test("both sides prove a new epoch on an admitted carrier, and a wrong proof changes nothing")
    func provedAgain() throws {
        let rig = AdmissionRig(Self.mesh(), Self.mesh())
        rig.run()
        for end in [rig.dialler, rig.acceptor] { end.standing = Self.mesh(epochs: [2, 1]) }
        let mesh = try #require(Self.mesh(epochs: [2, 1]).closed)
        let proof = try #require(rig.dialler.admission.proof(of: mesh.newestKeys, with: rig.dialler.sealing))
        let wrong = try #require(proof.changed)
        let count = rig.acceptor.sent.count
        rig.acceptor.handle(.frame(wrong))
        #expect(rig.acceptor.sent.count == count && rig.acceptor.admission.provedKeys?.number == 1)
        rig.acceptor.handle(.frame(proof))
        #expect(rig.acceptor.provedAgain == 2 && rig.acceptor.admission.provedKeys?.number == 2)
        rig.dialler.handle(.frame(try #require(rig.acceptor.sent.last)))
        #expect(rig.dialler.provedAgain == 2 && rig.dialler.outcome == .admitted)
        // The answer to the answer is not answered.
        let last = rig.acceptor.sent.count
        rig.acceptor.handle(.frame(try #require(rig.dialler.sent.last)))
        #expect(rig.acceptor.sent.count == last)
    }

    @Test("a newcomer with the code enters, whichever side dials, and is a member then")
    func newcomers() {
        for isDialler in [true, false] {
            let rig = isDialler ? AdmissionRig(Self.newcomer, Self.mesh()) : AdmissionRig(Self.mesh(), Self.newcomer)
            rig.run()
            #expect(rig.outcomes == [.admitted, .admitted])
            let newcomer = isDialler ? rig.dialler : rig.acceptor
            guard case .member(let mesh) = newcomer.standing, case .member(let own) = Self.mesh() else {
                Issue.record("not a member")
                return
            }
            #expect(newcomer.hasEntered && mesh.grant == own.grant)
        }
    }

    @Test("a member whose code changes while codes are compared gives the newcomer nothing", arguments: [true, false])
    func codeChangedMeanwhile(_ isDialler: Bool) {
        for codeKey in [Self.codeKey, [UInt8](repeating: 7, count: 32), nil] {
            let after = Self.mesh(epochs: [2, 1], codeKey: codeKey)
            let rig = isDialler ? AdmissionRig(Self.newcomer, Self.mesh()) : AdmissionRig(Self.mesh(), Self.newcomer)
            let member = isDialler ? rig.acceptor : rig.dialler
            rig.run { message, _ in
                if case .join = message { member.standing = after }
                return message
            }
            let hasGranted = member.sent.contains { if case .grant = $0 { true } else { false } }
            #expect(hasGranted == (codeKey == Self.codeKey))
            #expect(rig.outcomes.contains(.admitted) == hasGranted)
        }
    }

    private static let refusals: [(MeshStanding, MeshStanding, RefusalReason)] = [
        (.open, mesh(), .otherMesh), (.open, newcomer, .otherMesh), (mesh(), mesh(2), .otherMesh),
        (mesh(epochs: [1]), mesh(epochs: [3, 2]), .otherMesh), (newcomer, newcomer, .noProof),
        (newcomer, mesh(codeKey: nil), .noProof), (wrong, mesh(), .wrongCode),
    ]

    @Test("all others are refused, and no secret leaves", arguments: refusals.indices)
    func refused(_ index: Int) {
        let (a, b, reason) = Self.refusals[index]
        for (dialler, acceptor) in [(a, b), (b, a)] {
            let rig = AdmissionRig(dialler, acceptor)
            rig.run()
            #expect(rig.outcomes.contains(.refused(reason)) && !rig.outcomes.contains(.admitted))
            let granted = (rig.dialler.sent + rig.acceptor.sent).filter { if case .grant = $0 { true } else { false } }
            #expect(granted.isEmpty && !rig.dialler.hasEntered && !rig.acceptor.hasEntered)
        }
    }

    @Test("a member that the network changes into a node of an open mesh, or a newcomer, links with nobody")
    func downgrade() {
        for form in [ProofForm.open, .newcomer, .pairing] {
            let rig = AdmissionRig(Self.mesh(), Self.mesh())
            rig.run { message, _ in
                guard case .proof(var proof) = message else { return message }
                proof.form = form
                return .proof(proof)
            }
            #expect(!rig.outcomes.contains(.admitted))
        }
    }

    private static let entrances: [(dialler: MeshStanding, acceptor: MeshStanding)] = [
        (mesh(), mesh()), (newcomer, mesh()), (mesh(), newcomer),
    ]

    @Test(
        "a frame that is sent back to its sender proves nothing", arguments: entrances.indices,
        CarrierSide.allCases)
    func reflection(_ index: Int, to side: CarrierSide) {
        for reflectsProof in [true, false] {
            let rig = AdmissionRig(Self.entrances[index].dialler, Self.entrances[index].acceptor)
            let end = side == .dialler ? rig.dialler : rig.acceptor
            rig.run { message, sender in
                if case .proof = message, !reflectsProof { return message }
                return (sender == side ? nil : end.sent.last) ?? message
            }
            #expect([AdmissionRig.Outcome.abandoned, .refused(.noProof)].contains(end.outcome) && !end.hasEntered)
            let granted = (rig.dialler.sent + rig.acceptor.sent).filter { if case .grant = $0 { true } else { false } }
            #expect(granted.isEmpty)
        }
    }

    @Test(
        "a share or a tag of JOIN that comes back to its sender is no other one's code, whichever side is new",
        arguments: [1, 2], CarrierSide.allCases)
    func reflectedParts(_ index: Int, to side: CarrierSide) {
        let rig = AdmissionRig(Self.entrances[index].dialler, Self.entrances[index].acceptor)
        let end = side == .dialler ? rig.dialler : rig.acceptor
        var count = 0
        rig.run { message, sender in
            guard sender != side, let reflected = message.withPart(of: end.sent.last) else { return message }
            count += 1
            return reflected
        }
        let hasGranted = end.sent.contains { if case .grant = $0 { true } else { false } }
        #expect(count == 1 && end.outcome == .refused(.wrongCode) && !end.hasEntered && !hasGranted)
    }

    @Test("any changed byte of MEMBER or JOIN ends the admission")
    func changedProofs() {
        for isNew in [true, false] {
            for place in 0..<3 {
                let rig = AdmissionRig(isNew ? Self.newcomer : Self.mesh(), Self.mesh())
                var seen = 0
                var hasChanged = false
                rig.run { message, _ in
                    guard let changed = message.changed else { return message }
                    defer { seen += 1 }
                    hasChanged = hasChanged || seen == place
                    return seen == place ? changed : message
                }
                if hasChanged { #expect(rig.outcomes != [.admitted, .admitted]) }
            }
        }
    }

    @Test("a member refuses another version of the protocol, before anything else")
    func version() {
        let rig = AdmissionRig(Self.mesh(), Self.mesh())
        rig.run { message, side in
            guard case .proof(var proof) = message, side == .dialler else { return message }
            (proof.versionMin, proof.versionMax) = (WireLimits.version + 1, WireLimits.version + 2)
            return .proof(proof)
        }
        #expect(rig.acceptor.outcome == .refused(.version))
    }

    @Test("a frame that does not come next ends the admission without a word")
    func unexpected() {
        let zeros = [UInt8](repeating: 0, count: 32)
        let member = AdmissionMessage.member(MemberProof(epoch: 1, proof: zeros))
        let early: [AdmissionMessage] = [
            member, .join(.start(share: zeros)), .join(.confirm(tag: zeros + zeros)),
            .grant(MeshGrant(mesh: MeshID(high: 1, low: 0), name: "crew", epoch: 1, secret: zeros, codeKey: nil)),
        ]
        for standing in [MeshStanding.open, Self.mesh(), Self.newcomer] {
            for message in early {
                let end = AdmissionRig(standing, standing).acceptor
                end.handle(.frame(message))
                #expect(end.outcome == .abandoned)
                end.handle(.frame(message))
                #expect(end.outcome == .abandoned && end.sent.isEmpty)
            }
        }
        // A second PROOF, and a MEMBER after the end.
        let rig = AdmissionRig(Self.mesh(), Self.mesh())
        rig.run()
        rig.acceptor.handle(.frame(rig.dialler.sent[0]))
        #expect(rig.acceptor.outcome == .abandoned)
    }

    @Test("PROOF is awaited until it has come, whatever it says")
    func awaited() {
        for standing in [MeshStanding.open, Self.mesh(), Self.newcomer] {
            for other in [MeshStanding.open, Self.mesh(), Self.newcomer] {
                let rig = AdmissionRig(standing, other)
                #expect(rig.dialler.admission.awaitsProof && rig.acceptor.admission.awaitsProof)
                rig.dialler.start()
                rig.acceptor.start()
                let proofs = [rig.dialler.sent[0], rig.acceptor.sent[0]]
                rig.acceptor.handle(.frame(proofs[0]))
                #expect(!rig.acceptor.admission.awaitsProof && rig.dialler.admission.awaitsProof)
                rig.dialler.handle(.frame(proofs[1]))
                #expect(!rig.dialler.admission.awaitsProof)
            }
        }
    }

    @Test("no frame may come while codes are compared")
    func waiting() {
        let rig = AdmissionRig(Self.newcomer, Self.mesh())
        rig.dialler.start()
        rig.acceptor.start()
        #expect(rig.dialler.admission.awaitsFrame)
        let end = rig.dialler
        let directives = end.admission.handle(
            .frame(rig.acceptor.sent[0]), as: end.standing, pairingKey: nil, with: end.sealing)
        guard case .work? = directives.first else {
            Issue.record("nothing to compare")
            return
        }
        #expect(!end.admission.awaitsFrame && end.admission.isJoining)
    }
}

extension AdmissionMessage {
    /// The message with one changed byte; nil for PROOF and GRANT.
    fileprivate var changed: AdmissionMessage? {
        func flipped(_ bytes: [UInt8]) -> [UInt8] { [bytes[0] ^ 1] + bytes.dropFirst() }
        return switch self {
        case .proof, .grant: nil
        case .member(let member): .member(MemberProof(epoch: member.epoch, proof: flipped(member.proof)))
        case .join(.start(let share)): .join(.start(share: flipped(share)))
        case .join(.answer(let share, let tag)): .join(.answer(share: share, tag: flipped(tag)))
        case .join(.confirm(let tag)): .join(.confirm(tag: flipped(tag)))
        }
    }

    /// The message with the share or the tag of another one; nil unless both are steps of JOIN with such a part.
    fileprivate func withPart(of other: AdmissionMessage?) -> AdmissionMessage? {
        switch (self, other) {
        case (.join(.answer(_, let tag)), .join(.start(let share))?): .join(.answer(share: share, tag: tag))
        case (.join(.confirm), .join(.answer(_, let tag))?): .join(.confirm(tag: tag))
        default: nil
        }
    }
}
