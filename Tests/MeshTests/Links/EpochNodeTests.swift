import Mesh
import MeshTestKit
import Node
import Primitives
import Testing
import Trust
import Wire

/// Whole nodes of a closed mesh in epoch 2. The member of seed 1 has made it.
@Suite("Epochs at linked nodes")
struct EpochNodeTests {
    private static var maker: TransparentSealing { TransparentSealing(seed: 1) }
    private static let absent = TransparentSealing(seed: 7).nodeID
    private static let gone = TransparentSealing(seed: 8).nodeID

    /// The mesh at the maker. One node that stays is off.
    private func mesh(leaving left: [NodeID]) throws -> ClosedMesh {
        let secret = try #require(EpochSecret(number: 2, bytes: [UInt8](repeating: 7, count: EpochSecret.byteCount)))
        let id = MeshID(high: 1, low: 0)
        let codeKey = [UInt8](repeating: 9, count: CodeSizes.codeKeyBytes)
        let entry = EpochEntry(
            mesh: id, number: 2, secretHash: secret.hash(with: Self.maker),
            codeHash: secret.codeHash(of: codeKey, with: Self.maker), maker: Self.maker.publicKey,
            stay: [Self.maker.nodeID, Self.absent].sorted(), left: left)
        return ClosedMesh(
            id: id, name: "crew", secrets: [secret], codeKey: codeKey,
            entry: SignedEpochEntry(signing: entry, with: Self.maker), with: Self.maker)
    }

    /// The maker, node 0, and a node that was given GRANT on an earlier carrier, node 1, after their first link.
    private func linked(_ mesh: ClosedMesh) throws -> MeshCluster {
        let cluster = MeshCluster()
        let given = try #require(ClosedMesh(mesh.grant, with: TransparentSealing(seed: 2)))
        cluster.start(seed: 1, standing: .member(mesh))
        cluster.start(seed: 2, standing: .member(given))
        // A node dials none that has left, so the other one has to.
        for (found, finder) in [(1, 0), (0, 1)] { cluster.discover(found, by: finder) }
        let isUp = cluster.drive(atMost: .seconds(5)) { cluster.isUp(0, 1) }
        #expect(isUp)
        cluster.drive(for: .seconds(1))
        return cluster
    }

    /// The same, where node 1 had left and has entered again; node 2, a member, is linked with both.
    private func linkedWithReturned() throws -> MeshCluster {
        let present = try mesh(leaving: [TransparentSealing(seed: 2).nodeID])
        let cluster = try linked(present)
        cluster.start(seed: 7, standing: .member(present))
        for other in 0..<2 {
            cluster.discover(2, by: other)
            cluster.discover(other, by: 2)
        }
        let isWhole = cluster.drive(atMost: .seconds(10)) { cluster.isUp(2, 0) && cluster.isUp(2, 1) }
        #expect(isWhole)
        cluster.drive(for: .seconds(3))
        return cluster
    }

    /// Sends an epoch to node 0, on the carrier of node 1.
    private func sendEpoch(
        _ number: UInt32, by maker: TransparentSealing, staying node: TransparentSealing = TransparentSealing(seed: 2),
        leaving left: [NodeID] = [], in cluster: MeshCluster
    ) throws {
        let bytes = [UInt8](repeating: UInt8(number), count: EpochSecret.byteCount)
        let secret = try #require(EpochSecret(number: number, bytes: bytes))
        let entry = EpochEntry(
            mesh: MeshID(high: 1, low: 0), number: number, secretHash: secret.hash(with: maker),
            codeHash: secret.codeHash(of: nil, with: maker), maker: maker.publicKey,
            stay: [Self.maker.nodeID, node.nodeID, Self.absent].sorted(), left: left)
        let grant = EpochGrant(entry: SignedEpochEntry(signing: entry, with: maker), secret: bytes, codeKey: nil)
        let carrier = try #require(cluster.firstCarrier(of: 0))
        cluster.input(0, .carrierFrame(carrier, CarrierMessage.epoch(grant).encoded()))
    }

