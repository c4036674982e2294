import Mesh
import Primitives
import Testing
import Wire

@Suite("A node among scripted peers")
struct ScriptedMeshTests {
    @Test("eleven scripted peers link, and stay linked")
    func links() {
        let mesh = ScriptedMesh()
        let peers = (2...12 as ClosedRange<UInt64>).map { mesh.link($0) }
        mesh.pass(.seconds(250))
        #expect(peers.allSatisfy { mesh.peer($0)?.state == .up })
    }
}
