import Mesh
import Primitives
import Testing
import Trust
import Wire

/// Changes of the code at one member. Members A and B know each other, and both know C.
@Suite("Changes of the code")
struct EpochChangeTests {
    private static let meshID = MeshID(high: 1, low: 0)
    private static let codeKey = [UInt8](repeating: 9, count: 32)
    private let a = TransparentSealing(seed: 1)
    private let b = TransparentSealing(seed: 2)
    private let c = TransparentSealing(seed: 3)
    private let stranger = TransparentSealing(seed: 4)

    /// The mesh in epoch 1 at A. B and C have proved it.
    private var mesh: ClosedMesh {
        get throws {
            let secret = try #require(EpochSecret(number: 1, bytes: [UInt8](repeating: 1, count: 32)))
            var mesh = ClosedMesh(
                id: Self.meshID, name: "crew", secrets: [secret], codeKey: Self.codeKey, with: a)
            for peer in [b, c] { mesh.recordProof(by: peer.nodeID) }
            return mesh
        }
    }

    private func grant(
        _ number: UInt32, by maker: TransparentSealing? = nil, stay: [TransparentSealing]? = nil,
        left: [TransparentSealing] = [], secret: UInt8 = 7, codeKey: [UInt8]? = nil
    ) throws -> EpochGrant {
        let maker = maker ?? b
        let bytes = [UInt8](repeating: secret, count: 32)
        let made = try #require(EpochSecret(number: number, bytes: bytes))
        let entry = EpochEntry(
            mesh: Self.meshID, number: number, secretHash: made.hash(with: a),
            codeHash: made.codeHash(of: codeKey, with: a), maker: maker.publicKey,
            stay: (stay ?? [a, b, c]).map(\.nodeID).filter { node in !left.contains { $0.nodeID == node } }.sorted(),
            left: left.map(\.nodeID).sorted())
        return EpochGrant(entry: SignedEpochEntry(signing: entry, with: maker), secret: bytes, codeKey: codeKey)
    }

    private enum Kind: Hashable { case nothing, store, use, drop, restore, refuse }

    private func kind(_ directive: EpochChange.Directive) -> Kind {
        switch directive {
        case .nothing: .nothing
        case .store: .store
        case .use: .use
        case .drop: .drop
        case .restore: .restore
        case .refuse: .refuse
        }
    }

    private func receive(
        _ grant: EpochGrant, from sender: TransparentSealing? = nil, in mesh: ClosedMesh, _ change: inout EpochChange
    ) -> EpochChange.Directive {
        var random = SeededRandom(seed: 1)
        return change.receive(
            grant, from: (sender ?? b).nodeID, in: mesh, with: a, random: &random, now: .zero + .seconds(1))
    }

    @Test("a person's change takes all known members along, but for those that leave")
    func order() throws {
        var change = EpochChange()
        let directive = change.change(
            leaving: [c.nodeID], codeKey: [UInt8](repeating: 5, count: 32), in: try mesh, linked: [], with: a)
        guard case .store(let next) = directive, let entry = next.entry else {
            Issue.record("\(directive)")
            return
        }
        #expect(entry.entry.number == 2 && entry.entry.stay == [a.nodeID, b.nodeID].sorted())
        #expect(entry.entry.left == [c.nodeID] && entry.verifiedMaker(with: b) == a.nodeID)
        #expect(next.secrets.map(\.number) == [2, 1] && next.secrets[0].hash(with: a) == entry.entry.secretHash)
        #expect(next.codeKey == [UInt8](repeating: 5, count: 32) && next.proved.isEmpty)
        #expect(next.stays(b.nodeID) && !next.stays(c.nodeID) && next.hasLeft(c.nodeID) && !next.isKnown(c.nodeID))
        // Only an epoch that the shell has stored is used, and a second change waits until then.
        #expect(kind(change.change(leaving: [], codeKey: nil, in: try mesh, linked: [], with: a)) == .drop)
        #expect(kind(change.stored(1, isDurable: true)) == .nothing)
        #expect(kind(change.stored(2, isDurable: true)) == .use)
        #expect(kind(change.stored(2, isDurable: true)) == .nothing)
    }

