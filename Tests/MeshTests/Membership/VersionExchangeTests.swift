import Mesh
import Primitives
import TestKit
import Testing
import Trust
import Wire

@Suite("Exchange of record versions")
struct VersionExchangeTests {
    private let mesh = ScriptedMesh()

    private func versions(_ peer: ScriptedPeer) -> [[NodeVersion]] {
        peer.take().compactMap { if case .recordVersions(let versions) = $0 { versions } else { nil } }
    }

    private func answered(_ versions: [NodeVersion], to peer: ScriptedPeer) -> [SignedRecord] {
        _ = peer.take()
        mesh.say(.recordVersions(versions), by: peer)
        return peer.take().flatMap { if case .records(let records) = $0 { records } else { [SignedRecord]() } }
    }

    private func version(_ record: NodeRecord, secondsAgo: UInt16 = .max) -> NodeVersion {
        NodeVersion(node: record.node, version: record.version, seenSecondsAgo: secondsAgo)
    }

    private func record(
        _ seed: UInt64, instance: UInt64 = 1, sequence: UInt32, isLeaving: Bool = false
    ) -> (record: NodeRecord, signed: SignedRecord) {
        let sealing = TransparentSealing(seed: seed)
        let record = NodeRecord(
            node: sealing.nodeID, instance: Instance(exactly: instance) ?? .max, bootNonce: BootNonce(number: 1),
            sequence: sequence, endpoints: [], profile: NodeProfile(name: SafeText("x")),
            isLeaving: isLeaving)
        return (record, SignedRecord(signing: record, with: sealing))
    }

