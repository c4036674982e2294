import Primitives
import TestKit
import Testing
import Trust
import Wire

@Suite("What a member knows of its closed mesh")
struct ClosedMeshTests {
    private let maker = TransparentSealing(seed: 1)
    private let other = TransparentSealing(seed: 2)
    private let stays = TestIdentity.nodeID(seed: 3)
    private let returned = TestIdentity.nodeID(seed: 4)

    /// The mesh in epoch 2, at this node. One node has left.
    private func mesh(at node: TransparentSealing) throws -> ClosedMesh {
        let secret = try #require(EpochSecret(number: 2, bytes: [UInt8](repeating: 7, count: EpochSecret.byteCount)))
        let id = MeshID(high: 1, low: 0)
        let entry = EpochEntry(
            mesh: id, number: 2, secretHash: secret.hash(with: maker),
            codeHash: secret.codeHash(of: nil, with: maker), maker: maker.publicKey,
            stay: [maker.nodeID, other.nodeID, stays].sorted(), left: [returned])
        return ClosedMesh(
            id: id, name: "crew", secrets: [secret], codeKey: nil,
            entry: SignedEpochEntry(signing: entry, with: maker), with: node)
    }

    @Test("the maker of an epoch still keeps a node after a start, whether the node has proved the epoch or not")
    func atMaker() throws {
        for hasProved in [false, true] {
            var before = try mesh(at: maker)
            before.kept = [returned]
            before.recordProof(by: stays)
            if hasProved { before.recordProof(by: returned) }
            #expect(before.remembered == [stays, returned])
            var after = try mesh(at: maker)
            after.recall(before.remembered, with: maker)
            #expect(after.kept == [returned] && after.proved == [stays])
            #expect(after.takesAlong(returned) && !after.isKnown(returned))
        }
    }

    @Test("another node keeps nobody after a start, and remembers the proof of a node that has returned")
    func atOther() throws {
        var mesh = try mesh(at: other)
        mesh.recall([stays, returned], with: other)
        #expect(mesh.kept.isEmpty && mesh.proved == [stays, returned])
        #expect(!mesh.takesAlong(returned) && mesh.hasReturned(returned))
    }

    @Test("kept nodes are remembered before those that have proved the epoch, if there is no room for all")
    func bound() throws {
        var mesh = try mesh(at: maker)
        for seed in 0..<UInt64(EpochLimits.provedMax) { mesh.recordProof(by: TestIdentity.nodeID(seed: 100 + seed)) }
        mesh.kept = [returned]
        #expect(mesh.remembered.count == EpochLimits.provedMax && mesh.remembered.last == returned)
    }

    @Test("ever new keys of one member displace one another, and no member that is away")
    func flood() throws {
        var mesh = try mesh(at: maker)
        mesh.recordProof(by: returned)
        for seed in 0..<300 as Range<UInt64> {
            mesh.recordProof(by: TestIdentity.nodeID(seed: 100 + seed))
            guard seed == 280 else { continue }
            #expect(mesh.proved.contains(returned), "it has been away since before the first of them")
            // The member comes for a moment, and goes again.
            mesh.recordProof(by: returned)
        }
        #expect(mesh.proved.count == EpochLimits.provedMax && mesh.proved.contains(returned))
        #expect(mesh.remembered.contains(returned))
        #expect(mesh.proved.last == TestIdentity.nodeID(seed: 399))
    }
}