    @Test("if an entry cannot name all, this node stays, then those that are linked, then those of the entry before")
    func ranked() throws {
        let many = (0..<UInt64(WireLimits.epochNodesMax)).map { NodeID(words: (9, $0, 9, 9)) }
        let linked = NodeID(words: (.max, 1, 9, 9))
        let former = NodeID(words: (.max, 2, 9, 9))
        let secret = try #require(EpochSecret(number: 2, bytes: [UInt8](repeating: 7, count: 32)))
        let entry = EpochEntry(
            mesh: Self.meshID, number: 2, secretHash: secret.hash(with: a),
            codeHash: secret.codeHash(of: nil, with: a), maker: a.publicKey, stay: [former], left: [])
        var present = try mesh.following(
            secret, codeKey: nil, entry: SignedEpochEntry(signing: entry, with: a), with: a)
        present.recordProof(by: linked)
        for node in many { present.recordProof(by: node, keeping: [linked]) }
        #expect(present.proved.count == EpochLimits.provedMax && present.proved.first == linked)
        #expect(present.proved.contains(many[0]) && present.proved.last == many.last)
        var change = EpochChange()
        guard
            case .store(let next) = change.change(
                leaving: [], codeKey: nil, in: present, linked: [linked], with: a),
            let stay = next.entry?.entry.stay
        else {
            Issue.record("no next epoch")
            return
        }
        #expect(stay.count == WireLimits.epochNodesMax)
        #expect([a.nodeID, linked, former].allSatisfy(stay.contains))
    }

