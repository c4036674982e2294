import Mesh
import Primitives
import TestKit
import Testing
import Trust
import Wire

@Suite("New nodes of which neighbours are told")
struct NewNodesTests {
    private let mesh = ScriptedMesh()
    private let friend: ScriptedPeer

    init() {
        friend = mesh.link(2)
        mesh.pass(.seconds(10))
        mesh.forget()
    }

    /// Each stranger links and leaves without a record of leaving.
    private func come(_ seeds: Range<UInt64>) -> [ScriptedPeer] {
        seeds.map { seed in
            let stranger = mesh.link(seed)
            mesh.say(.leave, by: stranger)
            return stranger
        }
    }

    /// The keys in the records that the node has sent the friend since the last call.
    private func told() -> Set<[UInt8]> {
        var keys: Set<[UInt8]> = []
        for case .records(let records) in friend.take() { keys.formUnion(records.map(\.publicKey)) }
        return keys
    }

    private func keys(_ peers: some Sequence<ScriptedPeer>) -> Set<[UInt8]> { Set(peers.map(\.signed.publicKey)) }

    private func list(_ peer: ScriptedPeer) -> CarrierMessage {
        .recordVersions([NodeVersion(node: peer.id, version: peer.record.version, seenSecondsAgo: 0)])
    }

    @Test("neighbours are told of 64 at once, as many as they take; further ones are in no digest, list or answer")
    func burst() {
        let taken = come(100..<164)
        mesh.pass(.milliseconds(50))
        #expect(told() == keys(taken))
        let digest = mesh.status.digest
        let others = come(164..<170)
        mesh.pass(.seconds(1))
        #expect(told().isEmpty && mesh.status.digest == digest)
        mesh.say(.recordVersions([]), by: friend)
        #expect(told() == keys(taken).union([mesh.ownRecord.publicKey]))
        let newcomer = mesh.link(200)
        let listed = newcomer.take().flatMap { message in
            if case .recordVersions(let versions) = message { versions.map(\.node) } else { [NodeID]() }
        }
        #expect(!listed.isEmpty && others.allSatisfy { !listed.contains($0.id) })
    }

    @Test("neighbours are told of one more in six seconds, and of none that is not linked")
    func later() {
        let gone = come(100..<166).suffix(2)
        let staying = [mesh.link(170), mesh.link(171)]
        mesh.pass(.milliseconds(100))
        _ = told()
        let digest = mesh.status.digest
        mesh.pass(.seconds(8))
        let first = told()
        #expect(first.count == 1 && first.isSubset(of: keys(staying)) && mesh.status.digest != digest)
        mesh.pass(.seconds(12))
        #expect(first.union(told()) == keys(staying))
        mesh.say(.recordVersions([]), by: friend)
        let all = told()
        #expect(all.isSuperset(of: keys(staying)) && all.isDisjoint(with: keys(gone)))
    }

    @Test("neighbours are told of 64 nodes at once that two members know, as many as they take from one node")
    func ofMembers() {
        let members = [mesh.link(3), mesh.link(4)]
        mesh.pass(.seconds(20))
        _ = told()
        let strangers = (100..<180 as Range<UInt64>).map { TestIdentity.record(seed: $0) }
        for start in stride(from: 0, to: strangers.count, by: 16) {
            mesh.say(.records(Array(strangers[start..<start + 16])), by: members[start < 48 ? 0 : 1])
        }
        mesh.pass(.milliseconds(100))
        let taken = Set(strangers.prefix(64).map(\.publicKey))
        #expect(told() == taken)
        // The node itself knows the others too.
        #expect(mesh.peerSnapshot(TestIdentity.nodeID(seed: 179)).known != nil)
        mesh.say(.recordVersions([]), by: friend)
        #expect(told() == taken.union(keys(members)).union([mesh.ownRecord.publicKey]))
    }

