import Primitives
import StateStore

extension RunOptions {
    /// The file with the closed mesh of the node.
    var meshFile: MeshFile<LinuxFileSystem> { MeshFile(folder: meshDirectory ?? stateDirectory) }

    /// The closed mesh in the mesh file, of which the node is a member from its start on; nil if there is none, and
    /// the mesh is open.
    /// - Throws: `MeshFileFault` if the file does not say which mesh is meant, or is missing although the settings name
    ///   a code file: another command can have left the mesh after this node entered it.
    func closedMesh() throws(MeshFileFault) -> StoredMesh? {
        guard let stored = try meshFile.known() else {
            if let codeFile { throw .notEntered(codeFile: codeFile) }
            return nil
        }
        if case .option = meshPlace, mesh != stored.name { throw .otherName(wanted: mesh, member: stored.name) }
        return stored
    }

    /// The warning if a file of settings names another mesh than the closed one in which the node is; nil if none does.
    /// The name in the file does not count then.
    package func overruledName(in member: String) -> String? {
        guard case .file(let path, let line) = meshPlace, mesh != member else { return nil }
        let place = SafeText.inSentence(path + (line.map { ":\($0)" } ?? ""))
        return "\(place) names the mesh \(MeshAccess.shown(mesh)), which does not count: this node is in the closed "
            + "mesh \(MeshAccess.shown(member))"
    }

    /// The options with the name of the closed mesh in which the node is; as they are in an open one.
    func inside(_ mesh: StoredMesh?) -> RunOptions {
        guard let mesh else { return self }
        var options = self
        options.mesh = mesh.name
        return options
    }
}
