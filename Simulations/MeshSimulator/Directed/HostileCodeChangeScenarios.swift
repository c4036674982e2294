import Mesh
import Primitives
import Trust
import Wire

/// Two members send one node sixteen epochs in less than a second, each of which follows the one before. That node uses
/// a few of them and then the last one, and so do the others. No link ends by it.
package struct HurriedMakersEndNoLink: DirectedScenario {
    package init() {}
    package static let promises = "I22"
    package var nodeCount: Int { 4 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        let mesh = stage.crew(4, present: [0, 1, 2, 3])
        let last = 1 + 2 * UInt32(MeshLimits.epochsBurst)
        stage.advance(.seconds(3))
        for number in 2...last {
            world.sendEpoch(number, of: mesh.id, by: 2 + Int(number % 2), to: 0)
            stage.needClique([0, 1], for: .milliseconds(50))
        }
        stage.needClique([0, 1], for: .seconds(20))
        stage.require(world.shareEpoch(last, [0, 1]), "the last epoch is not in use")
    }
}

extension World {
    /// Sends an epoch, in which all nodes stay, on the maker's carrier to one peer. The maker does not use it itself.
    fileprivate func sendEpoch(_ number: UInt32, of mesh: MeshID, by maker: Int, to peer: Int) {
        let own = options.sealing(nodes[maker].identity, 0)
        let bytes = [UInt8](repeating: UInt8(number), count: EpochSecret.byteCount)
        guard let secret = EpochSecret(number: number, bytes: bytes) else { return }
        let entry = EpochEntry(
            mesh: mesh, number: number, secretHash: secret.hash(with: own),
            codeHash: secret.codeHash(of: nil, with: own), maker: own.publicKey,
            stay: network.hosts.map(\.node).sorted(), left: [])
        let signed = SignedEpochEntry(signing: entry, with: own)
        tell(.epoch(EpochGrant(entry: signed, secret: bytes, codeKey: nil)), from: maker, to: peer)
    }
}
