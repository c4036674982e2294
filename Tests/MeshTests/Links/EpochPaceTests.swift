import Mesh
import Primitives
import Testing
import Trust
import Wire

/// Epochs that come faster than a node uses them, and proofs that come late. Members A and B know each other.
@Suite("The pace of epochs")
struct EpochPaceTests {
    private static let meshID = MeshID(high: 1, low: 0)
    private static let codeKey = [UInt8](repeating: 5, count: 32)
    private let a = TransparentSealing(seed: 1)
    private let b = TransparentSealing(seed: 2)
    private let c = TransparentSealing(seed: 3)

    /// The mesh in epoch 1 at A. B has proved it.
    private var mesh: ClosedMesh {
        get throws {
            let secret = try #require(EpochSecret(number: 1, bytes: [UInt8](repeating: 1, count: 32)))
            return ClosedMesh(
                id: Self.meshID, name: "crew", secrets: [secret], codeKey: nil, proved: [b.nodeID], with: a)
        }
    }

    private func grant(_ number: UInt32, left: [TransparentSealing] = []) throws -> EpochGrant {
        let bytes = [UInt8](repeating: UInt8(number), count: 32)
        let secret = try #require(EpochSecret(number: number, bytes: bytes))
        let entry = EpochEntry(
            mesh: Self.meshID, number: number, secretHash: secret.hash(with: b),
            codeHash: secret.codeHash(of: nil, with: b), maker: b.publicKey,
            stay: [a.nodeID, b.nodeID].sorted(), left: left.map(\.nodeID).sorted())
        return EpochGrant(entry: SignedEpochEntry(signing: entry, with: b), secret: bytes, codeKey: nil)
    }

    private func receive(
        _ grant: EpochGrant, in mesh: ClosedMesh, _ change: inout EpochChange, at seconds: Int64 = 1
    ) -> EpochChange.Directive {
        var random = SeededRandom(seed: 1)
        return change.receive(
            grant, from: b.nodeID, in: mesh, with: a, random: &random, now: .zero + .seconds(seconds))
    }

    /// Uses four epochs, so that the next one waits.
    private func hurried(_ change: inout EpochChange) throws -> ClosedMesh {
        var present = try mesh
        for number in 2...5 as ClosedRange<UInt32> {
            _ = receive(try grant(number), in: present, &change)
            guard case .use(let next, from: _) = change.stored(number, isDurable: true) else {
                Issue.record("epoch \(number) is not used")
                break
            }
            present = next
        }
        return present
    }

    private func number(_ directive: EpochChange.Directive) -> UInt32? {
        if case .store(let mesh) = directive { mesh.newestKeys.number } else { nil }
    }

    @Test("four epochs of another maker are used at once; of the later ones only the newest is, after five seconds")
    func allowance() throws {
        var change = EpochChange()
        let present = try hurried(&change)
        for number in 6...9 as ClosedRange<UInt32> {
            guard case .nothing = receive(try grant(number), in: present, &change) else {
                Issue.record("epoch \(number) does not wait")
                return
            }
            #expect(change.next?.newestKeys.number == number)
        }
        // An epoch before the one that waits has no effect.
        guard case .nothing = receive(try grant(7), in: present, &change) else {
            Issue.record("an old epoch has an effect")
            return
        }
        #expect(change.nextDeadline == .zero + .seconds(6))
        let early = change.settle(in: present, linked: [], with: a, now: .zero + .milliseconds(5_999))
        #expect(number(early) == nil)
        guard case .store(let next) = change.settle(in: present, linked: [], with: a, now: .zero + .seconds(6)) else {
            Issue.record("the newest epoch is not stored")
            return
        }
        #expect(next.secrets.map(\.number) == [9, 5])
        guard case .use = change.stored(9, isDurable: true) else {
            Issue.record("the newest epoch is not used")
            return
        }
        #expect(change.next == nil && change.nextDeadline == .distantFuture)
        // The next one waits for a turn of its own.
        _ = receive(try grant(10), in: next, &change, at: 6)
        #expect(change.nextDeadline == .zero + .seconds(11))
    }

    @Test("an epoch that does not follow the one that waits begins a dispute, which ends with a turn")
    func disputed() throws {
        var change = EpochChange()
        let present = try hurried(&change)
        _ = receive(try grant(6, left: [c]), in: present, &change)
        #expect(change.hasLeft(c.nodeID))
        _ = receive(try grant(7), in: present, &change)
        let until = change.nextDeadline
        let least = Instant.zero + .seconds(6)
        #expect(least <= until && until <= least + .seconds(2) && change.hasLeft(c.nodeID))
        #expect(number(change.settle(in: present, linked: [], with: a, now: until)) == 8)
    }

