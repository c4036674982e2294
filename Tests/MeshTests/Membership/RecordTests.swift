import Mesh
import Primitives
import TestKit
import Testing
import Trust
import Wire

@Suite("Records, as they come and are passed on")
struct RecordTests {
    private let mesh = ScriptedMesh()

    /// A record of an unknown node, of the highest instance.
    private func stranger(_ seed: UInt64, sequence: UInt32 = 1) -> SignedRecord {
        TestIdentity.record(seed: seed, sequence: sequence)
    }

    private func record(
        _ seed: UInt64, instance: UInt64 = 1, boot: UInt64 = 1, sequence: UInt32 = 1, endpoints: [Endpoint] = [],
        name: String = "x", role: String = "", colour: UInt32 = 0, isLeaving: Bool = false
    ) -> SignedRecord {
        let sealing = TransparentSealing(seed: seed)
        let record = NodeRecord(
            node: sealing.nodeID, instance: Instance(exactly: instance) ?? .max, bootNonce: BootNonce(number: boot),
            sequence: sequence, endpoints: endpoints,
            profile: NodeProfile(name: SafeText(name), role: SafeText(role), colour: colour),
            isLeaving: isLeaving)
        return SignedRecord(signing: record, with: sealing)
    }

    private func forged(_ number: UInt8) -> SignedRecord {
        var record = stranger(600)
        record.signature[0] ^= number
        return record
    }

    private func records(_ peer: ScriptedPeer) -> [[SignedRecord]] {
        peer.take().compactMap { if case .records(let records) = $0 { records } else { nil } }
    }

    @Test("the node ignores records, link states and channels of a peer without a link")
    func noLink() {
        let mesh = ScriptedMesh { $0.admissionPolicy = .ask(known: []) }
        let peer = mesh.enter(2)
        mesh.say(.records([stranger(50)]), by: peer)
        mesh.say(.recordVersions([]), by: peer)
        mesh.advertise([], by: peer)
        mesh.advertise(channels: [], by: peer)
        mesh.say(.leave, by: peer)
        #expect(mesh.count(.framesUnexpected) == 5)
        #expect(mesh.peerSnapshot(TestIdentity.nodeID(seed: 50)).known == nil)
    }

    @Test("the node takes records from a peer that lacks only its echo; the peer's channels count after the echo")
    func candidate() {
        let peer = mesh.enter(2) { $0.isEchoing = false }
        let third = TestIdentity.nodeID(seed: 50)
        mesh.say(.records([stranger(50)]), by: peer)
        mesh.advertiseLinks(of: peer, with: [third])
        mesh.advertise(channels: [ChannelID(high: 1, low: 2)], by: peer)
        #expect(mesh.peerSnapshot(third).known != nil && mesh.count(.framesUnexpected) == 0)
        #expect(!mesh.events.contains { $0.isChannels } && mesh.status.matrix.count == 1)
        peer.isEchoing = true
        mesh.pass(.milliseconds(300))
        #expect(mesh.peer(peer)?.state == .up)
        #expect(mesh.events.filter(\.isChannels).count == 1)
        // The entry of the third names an older boot than its record, so only the other one stays.
        #expect(mesh.status.matrix.last?.entries.map(\.peer) == [mesh.own])
    }