    @Test("a newcomer that links on another carrier than that of GRANT is given the entry, and its change holds")
    func newcomer() throws {
        let mesh = try mesh(leaving: [Self.gone])
        let cluster = try linked(mesh)
        let given = cluster.members[1].node.mesh.epochEntry
        #expect(given == mesh.entry?.entry)
        let known = cluster.members[1].node.mesh.knownMembers
        #expect(known == [Self.maker.nodeID, Self.absent].sorted())
        let codeKey = [UInt8](repeating: 5, count: CodeSizes.codeKeyBytes)
        cluster.command(1, .changeCode(leaving: [], codeKey: codeKey))
        // Two entries of which neither follows would be united within this time.
        cluster.drive(for: .seconds(5))
        for index in 0..<2 {
            let entry = cluster.members[index].node.mesh.epochEntry
            let hasCode = cluster.members[index].node.mesh.hasCode(codeKey)
            #expect(entry?.number == 3 && entry?.left == [Self.gone] && hasCode)
            #expect(entry?.stay.contains(Self.absent) == true)
        }
        #expect(cluster.isUp(0, 1))
    }

    @Test("after a change that the disk refused, the mesh in use is written again: the new one may be in the file")
    func refusedByDisk() throws {
        let mesh = try mesh(leaving: [])
        let bench = FindingBench { $0.standing = .member(mesh) }
        let codeKey = [UInt8](repeating: 5, count: CodeSizes.codeKeyBytes)
        bench.input(.command(.changeCode(leaving: [], codeKey: codeKey)))
        #expect(bench.stored.map(\.newestKeys.number) == [3])
        bench.input(.meshStored(epoch: 3, isDurable: false))
        #expect(bench.stored.map(\.newestKeys.number) == [3, 2] && bench.stored.last?.codeKey == mesh.codeKey)
        bench.input(.meshStored(epoch: 2, isDurable: false))
        let number = bench.node.epochEntry?.number
        #expect(number == 2 && bench.stored.count == 2 && bench.counter(.epochsDropped) == 1)
    }

    @Test("a node that was left behind and entered again learns that it has left, and further links change nothing")
    func enteredAgain() throws {
        let left = TransparentSealing(seed: 2).nodeID
        let cluster = try linked(try mesh(leaving: [left]))
        func fault() -> CodeChangeFault? {
            cluster.members[1].node.mesh.codeChangeFault(leaving: [], codeKey: nil)
        }
        #expect(fault() == .hasLeft)
        for _ in 0..<3 {
            cluster.resetCarriers(0, 1)
            cluster.drive(for: .seconds(20))
            #expect(fault() == .hasLeft && cluster.isUp(0, 1))
        }
        for index in 0..<2 {
            #expect(cluster.counter(.epochsDropped, at: index) == 0 && cluster.counter(.linksUnproved, at: index) == 0)
        }
    }

    @Test("a node that has entered again and cannot dial a member, which does not dial it, reaches it through a tunnel")
    func enteredAgainInTunnel() throws {
        let present = try mesh(leaving: [TransparentSealing(seed: 2).nodeID])
        let cluster = try linked(present)
        cluster.cuts = [.dials(from: 0, to: 2), .dials(from: 1, to: 2)]
        cluster.start(seed: 7, standing: .member(present))
        cluster.discover(0, by: 2)
        let isNear = cluster.drive(atMost: .seconds(10)) { cluster.isUp(2, 0) }
        let isWhole = cluster.drive(atMost: .seconds(20)) { cluster.isUp(2, 1) }
        #expect(isNear && isWhole)
        let unproved = cluster.counter(.linksUnproved, at: 2)
        #expect(unproved == 0 && cluster.counter(.tunnelsRefused, at: 2) == 0)
    }

    @Test("the next change keeps a linked node that has entered again, and leaves it behind anew if a person names it")
    func keptOrLeft() throws {
        let left = TransparentSealing(seed: 2).nodeID
        let codeKey = [UInt8](repeating: 5, count: CodeSizes.codeKeyBytes)
        for isNamed in [false, true] {
            let cluster = try linkedWithReturned()
            cluster.command(0, .changeCode(leaving: isNamed ? [left] : [], codeKey: codeKey))
            cluster.drive(for: .milliseconds(100))
            // The maker ends the link at once.
            #expect(cluster.isUp(0, 1) != isNamed)
            cluster.drive(for: .seconds(2))
            for index in [0, 2] {
                let unproved = cluster.counter(.linksUnproved, at: index)
                #expect(cluster.isUp(index, 1) != isNamed && unproved == (isNamed ? 1 : 0), "\(index)")
            }
            let number = cluster.members[1].node.mesh.epochEntry?.number
            let kept = cluster.members[0].node.mesh.keptNodes
            let isLeftBehind = cluster.status(1).isLeftBehind
            #expect(cluster.isUp(0, 2) && number == (isNamed ? 2 : 3) && kept == (isNamed ? [] : [left]))
            #expect(isLeftBehind == isNamed)
            let told = cluster.events(2).flatMap { event -> [NodeID] in
                if case .codeChanged(3, _, _, let left, _) = event { left } else { [] }
            }
            let failure = cluster.peer(1, at: 2)?.failure
            #expect(told == (isNamed ? [left] : []) && (failure == .refused(.noProof)) == isNamed)
        }
    }

