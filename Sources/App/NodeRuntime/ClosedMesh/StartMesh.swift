import Primitives
import StateStore

extension RunOptions {
    /// The file with the closed mesh of the node.
    var meshFile: MeshFile<LinuxFileSystem> { MeshFile(folder: meshDirectory ?? stateDirectory) }

    /// The closed mesh in the mesh file, of which the node is a member from its start on; nil if there is none, and
    /// the mesh is open.
    /// - Throws: `MeshFileFault` if the file does not say which mesh is meant.
    func closedMesh() throws(MeshFileFault) -> StoredMesh? {
        guard let stored = try meshFile.known() else { return nil }
        guard !isMeshNamed || mesh == stored.name else { throw .otherName(wanted: mesh, member: stored.name) }
        return stored
    }

    /// The options with the name of the closed mesh in which the node is; as they are in an open one.
    func inside(_ mesh: StoredMesh?) -> RunOptions {
        var options = self
        if let mesh { options.mesh = mesh.name }
        return options
    }
}