    @Test("known, own and forged records use no allowance for new ones, and the others of the frame are taken")
    func taking() {
        let peers = mesh.clique([2, 3])
        for _ in 0..<20 { mesh.say(.records(Array(repeating: mesh.ownRecord, count: 16)), by: peers[0]) }
        for _ in 0..<20 { mesh.say(.records(Array(repeating: peers[1].signed, count: 16)), by: peers[0]) }
        mesh.say(.records([forged(1), stranger(50), forged(2), stranger(51)]), by: peers[0])
        #expect(mesh.count(.recordsForged) == 2 && mesh.count(.recordsOverRate) == 0)
        for seed: UInt64 in [50, 51] { #expect(mesh.peerSnapshot(TestIdentity.nodeID(seed: seed)).known != nil) }
        #expect(mesh.count(.recordsNewOverLimit) == 0 && mesh.count(.ghostRecords) == 0)
    }

    @Test("the node checks 128 signatures of one peer at once, 256 of all peers and then 8 of each, and drops the rest")
    func checks() {
        let peers = mesh.clique([2, 3, 4])
        let frame = CarrierMessage.records((0..<16).map { forged(UInt8($0 + 1)) })
        for (peer, checked) in [(peers[0], 128), (peers[1], 256), (peers[2], 264)] as [(ScriptedPeer, UInt64)] {
            for _ in 0..<8 { mesh.say(frame, by: peer) }
            #expect(mesh.count(.recordsForged) == checked)
            let before = mesh.count(.recordsOverRate)
            mesh.say(frame, by: peer)
            #expect(mesh.count(.recordsOverRate) == before + 1)
        }
        #expect(mesh.count(.recordsOverRate) == 1 + 1 + 9)
        // One more check of all peers is allowed after 5 ms, and one more of each peer after 20 ms.
        for (wait, peer, checked) in [
            (4_999, peers[2], 264), (1, peers[2], 265), (14_999, peers[0], 265), (1, peers[0], 266),
        ] as [(Int64, ScriptedPeer, UInt64)] {
            mesh.pass(.microseconds(wait))
            mesh.say(.records([forged(1)]), by: peer)
            #expect(mesh.count(.recordsForged) == checked)
        }
    }

    @Test("the node takes 64 unknown nodes from one peer at once; a change of a known node uses no allowance")
    func strangers() {
        let peer = mesh.clique([2])[0]
        for first in stride(from: UInt64(100), to: 164, by: 16) {
            mesh.say(.records((first..<first + 16).map { stranger($0) }), by: peer)
        }
        #expect(mesh.count(.recordsNewOverLimit) == 0)
        mesh.say(.records([stranger(200), stranger(100, sequence: 2), stranger(201)]), by: peer)
        #expect(mesh.count(.recordsNewOverLimit) == 2)
        #expect(mesh.peerSnapshot(TestIdentity.nodeID(seed: 100)).known?.sequence == 2)
        #expect(mesh.peerSnapshot(TestIdentity.nodeID(seed: 200)).known == nil)
        // A record that is refused anyway costs no check of its signature.
        mesh.say(.records([forged(1)]), by: peer)
        #expect(mesh.count(.recordsNewOverLimit) == 3 && mesh.count(.recordsForged) == 0)
        mesh.pass(.milliseconds(5_999))
        mesh.say(.records([stranger(200)]), by: peer)
        #expect(mesh.count(.recordsNewOverLimit) == 4)
        mesh.pass(.milliseconds(1))
        mesh.say(.records([stranger(200), stranger(201)]), by: peer)
        #expect(mesh.count(.recordsNewOverLimit) == 5)
        #expect(mesh.peerSnapshot(TestIdentity.nodeID(seed: 200)).known != nil)
    }

    @Test("news goes to all peers but its bringer after 50 ms, 16 records a frame, once a second for one subject")
    func news() {
        let peers = mesh.clique([2, 3, 4])
        let (bringer, other) = (peers[0], peers[1])
        let pushed = mesh.count(.recordsPushed)
        mesh.say(.records((100..<116).map { stranger($0) }), by: bringer)
        mesh.say(.records((116..<120).map { stranger($0) }), by: bringer)
        mesh.pass(.milliseconds(49))
        #expect(records(other).isEmpty)
        #expect(mesh.deadline?.reason == .gossip)
        mesh.pass(.milliseconds(1))
        let advertised = records(other)
        #expect(advertised.map(\.count) == [16, 4] && Set(advertised.joined()).count == 20)
        #expect(mesh.count(.recordsPushed) - pushed == 40 && records(bringer).isEmpty)
        let reportedAt = mesh.now
        mesh.say(.records([stranger(100, sequence: 2)]), by: bringer)
        mesh.say(.records([stranger(200)]), by: bringer)
        mesh.pass(.milliseconds(900))
        #expect(records(other) == [[stranger(200)]])
        mesh.say(.records([stranger(100, sequence: 3)]), by: other)
        _ = peers[2].take()
        mesh.pass(reportedAt + .milliseconds(999) - mesh.now)
        #expect(records(peers[2]).isEmpty)
        mesh.pass(.milliseconds(1))
        #expect(records(peers[2]) == [[stranger(100, sequence: 3)]])
        // This record came from `other`, so it goes to the other bringer and not back.
        #expect(records(other).isEmpty && records(bringer) == [[stranger(100, sequence: 3)]])
    }

    @Test("a record with unknown extensions is kept, and is passed on byte for byte to peers that verify it")
    func unknownExtensions() throws {
        let peers = mesh.clique([2, 3])
        let newer = TransparentSealing(seed: 50)
        var record = try record(50).verified(with: newer)
        record.extensions[RecordExtensionKind(number: 0x7E)] = [1, 2, 3]
        record.extensions[RecordExtensionKind(number: 0xFF)] = []
        let signed = SignedRecord(signing: record, with: newer)
        mesh.say(.records([signed]), by: peers[0])
        mesh.pass(.milliseconds(50))
        #expect(records(peers[1]) == [[signed]] && mesh.count(.recordsForged) == 0)
        // A change of an unknown extension is news, as any other change.
        record.sequence = 2
        record.extensions[RecordExtensionKind(number: 0x7E)] = [4]
        let changed = SignedRecord(signing: record, with: newer)
        mesh.say(.records([changed]), by: peers[0])
        mesh.pass(.seconds(1))
        #expect(records(peers[1]) == [[changed]])
        // A peer that comes later gets the record out of the roster.
        mesh.say(.recordVersions([]), by: peers[1])
        let kept = records(peers[1]).joined().first { $0.publicKey == newer.publicKey }
        #expect(try kept?.verified(with: peers[1].sealing) == record && kept == changed)
    }

    @Test("a subject's own news goes only to peers that are not linked with the subject")
    func newsOfSubject() {
        let peers = mesh.clique([2, 3, 4])
        mesh.advertiseLinks(of: peers[0], with: [peers[1].id])
        mesh.advertiseLinks(of: peers[2], with: [peers[1].id])
        mesh.forget()
        peers[0].record.sequence = 2
        mesh.say(.records([peers[0].signed]), by: peers[0])
        mesh.pass(.milliseconds(100))
        #expect(records(peers[1]).isEmpty && records(peers[0]).isEmpty)
        #expect(records(peers[2]) == [[peers[0].signed]])
        // The word of either about the link between the two is enough.
        mesh.advertiseLinks(of: peers[0], with: [])
        peers[0].record.sequence = 3
        mesh.forget()
        mesh.say(.records([peers[0].signed]), by: peers[0])
        mesh.pass(.seconds(2))
        #expect(records(peers[1]).isEmpty && records(peers[2]) == [[peers[0].signed]])
        peers[0].record.sequence = 4
        // News that a neighbour brings goes to all others, whatever link states the neighbour advertises.
        mesh.say(.records([peers[0].signed]), by: peers[2])
        mesh.pass(.seconds(2))
        #expect(records(peers[1]) == [[peers[0].signed]] && records(peers[0]).isEmpty)
    }

    @Test("a subject's own news goes at once to a peer that names an earlier boot of the subject")
    func newsOfBoot() {
        let subject = mesh.link(2, instance: 5)
        let peer = mesh.link(3)
        func isTold(_ sequence: UInt32, naming instance: UInt64) -> Bool {
            mesh.advertise(
                [ScriptedMesh.entry(mesh.own), ScriptedMesh.entry(subject.id, instance: instance)], by: peer)
            mesh.pass(.seconds(5))
            mesh.forget()
            subject.record.sequence = sequence
            mesh.say(.records([subject.signed]), by: subject)
            mesh.pass(.milliseconds(100))
            return records(peer) == [[subject.signed]]
        }
        #expect(isTold(2, naming: 4) && !isTold(3, naming: 5))
    }

    @Test("a node's own news goes first, at once, once, and to every peer")
    func ownNews() {
        let peers = mesh.clique([2, 3])
        let pushed = mesh.count(.recordsPushed)
        mesh.say(.records([stranger(50)]), by: peers[0])
        mesh.command(.setProfile(NodeProfile(name: SafeText("Ada"), role: SafeText("hearing"), colour: 0xFF)))
        #expect(mesh.log.count { if case .announce = $0.what { true } else { false } } == 1)
        mesh.pass(.zero)
        #expect(records(peers[0]) == [[mesh.ownRecord]] && records(peers[1]) == [[mesh.ownRecord, stranger(50)]])
        let own = try? mesh.ownRecord.verified(with: peers[0].sealing)
        #expect(own?.profile == NodeProfile(name: SafeText("Ada"), role: SafeText("hearing"), colour: 0xFF))
        #expect(mesh.count(.recordsPushed) - pushed == 3)
        mesh.say(.records([stranger(51)]), by: peers[0])
        mesh.pass(.seconds(1))
        #expect(records(peers[1]) == [[stranger(51)]])
        // The same profile again is no news.
        mesh.forget()
        mesh.command(.setProfile(NodeProfile(name: SafeText("Ada"), role: SafeText("hearing"), colour: 0xFF)))
        mesh.pass(.seconds(1))
        #expect(records(peers[0]).isEmpty)
    }

    @Test(
        "an older, an equal and a duplicate's record change nothing; a newer one is taken, and a new name is reported",
        arguments: [
            (1, 9, 1, [.ghostRecords: 1], false), (2, 2, 7, [:], false), (2, 1, 7, [:], false),
            (2, 9, 8, [.duplicateIdentities: 1], false), (2, 3, 7, [:], true), (3, 1, 8, [:], true),
        ] as [(UInt64, UInt32, UInt64, [MeshCounter: UInt64], Bool)])
    func versions(
        _ instance: UInt64, _ sequence: UInt32, _ boot: UInt64, _ counts: [MeshCounter: UInt64], isTaken: Bool
    ) {
        let peer = mesh.clique([2])[0]
        mesh.say(.records([record(50, instance: 2, boot: 7, sequence: 2)]), by: peer)
        mesh.pass(.seconds(2))
        mesh.forget()
        let digest = mesh.status.digest
        mesh.say(
            .records([record(50, instance: instance, boot: boot, sequence: sequence, name: "other")]), by: peer)
        #expect((mesh.status.digest != digest) == isTaken)
        #expect(mesh.events.contains { $0.isProfile } == isTaken)
        for name in [MeshCounter.ghostRecords, .duplicateIdentities] {
            #expect(mesh.count(name) == counts[name] ?? 0)
        }
    }

    @Test(
        "a new name, role or colour is reported, each by itself; nothing about a blocked peer is reported",
        arguments: [
            ("y", "", 0, 1), ("x", "r", 0, 1), ("x", "", 1, 1), ("x", "", 0, 0),
        ] as [(String, String, UInt32, Int)])
    func renamed(_ name: String, _ role: String, _ colour: UInt32, count: Int) {
        let peer = mesh.clique([2])[0]
        let blocked = TestIdentity.nodeID(seed: 51)
        mesh.command(.block(blocked))
        mesh.say(.records([record(50), record(51)]), by: peer)
        let news = [50, 51].map { record($0, sequence: 2, name: name, role: role, colour: colour) }
        mesh.say(.records(news), by: peer)
        let advertised = mesh.events.filter(\.isProfile)
        let node = TestIdentity.nodeID(seed: 50)
        #expect(advertised.count == count)
        #expect(
            advertised.allSatisfy {
                $0 == .peerProfile(node, NodeProfile(name: SafeText(name), role: SafeText(role), colour: colour))
            })
        // The blocked peer is known, and is not wanted.
        #expect(mesh.peerSnapshot(blocked).known?.sequence == 2 && mesh.peerSnapshot(blocked).link == nil)
    }