    @Test("a node that has entered again and is out of reach is left behind by the next change, which says so")
    func keptNotAsleep() throws {
        let left = TransparentSealing(seed: 2).nodeID
        let cluster = try linked(try mesh(leaving: [left]))
        cluster.separate(0, 1)
        // Its session sleeps now, and has no carrier.
        #expect(cluster.drive(atMost: .seconds(5)) { cluster.isDown(1, at: 0) })
        cluster.command(0, .changeCode(leaving: [], codeKey: [UInt8](repeating: 5, count: CodeSizes.codeKeyBytes)))
        cluster.drive(for: .milliseconds(100))
        let number = cluster.members[0].node.mesh.epochEntry?.number
        let kept = cluster.members[0].node.mesh.keptNodes
        let unproved = cluster.counter(.linksUnproved, at: 0)
        #expect(number == 3 && kept.isEmpty && unproved == 1)
    }

    @Test("while connections carry nothing, a change ends no link; the next one brings the secret, also to a kept node")
    func withoutCarrier() throws {
        for isKept in [false, true] {
            let cluster = try linked(try mesh(leaving: isKept ? [TransparentSealing(seed: 2).nodeID] : []))
            cluster.cuts = [.carriers(0, 1), .carriers(1, 0), .dials(from: 0, to: 1), .dials(from: 1, to: 0)]
            cluster.command(0, .changeCode(leaving: [], codeKey: [UInt8](repeating: 5, count: CodeSizes.codeKeyBytes)))
            cluster.drive(for: .seconds(12))
            func number() -> UInt32? { cluster.members[1].node.mesh.epochEntry?.number }
            let before = number()
            cluster.cuts = []
            let isGiven = cluster.drive(atMost: .seconds(60)) { number() == 3 }
            #expect(before == 2 && isGiven)
            cluster.drive(for: .seconds(10))
            for index in 0..<2 {
                #expect(cluster.counter(.linksDown, at: index) == 0 && cluster.counter(.linksUnproved, at: index) == 0)
            }
            let proved = cluster.peer(1, at: 0)?.hasCarrier
            #expect(cluster.isUp(0, 1) && proved == true)
        }
    }

    @Test("others wait for the late proof of a kept node while the maker is linked with it; after that it dials them")
    func keptLate() throws {
        for isLate in [false, true] {
            let cluster = try linkedWithReturned()
            cluster.cuts = [.carriers(0, 1), .carriers(1, 0)]
            cluster.command(0, .changeCode(leaving: [], codeKey: [UInt8](repeating: 5, count: CodeSizes.codeKeyBytes)))
            cluster.drive(for: .seconds(3))
            #expect(cluster.isUp(2, 1))
            cluster.cuts = []
            if isLate {
                // The next connection does not bring the secret either.
                cluster.dropsFrame = { frame in
                    if case .epoch? = try? CarrierMessage(parsing: frame, isBeforeHello: false) { true } else { false }
                }
                cluster.drive(for: .seconds(10))
                #expect(!cluster.isUp(2, 1))
                cluster.dropsFrame = { _ in false }
            }
            let isGiven = cluster.drive(atMost: .seconds(60)) { cluster.members[1].node.mesh.epochEntry?.number == 3 }
            #expect(isGiven)
            cluster.drive(for: .seconds(3))
            #expect(cluster.isUp(2, 1) && cluster.counter(.linksUnproved, at: 2) == (isLate ? 1 : 0))
        }
    }