    @Test("a change is refused with its reason, and then nothing is made")
    func faults() throws {
        let left = try grant(2, by: b, left: [a])
        // It has come in again by the code, and was told afterwards what had been before.
        let outside = try mesh.following(
            #require(left.matchingSecret(with: a)), codeKey: nil, entry: left.entry, with: a)
        let last = ClosedMesh(
            id: Self.meshID, name: "crew",
            secrets: [try #require(EpochSecret(number: .max, bytes: [UInt8](repeating: 1, count: 32)))],
            codeKey: nil, with: a)
        let many = (0...WireLimits.epochNodesMax).map { NodeID(words: (UInt64($0), 9, 9, 9)) }
        let rows: [(CodeChangeFault, [NodeID], [UInt8]?, ClosedMesh)] = [
            (.leavesItself, [a.nodeID], nil, try mesh), (.sameCode, [c.nodeID], Self.codeKey, try mesh),
            (.hasLeft, [], nil, outside), (.full, many, nil, try mesh), (.full, [], nil, last),
        ]
        for (fault, leaving, codeKey, mesh) in rows {
            var change = EpochChange()
            #expect(change.fault(leaving: leaving, codeKey: codeKey, in: mesh, of: a.nodeID) == fault)
            #expect(kind(change.change(leaving: leaving, codeKey: codeKey, in: mesh, linked: [], with: a)) == .drop)
        }
        var change = EpochChange()
        #expect(change.fault(leaving: [c.nodeID], codeKey: nil, in: try mesh, of: a.nodeID) == nil)
        #expect(kind(change.change(leaving: [c.nodeID], codeKey: nil, in: try mesh, linked: [], with: a)) == .store)
        #expect(change.fault(leaving: [], codeKey: nil, in: try mesh, of: a.nodeID) == .underWay)
    }

    @Test("without a disk a node makes no epoch, and takes one")
    func disk() throws {
        var own = EpochChange()
        #expect(kind(own.change(leaving: [c.nodeID], codeKey: nil, in: try mesh, linked: [], with: a)) == .store)
        #expect(kind(own.stored(2, isDurable: false)) == .restore)
        #expect(own.fault(leaving: [], codeKey: nil, in: try mesh, of: a.nodeID) == nil)
        var other = EpochChange()
        #expect(kind(receive(try grant(2, left: [c]), in: try mesh, &other)) == .store)
        #expect(kind(other.stored(2, isDurable: false)) == .use)
    }

    @Test("proofs are stored a little later, together, and not while a new epoch is")
    func proofs() throws {
        var change = EpochChange()
        change.keepProofs(now: .zero)
        change.keepProofs(now: .zero + .seconds(1))
        #expect(change.nextDeadline == .zero + .seconds(2))
        #expect(kind(change.storeProofs(in: try mesh, now: .zero + .seconds(1))) == .nothing)
        #expect(kind(change.storeProofs(in: try mesh, now: .zero + .seconds(2))) == .store)
        // The answer to it changes nothing.
        #expect(kind(change.stored(1, isDurable: true)) == .nothing && change.nextDeadline == .distantFuture)
        #expect(kind(change.change(leaving: [c.nodeID], codeKey: nil, in: try mesh, linked: [], with: a)) == .store)
        change.keepProofs(now: .zero)
        #expect(kind(change.storeProofs(in: try mesh, now: .zero + .seconds(2))) == .nothing)
        #expect(kind(change.stored(2, isDurable: true)) == .use)
    }

    @Test("the first late proof of a neighbour in an epoch is told apart from the next ones")
    func lateProofs() {
        var change = EpochChange()
        func isFirst(_ node: NodeID) -> Bool { change.recordLateProof(of: node) }
        #expect(isFirst(b.nodeID) && isFirst(c.nodeID) && !isFirst(b.nodeID))
        change.begin(from: nil)
        #expect(isFirst(b.nodeID))
    }

    @Test("a node is left behind once, until the member that refuses it links again, or a new epoch is in use")
    func leftBehind() {
        var change = EpochChange()
        let isNew = change.recordLeftBehind(by: b.nodeID)
        let isNewAgain = change.recordLeftBehind(by: c.nodeID)
        #expect(isNew && !isNewAgain && change.leftBehindBy == c.nodeID)
        change.clearLeftBehind(by: b.nodeID)
        #expect(change.leftBehindBy == c.nodeID)
        change.clearLeftBehind(by: c.nodeID)
        #expect(change.leftBehindBy == nil)
        _ = change.recordLeftBehind(by: b.nodeID)
        change.begin(from: nil)
        #expect(change.leftBehindBy == nil)
    }

    @Test("EPOCH is judged by its number, its lists, its maker and its sender")
    func judged() throws {
        let second = try grant(2, left: [c])
        let settled = try mesh.following(
            #require(second.matchingSecret(with: a)), codeKey: nil, entry: second.entry, with: a)
        let former = try grant(2, left: [a])
        let outside = try mesh.following(
            #require(former.matchingSecret(with: a)), codeKey: nil, entry: former.entry, with: a)
        var rows: [(String, EpochGrant, TransparentSealing, ClosedMesh, Kind)] = [
            ("next", try grant(2), b, try mesh, .store), ("far later", try grant(.max), b, try mesh, .store),
            ("follows, and keeps this node", try grant(3, left: [a]), b, outside, .store),
            ("of a stranger", try grant(2), stranger, try mesh, .drop),
            ("without this node", try grant(2, stay: [b, c]), b, try mesh, .drop),
            ("known", second, b, settled, .nothing),
            ("made by one that has left", try grant(3, by: c), b, settled, .nothing),
            ("made by one that has left, and follows", try grant(3, by: c, left: [c]), b, settled, .drop),
            ("by one that does not stay", try grant(2, by: stranger), b, try mesh, .drop),
            ("by one that leaves itself", try grant(2, by: c, left: [c]), b, try mesh, .drop),
            ("from one that has left", try grant(3, left: [c]), c, settled, .drop),
            ("follows", try grant(3, left: [c]), b, settled, .store),
            ("without one that has left", try grant(3, stay: [a, b]), b, settled, .nothing),
            ("of the same number", try grant(2, left: [c], secret: 8), b, settled, .nothing),
        ]
        var forged = try grant(2)
        forged.entry = SignedEpochEntry(forged.entry.entry, signature: [UInt8](repeating: 0, count: 64))
        rows.append(("forged", forged, b, try mesh, .drop))
        var wrong = try grant(2)
        wrong.secret[0] ^= 1
        rows.append(("with another secret", wrong, b, try mesh, .refuse))
        for (made, sent) in [(Self.codeKey, nil), (nil, Self.codeKey)] as [([UInt8]?, [UInt8]?)] {
            var other = try grant(2, codeKey: made)
            other.codeKey = sent
            rows.append(("with another code", other, b, try mesh, .refuse))
        }
        for (name, grant, sender, mesh, expected) in rows {
            var change = EpochChange()
            var mesh = mesh
            mesh.recordProof(by: b.nodeID)
            #expect(kind(receive(grant, from: sender, in: mesh, &change)) == expected, "\(name)")
            let isDisputed = ["without one that has left", "of the same number", "made by one that has left"]
                .contains(name)
            #expect((change.nextDeadline != .distantFuture) == isDisputed, "\(name)")
        }
    }

    @Test("a node that leaves by the epoch that is being stored has no say in what follows")
    func leaves() throws {
        var change = EpochChange()
        #expect(kind(receive(try grant(2, left: [c]), in: try mesh, &change)) == .store)
        let undoing = try grant(3, by: stranger, stay: [a, b, stranger], left: [c])
        #expect(kind(receive(undoing, from: c, in: try mesh, &change)) == .drop)
        #expect(change.next?.newestKeys.number == 2)
        var disputed = change
        #expect(kind(receive(undoing, from: b, in: try mesh, &change)) == .store, "a member that stays may send it")
        _ = receive(try grant(2, left: [], secret: 8), in: try mesh, &disputed)
        #expect(disputed.next == nil && disputed.hasLeft(c.nodeID))
        #expect(kind(receive(undoing, from: c, in: try mesh, &disputed)) == .drop)
    }

    @Test("two epochs of one number are united by the next one, within two seconds, without a code if more leave")
    func dispute() throws {
        var change = EpochChange()
        let first = try grant(2, left: [c])
        var present = try mesh.following(
            #require(first.matchingSecret(with: a)), codeKey: Self.codeKey, entry: first.entry, with: a)
        present.recordProof(by: b.nodeID)
        let other = try grant(2, stay: [a, b, stranger], left: [TransparentSealing(seed: 5)], secret: 8)
        #expect(kind(receive(other, in: present, &change)) == .nothing)
        let at = change.nextDeadline
        #expect(at <= .zero + .seconds(3))
        #expect(kind(change.settle(in: present, linked: [], with: a, now: at - .milliseconds(1))) == .nothing)
        guard case .store(let next) = change.settle(in: present, linked: [], with: a, now: at),
            let entry = next.entry?.entry
        else {
            Issue.record("no next epoch")
            return
        }
        #expect(entry.number == 3 && entry.stay == [a.nodeID, b.nodeID, stranger.nodeID].sorted())
        #expect(entry.left == [c.nodeID, TransparentSealing(seed: 5).nodeID].sorted() && next.codeKey == nil)
    }

    @Test("the longest wait of a dispute grows with the members that a node knows, from two seconds to sixteen")
    func waitOfDispute() throws {
        let first = try grant(2)
        for (others, longest) in [(3, 2_000), (29, 8_000), (200, 16_000)] as [(UInt64, Int64)] {
            var present = try mesh.following(
                #require(first.matchingSecret(with: a)), codeKey: nil, entry: first.entry, with: a)
            for number in 0..<others { present.recordProof(by: NodeID(words: (9, number, 9, 9))) }
            let second = try grant(2, secret: 8)
            var waits: [Interval] = []
            for seed in 1...100 as ClosedRange<UInt64> {
                var change = EpochChange()
                var random = SeededRandom(seed: seed)
                _ = change.receive(second, from: b.nodeID, in: present, with: a, random: &random, now: .zero)
                waits.append(change.nextDeadline - Instant.zero)
            }
            let bound = Interval.milliseconds(longest)
            #expect(waits.allSatisfy { $0 <= bound } && waits.contains { bound * 9 / 10 < $0 }, "\(others) others")
        }
    }

    @Test("a node that proves an epoch during its dispute stays by the next one")
    func provedInDispute() throws {
        var change = EpochChange()
        let late = TransparentSealing(seed: 6)
        let first = try grant(2, left: [c])
        var present = try mesh.following(
            #require(first.matchingSecret(with: a)), codeKey: nil, entry: first.entry, with: a)
        #expect(kind(receive(try grant(2, left: [c], secret: 8), in: present, &change)) == .nothing)
        present.recordProof(by: late.nodeID)
        guard case .store(let next) = change.settle(in: present, linked: [], with: a, now: change.nextDeadline) else {
            Issue.record("no next epoch")
            return
        }
        #expect(next.stays(late.nodeID) && next.stays(b.nodeID) && !next.stays(c.nodeID))
    }

    @Test("the epoch that unites two keeps the code of its maker if nobody has left: a node that has left may know it")
    func codeOfUnited() throws {
        for (own, left, codeKey) in [([], [], Self.codeKey), ([], [c], nil), ([c], [], nil), ([c], [c], nil)]
            as [([TransparentSealing], [TransparentSealing], [UInt8]?)]
        {
            let first = try grant(2, left: own)
            var present = try mesh.following(
                #require(first.matchingSecret(with: a)), codeKey: Self.codeKey, entry: first.entry, with: a)
            present.recordProof(by: b.nodeID)
            var change = EpochChange()
            #expect(kind(receive(try grant(2, left: left, secret: 8), in: present, &change)) == .nothing)
            guard case .store(let next) = change.settle(in: present, linked: [], with: a, now: change.nextDeadline)
            else {
                Issue.record("no next epoch")
                continue
            }
            #expect(next.codeKey == codeKey)
        }
    }

    @Test("where two makers leave each other behind, the next epoch leaves both behind, and neither makes it")
    func makersLeaveEachOther() throws {
        let ofB = try grant(2, by: b, left: [a])
        let ofC = try grant(2, by: c, stay: [a, c, stranger], left: [b], secret: 8)
        let ofA = try grant(2, by: a, stay: [a, c, stranger], left: [b], secret: 8)
        for (first, isMaker) in [(ofC, false), (ofA, true)] {
            var present = try mesh.following(
                #require(first.matchingSecret(with: a)), codeKey: nil, entry: first.entry, with: a)
            present.recordProof(by: c.nodeID)
            let second = isMaker ? ofB : try grant(2, by: b, left: [c])
            var change = EpochChange()
            #expect(kind(receive(second, from: stranger, in: present, &change)) == .nothing)
            let end = change.settle(in: present, linked: [], with: a, now: change.nextDeadline)
            guard !isMaker, case .store(let next) = end, let entry = next.entry?.entry else {
                #expect(isMaker && kind(end) == .drop)
                continue
            }
            #expect(entry.left == [b.nodeID, c.nodeID].sorted() && entry.stay == [a.nodeID, stranger.nodeID].sorted())
        }
    }

    @Test("an epoch that unites both ends a dispute, and one that lacks a node does not")
    func united() throws {
        let first = try grant(2, left: [c])
        var present = try mesh.following(
            #require(first.matchingSecret(with: a)), codeKey: nil, entry: first.entry, with: a)
        present.recordProof(by: b.nodeID)
        var change = EpochChange()
        #expect(kind(receive(try grant(2, left: [stranger], secret: 8), in: present, &change)) == .nothing)
        #expect(kind(receive(try grant(3, left: [c]), in: present, &change)) == .nothing)
        #expect(change.nextDeadline != .distantFuture)
        #expect(kind(receive(try grant(4, left: [c, stranger]), in: present, &change)) == .store)
        #expect(change.nextDeadline == .distantFuture)
    }

    @Test("GRANT without an entry is explained by the EPOCH with its secret, whose code counts")
    func explained() throws {
        let second = try grant(2, left: [c], codeKey: Self.codeKey)
        var risen = ClosedMesh(
            id: Self.meshID, name: "crew", secrets: [try #require(second.matchingSecret(with: a))],
            codeKey: [UInt8](repeating: 8, count: 32), with: a)
        risen.recordProof(by: b.nodeID)
        #expect(!risen.stays(b.nodeID))
        var change = EpochChange()
        guard case .store(let next) = receive(second, in: risen, &change) else {
            Issue.record("not taken")
            return
        }
        #expect(next.entry == second.entry && next.secrets == risen.secrets && next.proved == risen.proved)
        #expect(next.codeKey == Self.codeKey)
    }

    @Test("a second entry with the secret of the newest epoch disputes the first, also if it leaves the same nodes")
    func signedAgain() throws {
        let second = try grant(2, left: [c])
        var present = try mesh.following(
            #require(second.matchingSecret(with: a)), codeKey: nil, entry: second.entry, with: a)
        present.recordProof(by: b.nodeID)
        for left in [[c], [c, stranger], [a, c]] {
            var change = EpochChange()
            #expect(kind(receive(try grant(2, stay: [b], left: left), in: present, &change)) == .nothing)
            #expect(change.nextDeadline != .distantFuture && change.hasLeft(c.nodeID))
            #expect(change.hasLeft(stranger.nodeID) == left.contains { $0.nodeID == stranger.nodeID })
            let kindOfEnd = kind(change.settle(in: present, linked: [], with: a, now: change.nextDeadline))
            // A node that the union leaves behind makes no epoch of it.
            #expect(kindOfEnd == (left.contains { $0.nodeID == a.nodeID } ? .drop : .store))
        }
        var change = EpochChange()
        #expect(kind(receive(second, in: present, &change)) == .nothing)
        #expect(change.nextDeadline == .distantFuture)
    }
}
