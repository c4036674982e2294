import Dispatch
import Mesh
import NIOCore
import StateStore
import Trust

extension NodeLoop {
    /// Whether this node writes the mesh file. A guest writes nothing, and the node of a programme reads the
    /// file of its main node.
    var keepsMesh: Bool { !parts.state.isGuest && options.meshDirectory == nil }

    /// Stores the mesh of a new epoch, or the nodes that have proved its newest one, on another queue.
    func store(_ mesh: ClosedMesh) {
        let (options, loop, keeps) = (options, loop, keepsMesh)
        let change = codeChange.flatMap { $0.codeKey == mesh.codeKey ? $0 : nil }
        if change != nil { codeChange = nil }
        parts.disk.async {
            let failure = keeps ? options.meshFile.advance(to: mesh, code: change?.code) : nil
            loop.execute {
                self.finishStoring(epoch: mesh.newestKeys.number, of: change, failure: failure)
            }
        }
    }
}

extension MeshFile {
    /// Writes the mesh as it is now.
    /// - Parameter code: the code that a person has just given it; nil keeps the code that is on disk, if it is still
    ///   that of the mesh.
    /// - Returns: why nothing was written; nil if the mesh is durable.
    fileprivate func advance(to mesh: ClosedMesh, code: TypedCode?) -> String? {
        do {
            let former = try knownUnlessDamaged()
            let kept = former?.codeKey == mesh.codeKey ? former?.code : nil
            guard let stored = StoredMesh(mesh, code: code?.typed ?? kept) else { return "the mesh breaks a bound" }
            try write(stored)
            return nil
        } catch {
            return "\(error)"
        }
    }
}