    @Test("a maker that starts again still gives the secret to the node that it keeps")
    func restarted() throws {
        let cluster = try linked(try mesh(leaving: [TransparentSealing(seed: 2).nodeID]))
        cluster.cuts = [.carriers(0, 1), .carriers(1, 0), .dials(from: 0, to: 1), .dials(from: 1, to: 0)]
        cluster.command(0, .changeCode(leaving: [], codeKey: [UInt8](repeating: 5, count: CodeSizes.codeKeyBytes)))
        cluster.drive(for: .seconds(1))
        cluster.powerOff(0)
        guard case .member(var stored) = cluster.members[0].configuration.standing else {
            Issue.record("no mesh is stored")
            return
        }
        // Nothing but the nodes themselves lies in the file.
        let remembered = stored.remembered
        stored.kept = []
        stored.recall(remembered, with: Self.maker)
        #expect(stored.newestKeys.number == 3)
        cluster.members[0].configuration.standing = .member(stored)
        cluster.cuts = []
        cluster.restart(0, instance: 2)
        for (found, finder) in [(1, 0), (0, 1)] { cluster.discover(found, by: finder) }
        let isGiven = cluster.drive(atMost: .seconds(20)) {
            cluster.members[1].node.mesh.epochEntry?.number == 3 && cluster.isUp(0, 1)
        }
        #expect(isGiven)
    }

    @Test("the link with a member ends if its proof is late on the next connection, too")
    func lateAgain() throws {
        let cluster = try linked(try mesh(leaving: []))
        // The member never answers EPOCH.
        cluster.dropsFrame = { frame in
            if case .epoch? = try? CarrierMessage(parsing: frame, isBeforeHello: false) { true } else { false }
        }
        cluster.command(0, .changeCode(leaving: [], codeKey: [UInt8](repeating: 5, count: CodeSizes.codeKeyBytes)))
        cluster.drive(for: .seconds(9))
        #expect(cluster.counter(.linksDown, at: 0) == 0 && cluster.counter(.linksUnproved, at: 0) == 0)
        cluster.drive(for: .seconds(4))
        #expect(cluster.counter(.linksDown, at: 0) == 1 && cluster.counter(.linksUnproved, at: 0) == 1)
    }

    @Test("a change by a maker that is not linked names the neighbour that has brought it")
    func throughNeighbour() throws {
        let cluster = try linked(try mesh(leaving: []))
        let own = TransparentSealing(seed: 2)
        for (maker, number) in [(TransparentSealing(seed: 7), 3), (own, 4)] as [(TransparentSealing, UInt32)] {
            try sendEpoch(number, by: maker, in: cluster)
            cluster.drive(for: .seconds(4))
        }
        let told = cluster.events(0).compactMap { event -> NodeID?? in
            if case .codeChanged(_, _, let neighbour, _, _) = event { .some(neighbour) } else { nil }
        }
        #expect(told == [own.nodeID, nil])
    }

    @Test("the report of a returned node that an unlinked maker does not keep names that neighbour, too")
    func returnedThroughNeighbour() throws {
        let (returned, neighbour) = (TransparentSealing(seed: 2), TransparentSealing(seed: 9))
        let present = try mesh(leaving: [returned.nodeID])
        let given = try #require(ClosedMesh(present.grant, with: returned))
        let cluster = MeshCluster()
        cluster.start(seed: 1, standing: .member(present))
        cluster.start(seed: 9, standing: .member(present))
        cluster.start(seed: 2, standing: .member(given))
        // The first carrier of node 0 leads to the neighbour.
        for other in 1...2 {
            cluster.discover(other, by: 0)
            cluster.discover(0, by: other)
            let isUp = cluster.drive(atMost: .seconds(10)) { cluster.isUp(0, other) }
            #expect(isUp)
        }
        cluster.drive(for: .seconds(3))
        try sendEpoch(
            3, by: TransparentSealing(seed: 7), staying: neighbour, leaving: [returned.nodeID], in: cluster)
        cluster.drive(for: .seconds(2))
        let told = cluster.events(0).compactMap { event -> [NodeID]? in
            if case .codeChanged(3, _, let way?, let left, _) = event { [way] + left } else { nil }
        }
        #expect(told == [[neighbour.nodeID], [neighbour.nodeID, returned.nodeID]])
    }

