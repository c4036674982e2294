import Dispatch
import Mesh
import NIOCore
import StateStore
import Trust

/// A change of the code at a running node.
extension NodeLoop {
    /// Stores the mesh of a new epoch on another queue. If the write fails, the node still takes the epoch: after the
    /// next start it is given the secret again.
    func store(_ mesh: ClosedMesh) {
        let (options, loop, isGuest) = (options, loop, parts.state.isGuest)
        let epoch = mesh.newestKeys.number
        parts.disk.async {
            let failure = isGuest ? nil : options.meshFile.advance(to: mesh)
            loop.execute {
                if let failure { self.parts.announcer.warn("epoch \(epoch) of the mesh is not kept: \(failure)") }
                if !self.isLeaving { self.feed(.meshStored(epoch: epoch, isDurable: failure == nil)) }
            }
        }
    }
}

extension MeshFile {
    /// Writes the mesh in a new epoch. The code is kept only if it is still the code of the mesh.
    /// - Returns: why nothing was written; nil if the mesh is durable.
    fileprivate func advance(to mesh: ClosedMesh) -> String? {
        do {
            let former = try known()
            let code = former?.codeKey == mesh.codeKey ? former?.code : nil
            guard let stored = StoredMesh(mesh, code: code) else { return "the mesh breaks a bound" }
            try write(stored)
            return nil
        } catch {
            return "\(error)"
        }
    }
}