    @Test(
        "a new link gets all versions: age 0 s for linked peers, 2 s more than counted for others, 65,535 if indirect")
    func advertised() {
        let peers = mesh.clique([2, 3])
        mesh.say(.records([record(50, sequence: 4).signed, record(51, sequence: 5).signed]), by: peers[0])
        // Only the end of this node was heard. Its version is sent with the others.
        mesh.say(.records([record(51, sequence: 6, isLeaving: true).signed]), by: peers[0])
        mesh.say(.leave, by: peers[1])
        mesh.pass(.seconds(10))
        let newcomer = mesh.link(4)
        let own = try? mesh.ownRecord.verified(with: newcomer.sealing)
        let advertised = versions(newcomer)
        let expected = [
            own.map { version($0, secondsAgo: 0) }, version(peers[0].record, secondsAgo: 0),
            version(peers[1].record, secondsAgo: 12), version(newcomer.record, secondsAgo: 0),
            version(record(50, sequence: 4).record), version(record(51, sequence: 6).record, secondsAgo: .max),
        ].compactMap { $0 }
        #expect(
            advertised.count == 1 && advertised.first?.first == expected.first
                && Set(advertised.first ?? []) == Set(expected))
    }

    @Test("a different digest causes one exchange 600 ms later, unless the digests agree by then")
    func differing() {
        let peers = mesh.clique([2, 3])
        let before = mesh.count(.versionExchanges)
        peers[0].digest = 12
        mesh.send(DatagramBody(control: mesh.control(of: peers[0])), from: peers[0])
        mesh.pass(.milliseconds(599))
        #expect(mesh.count(.versionExchanges) == before)
        #expect(mesh.status.peersAgreeingOnDigest == 1)
        mesh.pass(.milliseconds(1))
        #expect(mesh.count(.versionExchanges) == before + 1 && versions(peers[0]).count == 1)
        #expect(versions(peers[1]).isEmpty)
        // The next exchange follows a second later, because the digest has changed again.
        peers[0].digest = 13
        mesh.pass(.milliseconds(999))
        #expect(mesh.count(.versionExchanges) == before + 1)
        mesh.pass(.milliseconds(1))
        #expect(mesh.count(.versionExchanges) == before + 2)
        peers[0].digest = 14
        mesh.pass(.milliseconds(400))
        peers[0].digest = nil
        mesh.pass(.seconds(10))
        #expect(mesh.count(.versionExchanges) == before + 2)
    }

    @Test("a record that comes after a digest that agreed causes no exchange, because the peer mostly has it too")
    func differingSinceThen() {
        let peers = mesh.clique([2, 3])
        let before = mesh.count(.versionExchanges)
        peers[0].digest = 12
        mesh.send(DatagramBody(control: mesh.control(of: peers[0])), from: peers[0])
        peers[0].digest = nil
        mesh.pass(.milliseconds(599))
        mesh.send(DatagramBody(control: mesh.control(of: peers[0])), from: peers[0])
        let digest = mesh.status.digest
        mesh.say(.records([record(50, sequence: 1).signed]), by: peers[1])
        #expect(mesh.status.digest != digest && mesh.status.peersAgreeingOnDigest == 0)
        mesh.pass(.seconds(3))
        #expect(mesh.count(.versionExchanges) == before)
    }

    @Test("where digests differ again and again, long lists go out each second at first, and then at a rate in bytes")
    func paced() {
        let peers = mesh.clique([2, 3, 4, 5, 6, 7])
        let others = (100..<100 + 5 * UInt64(64)).map { record($0, sequence: 1) }
        // Beacons bring them. The other peers name 64 of them each, so that the first peer is told of all.
        for (place, other) in others.enumerated() {
            let source = Endpoint(address: IPAddress(v4: 10, 0, 1, UInt8(place / 16)), port: 7400)
            mesh.input(.beacon(Beacon(mesh: TestMesh.name, record: other.signed).encoded(), from: source))
            if place % 64 == 63 { mesh.pass(.seconds(2)) }
        }
        for (place, peer) in peers.dropFirst().enumerated() {
            let named = others[64 * place..<64 * (place + 1)]
            mesh.say(.recordVersions(named.map { version($0.record, secondsAgo: 0) }), by: peer)
        }
        #expect(others.allSatisfy { mesh.peerSnapshot($0.record.node).known?.isCurrent == true })
        /// The lengths of the lists that the first peer is sent while its digest changes every second.
        func lists(seconds: UInt32, from first: UInt32) -> [Int] {
            _ = peers[0].take()
            for second in 0..<seconds {
                peers[0].digest = first + second
                mesh.pass(.seconds(1))
            }
            return versions(peers[0]).map(\.count)
        }
        let atFirst = lists(seconds: 10, from: 1_000)
        #expect(7 <= atFirst.count && atFirst.allSatisfy { 320 < $0 })
        _ = lists(seconds: 60, from: 2_000)
        let later = lists(seconds: 100, from: 3_000)
        let count = later.reduce(0, +)
        #expect(count < 8_360, "100 s of 77 versions, and two lists: \(later)")
        #expect(!later.isEmpty)
    }

    @Test("a new session exchanges versions again, although the digests agree")
    func newSession() {
        let peer = mesh.link(2)
        mesh.pass(.seconds(5))
        #expect(mesh.count(.versionExchanges) == 1 && versions(peer).count == 1)
        let again = mesh.link(2)
        mesh.pass(.seconds(5))
        #expect(mesh.count(.versionExchanges) == 2 && versions(again).count == 1)
    }

    @Test("an answer holds the records that the asker lacks or has an older version of, and nothing else")
    func answers() throws {
        let peers = mesh.clique([2, 3])
        let (newer, same, left) = (record(50, sequence: 5), record(51, sequence: 5), record(52, sequence: 5))
        let end = record(52, sequence: 6, isLeaving: true)
        mesh.say(.records([newer.signed, same.signed, left.signed]), by: peers[1])
        mesh.say(.records([end.signed]), by: peers[1])
        let own = try mesh.ownRecord.verified(with: peers[0].sealing)
        let all = [own, peers[1].record, newer.record, same.record, end.record].map { version($0) }
        #expect(answered(all, to: peers[0]).isEmpty)
        mesh.pass(.seconds(2))
        // The asker has its own record. A record of leaving goes only to a node that knows its subject.
        let lacking = answered([], to: peers[0])
        #expect(lacking.first == mesh.ownRecord)
        #expect(Set(lacking) == [mesh.ownRecord, peers[1].signed, newer.signed, same.signed])
        var older = all
        older[0].version.sequence -= 1
        older[2].version.sequence = 4
        older[4].version.sequence = 5
        // The answer has the own record first, then the others in the order of their NodeIDs.
        let newerFirst = newer.record.node < end.record.node
        let others = newerFirst ? [newer.signed, end.signed] : [end.signed, newer.signed]
        #expect(answered(older, to: peers[0]) == [mesh.ownRecord] + others)
        mesh.pass(.seconds(2))
        var later = all
        for place in later.indices { later[place].version.sequence += 1 }
        #expect(answered(later, to: peers[0]).isEmpty)
    }

    @Test("a peer whose counter was rolled back gets its own later record")
    func rolledBack() {
        let peers = mesh.clique([2, 3])
        var later = peers[0].record
        (later.instance, later.bootNonce) = (Instance(exactly: 5) ?? .max, BootNonce(number: 77))
        let signed = SignedRecord(signing: later, with: peers[0].sealing)
        #expect(answered([version(peers[0].record)], to: peers[0]).contains(peers[0].signed) == false)
        mesh.say(.records([signed]), by: peers[1])
        mesh.pass(.seconds(2))
        #expect(answered([version(peers[0].record)], to: peers[0]).contains(signed))
    }

    @Test(
        "an age counts only for the same version, if it is smaller, and if it is not indirect",
        arguments: [
            (5, 30, 30), (5, .max, 540), (4, 30, 540), (6, 30, 540),
        ] as [(UInt32, UInt16, Int64)])
    func ages(_ sequence: UInt32, secondsAgo: UInt16, seenAgo: Int64) {
        let peers = mesh.clique([2, 3])
        let known = record(50, sequence: 5)
        mesh.say(.records([known.signed]), by: peers[1])
        var advertised = version(known.record, secondsAgo: secondsAgo)
        advertised.version.sequence = sequence
        mesh.say(.recordVersions([advertised]), by: peers[0])
        #expect(mesh.peerSnapshot(known.record.node).known?.seenAt == mesh.now - .seconds(seenAgo))
    }

    @Test("the node answers four version lists at once, and then one a second")
    func rate() {
        let peer = mesh.clique([2])[0]
        for count: UInt64 in 0..<6 {
            #expect(answered([], to: peer).isEmpty == (count >= 4))
            #expect(mesh.count(.versionsOverRate) == (count < 4 ? 0 : count - 3))
        }
        mesh.pass(.milliseconds(999))
        #expect(answered([], to: peer).isEmpty)
        mesh.pass(.milliseconds(1))
        #expect(answered([], to: peer) == [mesh.ownRecord])
    }

    @Test("an answer holds at most 128 records")
    func longAnswers() {
        let peers = mesh.clique([2, 3, 4])
        mesh.pass(.seconds(20))
        let halves = [100, 164].map { first in (first..<first + 64 as Range<UInt64>).map { record($0, sequence: 1) } }
        for (peer, half) in [(peers[1], halves[0]), (peers[2], halves[1])] {
            for start in stride(from: 0, to: 64, by: 16) {
                mesh.say(.records(half[start..<start + 16].map { $0.signed }), by: peer)
            }
        }
        mesh.pass(.seconds(2))
        // Neighbours are told of the first 64 that come, and of the others if one more peer names them.
        mesh.say(.recordVersions(halves[1].map { version($0.record) }), by: peers[0])
        mesh.pass(.seconds(2))
        _ = peers[0].take()
        // The peer lacks the node's own record, those of two neighbours, and all of the 128.
        let pushed = mesh.count(.recordsPushed)
        let answer = answered([], to: peers[0])
        #expect(answer.count == 128 && Set(answer).count == 128 && mesh.count(.recordsPushed) == pushed + 128)
        let own = try? mesh.ownRecord.verified(with: peers[0].sealing)
        let known = [own, peers[1].record, peers[2].record].compactMap { $0 }.map { version($0) }
        let all = answered(known, to: peers[0])
        #expect(all == all.sorted { node(of: $0) < node(of: $1) } && all.count == 128)
        let one = [version(record(100, sequence: 1).record)]
        #expect(answered(known + one, to: peers[0]).count == 127)
    }

    private func node(of signed: SignedRecord) -> NodeID {
        TransparentSealing(seed: 1).nodeID(ofPublicKey: signed.publicKey) ?? mesh.own
    }

    @Test(
        "a node in a neighbour's link states counts as seen now, whether the link states or the record came first",
        arguments: [true, false])
    func seenByLinkStates(areLinkStatesFirst: Bool) {
        let peer = mesh.clique([2])[0]
        let other = record(50, sequence: 1)
        if areLinkStatesFirst { mesh.advertiseLinks(of: peer, with: [other.record.node]) }
        mesh.say(.records([other.signed]), by: peer)
        if !areLinkStatesFirst { mesh.advertiseLinks(of: peer, with: [other.record.node]) }
        #expect(mesh.peerSnapshot(other.record.node).known?.seenAt == mesh.now)
        // The node counts as seen while the link states name it, and ten minutes more.
        mesh.pass(.seconds(601))
        #expect(mesh.peerSnapshot(other.record.node).known?.isCurrent == true)
        mesh.advertiseLinks(of: peer, with: [])
        let last = mesh.peerSnapshot(other.record.node).known?.seenAt ?? .zero
        mesh.pass(last + .seconds(600) - mesh.now)
        #expect(mesh.peerSnapshot(other.record.node).known?.isCurrent == true)
        let digest = mesh.status.digest
        mesh.pass(.milliseconds(1))
        #expect(mesh.peerSnapshot(other.record.node).known?.isCurrent == false && mesh.status.digest != digest)
    }
}