    @Test("a node proves an epoch to its sender at once, although its own use of it waits")
    func provedBeforeUse() throws {
        let cluster = try linked(try mesh(leaving: []))
        let own = TransparentSealing(seed: 2)
        var proved: [UInt32] = []
        cluster.dropsFrame = { frame in
            if case .admission(.member(let member))? = try? CarrierMessage(parsing: frame, isBeforeHello: false) {
                proved.append(member.epoch)
            }
            return false
        }
        let last = 3 + UInt32(MeshLimits.epochsUsedBurst)
        for number in 3...last {
            try sendEpoch(number, by: own, in: cluster)
            cluster.drive(for: .milliseconds(100))
        }
        let used = cluster.members[0].node.mesh.epochEntry?.number
        #expect(used == last - 1 && proved.contains(last))
        cluster.drive(for: MeshLimits.epochUsedInterval)
        let usedLater = cluster.members[0].node.mesh.epochEntry?.number
        #expect(usedLater == last)
    }

    @Test("a refused node says that it was left behind, except while it has a newer epoch that it does not use yet")
    func refusedBeforeUse() throws {
        for isWaiting in [false, true] {
            let cluster = try linked(try mesh(leaving: []))
            let last = 3 + UInt32(MeshLimits.epochsUsedBurst)
            for number in 3...last where isWaiting {
                try sendEpoch(number, by: TransparentSealing(seed: 2), in: cluster)
                cluster.drive(for: .milliseconds(100))
            }
            let carrier = try #require(cluster.firstCarrier(of: 0))
            let refusal = CarrierMessage.refuse(.noProof, retryAfterMilliseconds: 500)
            cluster.input(0, .carrierFrame(carrier, refusal.encoded()))
            let told = cluster.events(0).filter { if case .leftBehind = $0 { true } else { false } }
            let isLeftBehind = cluster.status(0).isLeftBehind
            #expect(told.count == (isWaiting ? 0 : 1) && isLeftBehind != isWaiting)
        }
    }

    @Test("a node is left behind by a known member with a later entry, but not by one that is in another mesh now")
    func otherMeshNow() throws {
        let peer = TransparentSealing(seed: 2)
        let id = MeshID(high: 1, low: 0)
        let secret = try #require(EpochSecret(number: 9, bytes: [UInt8](repeating: 6, count: EpochSecret.byteCount)))
        let entry = EpochEntry(
            mesh: id, number: 9, secretHash: secret.hash(with: peer), codeHash: secret.codeHash(of: nil, with: peer),
            maker: peer.publicKey, stay: [peer.nodeID], left: [Self.maker.nodeID])
        let later = ClosedMesh(
            id: id, name: "crew", secrets: [secret], codeKey: nil,
            entry: SignedEpochEntry(signing: entry, with: peer), with: peer)
        let other = ClosedMesh(id: MeshID(high: 2, low: 0), name: "crew", secrets: [secret], codeKey: nil, with: peer)
        for (present, isLeft) in [(other, false), (later, true)] {
            var former = try mesh(leaving: [])
            former.recordProof(by: peer.nodeID)
            let cluster = MeshCluster()
            cluster.start(seed: 1, standing: .member(former))
            cluster.start(seed: 2, standing: .member(present))
            for (found, finder) in [(1, 0), (0, 1)] { cluster.discover(found, by: finder) }
            cluster.drive(for: .seconds(5))
            let reasons = cluster.events(0).compactMap { event -> RefusalReason? in
                if case .refused(_, let reason) = event { reason } else { nil }
            }
            let told = cluster.events(0).filter { if case .leftBehind = $0 { true } else { false } }
            let isLeftBehind = cluster.status(0).isLeftBehind
            #expect(reasons.contains(isLeft ? .noProof : .otherMesh))
            #expect(isLeftBehind == isLeft && told.count == (isLeft ? 1 : 0))
        }
    }

    @Test("a node that was asked about and is away waits for no answer once it has left the mesh")
    func leftWhileAsking() throws {
        let mesh = try mesh(leaving: [])
        let cluster = MeshCluster()
        cluster.start(seed: 1, admissionPolicy: .ask(known: []), standing: .member(mesh))
        cluster.start(seed: 2, standing: .member(mesh))
        cluster.discover(0, by: 1)
        let isAsked = cluster.drive(atMost: .seconds(5)) { cluster.peer(1, at: 0)?.state == .awaitingDecision }
        cluster.kill(1)
        cluster.drive(for: .seconds(1))
        cluster.command(0, .changeCode(leaving: [cluster.id(of: 1)], codeKey: nil))
        cluster.drive(for: .seconds(1))
        #expect(isAsked && cluster.peer(1, at: 0)?.state == .down)
    }
}