    @Test(
        "if no epoch can unite those in dispute, the one that waited follows, although the entry leaves this node",
        arguments: [false, true], [false, true])
    func ununitable(isStored: Bool, namesThisNode: Bool) throws {
        var change = EpochChange()
        let present = try isStored ? mesh : hurried(&change)
        let next = present.newestKeys.number + 1
        _ = receive(try grant(next, left: [c]), in: present, &change)
        // An entry of a member that names as many nodes as an entry holds. None of them is the one that leaves.
        let secret = try #require(EpochSecret(number: next, bytes: [UInt8](repeating: 9, count: 32)))
        var invented = (0..<WireLimits.epochNodesMax).map { NodeID(words: (1, 2, 3, UInt64($0))) }
        if namesThisNode { invented[0] = a.nodeID }
        let entry = EpochEntry(
            mesh: Self.meshID, number: next, secretHash: secret.hash(with: b),
            codeHash: secret.codeHash(of: nil, with: b), maker: b.publicKey,
            stay: (namesThisNode ? [b] : [a, b]).map(\.nodeID).sorted(), left: invented.sorted())
        let full = EpochGrant(
            entry: SignedEpochEntry(signing: entry, with: b), secret: [UInt8](repeating: 9, count: 32), codeKey: nil)
        _ = receive(full, in: present, &change)
        // The shell has stored it meanwhile, and the node was not in a state to use it.
        if isStored { _ = change.stored(next, isDurable: true) }
        let until = change.nextDeadline
        #expect(number(change.settle(in: present, linked: [], with: a, now: until)) == next)
        guard case .use(let used, from: b.nodeID) = change.stored(next, isDurable: true) else {
            Issue.record("the epoch that leaves C behind is not used")
            return
        }
        #expect(used.hasLeft(c.nodeID))
    }

    @Test("an own order that is being stored follows if no epoch can unite it with another one")
    func ownOrder() throws {
        var change = EpochChange()
        let order = change.change(leaving: [c.nodeID], codeKey: nil, in: try mesh, linked: [], with: a)
        #expect(number(order) == 2)
        let secret = try #require(EpochSecret(number: 2, bytes: [UInt8](repeating: 9, count: 32)))
        let entry = EpochEntry(
            mesh: Self.meshID, number: 2, secretHash: secret.hash(with: b),
            codeHash: secret.codeHash(of: nil, with: b), maker: b.publicKey,
            stay: [a.nodeID, b.nodeID].sorted(),
            left: (0..<WireLimits.epochNodesMax).map { NodeID(words: (1, 2, 3, UInt64($0))) }.sorted())
        let full = EpochGrant(
            entry: SignedEpochEntry(signing: entry, with: b), secret: [UInt8](repeating: 9, count: 32), codeKey: nil)
        _ = receive(full, in: try mesh, &change)
        _ = change.stored(2, isDurable: true)
        let until = change.nextDeadline
        #expect(number(change.settle(in: try mesh, linked: [], with: a, now: until)) == 2)
        guard case .use(let used, from: nil) = change.stored(2, isDurable: true) else {
            Issue.record("the own epoch is not used")
            return
        }
        #expect(used.hasLeft(c.nodeID))
    }

    @Test("if the disk refuses an order, the epoch whose place it took is stored", arguments: [false, true])
    func displaced(isStored: Bool) throws {
        var change = EpochChange()
        let present = try isStored ? mesh : hurried(&change)
        let other = present.newestKeys.number + 1
        _ = receive(try grant(other), in: present, &change)
        let order = change.change(leaving: [], codeKey: Self.codeKey, in: present, linked: [], with: a)
        #expect(number(order) == other + 1)
        #expect(number(change.stored(other + 1, isDurable: false)) == other)
        guard case .use = change.stored(other, isDurable: false) else {
            Issue.record("the epoch of another node is not used")
            return
        }
    }