    @Test("a linked peer is challenged at the new address in its record; a record of a later boot starts verification")
    func moves() {
        let peers = mesh.clique([2, 3])
        let place = Endpoint(address: IPAddress(v4: 10, 0, 0, 77), port: 7400)
        func sentThere() -> Int {
            mesh.log.count { if case .send(_, to: place) = $0.what { true } else { false } }
        }
        peers[0].record.sequence = 2
        peers[0].record.endpoints = [place]
        mesh.say(.records([peers[0].signed]), by: peers[1])
        #expect(sentThere() == 1 && mesh.count(.pathChallengesSent) == 1)
        #expect(!mesh.events.contains { if case .peerVerifying = $0 { true } else { false } })
        // This record is of a later boot: the node checks whether the present boot answers.
        peers[0].record.sequence = 3
        peers[0].record.instance = Instance(exactly: 2) ?? .max
        peers[0].record.bootNonce = BootNonce(number: 99)
        mesh.say(.records([peers[0].signed]), by: peers[1])
        #expect(mesh.events.contains { if case .peerVerifying(_, peers[0].id) = $0 { true } else { false } })
    }

    @Test("the node's own record under a higher instance, from a neighbour, counts as a rollback")
    func ownInstance() {
        let peer = mesh.clique([2])[0]
        mesh.say(.records([record(1, instance: 5)]), by: peer)
        #expect(mesh.count(.ownInstanceRolledBack) == 1)
        #expect(mesh.events.filter { $0 == .refused(peer.id, .staleInstance) }.count == 1)
        #expect(mesh.peerSnapshot(mesh.own).known == nil)
    }