    @Test("neighbours are told of no more nodes although a member changes the records of those that it has invented")
    func changedInventions() {
        _ = come(100..<164)
        let member = mesh.link(3)
        mesh.pass(.seconds(8))
        _ = told()
        let seeds = 200..<264 as Range<UInt64>
        for sequence in [1, 2] as [UInt32] {
            for start in stride(from: seeds.lowerBound, to: seeds.upperBound, by: 16) {
                let records = (start..<start + 16).map { TestIdentity.record(seed: $0, sequence: sequence) }
                mesh.say(.records(records), by: member)
            }
            mesh.pass(.seconds(2))
        }
        let invented = Set(seeds.map { TestIdentity.record(seed: $0).publicKey })
        #expect(told().intersection(invented).count <= 2)
        #expect(mesh.peerSnapshot(TestIdentity.nodeID(seed: 263)).known?.isCurrent == true)
    }

    @Test("linked nodes that wait for their turn go before strangers that go on coming")
    func turns() {
        _ = come(100..<164)
        let staying = [mesh.link(170), mesh.link(171)]
        mesh.pass(.milliseconds(100))
        _ = told()
        for seed in 200..<220 as Range<UInt64> {
            mesh.pass(.seconds(1))
            _ = come(seed..<seed + 1)
        }
        mesh.pass(.milliseconds(100))
        #expect(told().isSuperset(of: keys(staying)))
    }

    @Test("neighbours are told of a node that comes back unchanged long after its turn did not come")
    func back() {
        _ = come(100..<164)
        let stranger = come(164..<165)
        mesh.pass(.seconds(700))
        _ = told()
        _ = mesh.link(164)
        mesh.pass(.milliseconds(100))
        #expect(told() == keys(stranger))
    }

    @Test("a new node that a neighbour names in its list counts as told; its own list is not enough")
    func named() {
        _ = come(100..<166)
        let stranger = mesh.link(170)
        mesh.pass(.milliseconds(100))
        let digest = mesh.status.digest
        mesh.say(list(stranger), by: stranger)
        #expect(mesh.status.digest == digest)
        mesh.say(list(stranger), by: friend)
        #expect(mesh.status.digest != digest)
    }

    @Test("a connect request costs the leader an unknown node, so that of a node that waits for its turn stays here")
    func requests() {
        _ = come(100..<166)
        let stranger = mesh.link(170)
        func isForwarded() -> Bool {
            _ = friend.take()
            let request = SignedConnectRequest(
                from: stranger.signed, to: friend.id, sequence: 1, with: stranger.sealing)
            mesh.say(.connectRequest(request), by: stranger)
            return friend.take().contains { if case .connectRequest = $0 { true } else { false } }
        }
        #expect(!isForwarded() && mesh.count(.connectRequestsUndeliverable) == 1)
        mesh.pass(.seconds(8))
        #expect(isForwarded())
    }

    @Test("another boot of the same instance is no news, because neighbours take it only from that boot itself")
    func otherBoots() {
        for boot in 1...3 as ClosedRange<UInt64> {
            let stranger = mesh.enter(100, boot: boot) { $0.isEchoing = false }
            mesh.pass(.milliseconds(100))
            #expect(told() == (boot == 1 ? keys([stranger]) : []))
            mesh.input(.carrierClosed(stranger.carrier, .closed))
            mesh.pass(.seconds(3))
            #expect(told().isEmpty)
        }
        #expect(mesh.count(.refusalsSent) == 0)
    }

    @Test("a change of a node of which nobody is told is no news, unless a neighbour brings it")
    func changes() {
        _ = come(100..<166)
        let stranger = mesh.link(170)
        mesh.pass(.milliseconds(100))
        _ = told()
        stranger.record.sequence = 2
        mesh.say(.records([stranger.signed]), by: stranger)
        mesh.pass(.milliseconds(100))
        let digest = mesh.status.digest
        #expect(told().isEmpty)
        stranger.record.sequence = 3
        mesh.say(.records([stranger.signed]), by: friend)
        #expect(mesh.status.digest != digest)
    }
}