    /// The mesh in an epoch that C has left, and has entered again.
    private func returned(_ epoch: EpochGrant) throws -> ClosedMesh {
        var present = try mesh.following(
            #require(epoch.matchingSecret(with: a)), codeKey: nil, entry: epoch.entry, with: a)
        for node in [b, c] { present.recordProof(by: node.nodeID) }
        return present
    }

    @Test("an order keeps a linked node that has returned, unless it names the node or another epoch waits or disputes")
    func kept() throws {
        for (leaving, linked, isKept) in [([], [c], true), ([c], [c], false), ([], [b], false)]
            as [([TransparentSealing], [TransparentSealing], Bool)]
        {
            var change = EpochChange()
            let order = change.change(
                leaving: leaving.map(\.nodeID), codeKey: Self.codeKey, in: try returned(grant(2, left: [c])),
                linked: Set(linked.map(\.nodeID)), with: a)
            let kept = change.next?.kept.sorted()
            #expect(number(order) == 3 && kept == (isKept ? [c.nodeID] : []))
        }
        // Another epoch waits, or disputes this one.
        for isDisputed in [false, true] {
            var change = EpochChange()
            _ = try hurried(&change)
            let present = try returned(grant(6, left: [c]))
            _ = receive(try grant(7, left: isDisputed ? [] : [c]), in: present, &change)
            #expect((change.next == nil) == isDisputed)
            let order = change.change(
                leaving: [], codeKey: Self.codeKey, in: present, linked: [c.nodeID], with: a)
            #expect(number(order) == 8 && change.next?.kept.isEmpty == true)
        }
    }

    @Test("an order keeps nobody once the epoch of another node has replaced it or is united with it")
    func keptNoMore() throws {
        let present = try returned(grant(2, left: [c]))
        for other in [try grant(4, left: [c]), try grant(3)] {
            var change = EpochChange()
            _ = change.change(leaving: [], codeKey: Self.codeKey, in: present, linked: [c.nodeID], with: a)
            #expect(change.next?.kept.contains(c.nodeID) == true)
            _ = receive(other, in: present, &change)
            let end = change.settle(in: present, linked: [c.nodeID], with: a, now: change.nextDeadline)
            let isUnited = other.entry.entry.number == 3
            #expect(number(end) == (isUnited ? 4 : nil) && change.next?.kept.isEmpty == true)
        }
    }

    @Test("a person's order follows an epoch that waits, and ends a dispute")
    func orders() throws {
        for isDisputed in [false, true] {
            var change = EpochChange()
            let present = try hurried(&change)
            _ = receive(try grant(6, left: [c]), in: present, &change)
            if isDisputed { _ = receive(try grant(7), in: present, &change) }
            func fault(_ change: EpochChange) -> CodeChangeFault? {
                change.fault(leaving: [b.nodeID], codeKey: Self.codeKey, in: present, of: a.nodeID)
            }
            #expect(fault(change) == nil)
            guard
                case .store(let next) = change.change(
                    leaving: [b.nodeID], codeKey: Self.codeKey, in: present, linked: [], with: a),
                let entry = next.entry?.entry
            else {
                Issue.record("the order is refused")
                return
            }
            #expect(entry.number == (isDisputed ? 8 : 7) && next.codeKey == Self.codeKey)
            #expect(entry.left == [b.nodeID, c.nodeID].sorted() && entry.stay == [a.nodeID])
            #expect(fault(change) == .underWay && change.nextDeadline == .distantFuture)
        }
    }

    @Test("a neighbour that stays has five seconds for its proof")
    func waits() {
        var change = EpochChange()
        change.awaitProof(of: b.nodeID, isInformed: true, now: .zero)
        change.awaitProof(of: b.nodeID, isInformed: true, now: .zero + .seconds(4))
        change.awaitProof(of: c.nodeID, isInformed: true, now: .zero + .seconds(1))
        #expect(change.nextDeadline == .zero + .seconds(5))
        #expect(change.removeOverdue(now: .zero + .milliseconds(4_999)).isEmpty)
        #expect(change.removeOverdue(now: .zero + .seconds(5)) == [b.nodeID])
        change.endWait(for: c.nodeID)
        #expect(change.nextDeadline == .distantFuture)
    }

    @Test("a neighbour that has returned has half a second for its proof, and ten while the maker is linked with it")
    func returnedWaits() {
        var change = EpochChange()
        for node in [b, c] { change.awaitProof(of: node.nodeID, isInformed: true, hasReturned: true, now: .zero) }
        change.prolongWaits(for: [c.nodeID], now: .zero + .milliseconds(499))
        #expect(change.nextDeadline == .zero + .milliseconds(500))
        change.prolongWaits(for: [c.nodeID], now: .zero + .milliseconds(500))
        #expect(change.removeOverdue(now: .zero + .milliseconds(500)) == [b.nodeID])
        #expect(change.nextDeadline == .zero + .seconds(1))
        change.prolongWaits(for: [c.nodeID], now: .zero + .milliseconds(9_800))
        #expect(change.nextDeadline == .zero + .seconds(10))
        change.prolongWaits(for: [c.nodeID], now: .zero + .seconds(10))
        #expect(change.removeOverdue(now: .zero + .seconds(10)) == [c.nodeID])
    }

    @Test("a neighbour that may have the epoch is sent it once, after half a second without its proof")
    func informed() {
        var change = EpochChange()
        change.awaitProof(of: b.nodeID, isInformed: false, now: .zero)
        change.awaitProof(of: c.nodeID, isInformed: false, now: .zero)
        #expect(change.nextDeadline == .zero + .milliseconds(500))
        change.endWait(for: c.nodeID)
        #expect(change.takeUninformed(now: .zero + .milliseconds(499)).isEmpty)
        #expect(change.takeUninformed(now: .zero + .milliseconds(500)) == [b.nodeID])
        #expect(change.takeUninformed(now: .zero + .seconds(1)).isEmpty)
        #expect(change.nextDeadline == .zero + .seconds(5))
    }
}