    @Test(
        "a forwarded record of leaving ends the link, unless it is of an earlier boot",
        arguments: [
            (2, true), (3, true), (1, false),
        ] as [(UInt64, Bool)])
    func leaves(_ instance: UInt64, isOver: Bool) {
        let peers = [mesh.link(2), mesh.link(3, instance: 2)]
        mesh.pass(.seconds(2))
        mesh.forget()
        mesh.say(.records([record(3, instance: instance, boot: 3, sequence: 2, isLeaving: true)]), by: peers[0])
        let down = mesh.events.filter { if case .peerDown(_, peers[1].id, _, .left) = $0 { true } else { false } }
        #expect(down.count == (isOver ? 1 : 0))
        #expect((mesh.peer(peers[1])?.state == .up) == !isOver && peers[1].isClosed == isOver)
    }

    @Test("a forwarded record of leaving by another boot ends no link with a boot that answers probes")
    func copyLeaves() {
        let peers = [mesh.link(2), mesh.link(3)]
        mesh.pass(.seconds(2))
        mesh.forget()
        mesh.say(.records([record(3, instance: 2, boot: 99, sequence: 2, isLeaving: true)]), by: peers[0])
        #expect(mesh.events.contains { if case .peerVerifying(_, peers[1].id) = $0 { true } else { false } })
        mesh.pass(.seconds(2))
        #expect(mesh.peer(peers[1])?.state == .up && !peers[1].isClosed)
        #expect(!mesh.events.contains { if case .peerDown = $0 { true } else { false } })
    }
}

extension MeshEvent {
    var isProfile: Bool { if case .peerProfile = self { true } else { false } }
    var isChannels: Bool { if case .peerChannels = self { true } else { false } }
}

extension ScriptedMesh {
    /// The node's own record, signed as in its latest announcement.
    var ownRecord: SignedRecord { SignedRecord(signing: announced, with: TransparentSealing(seed: 1)) }
}
