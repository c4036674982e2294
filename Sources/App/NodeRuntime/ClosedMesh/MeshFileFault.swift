import Primitives
package import StateStore

/// Why a node does not start, or a command does not go on: the mesh file does not say clearly which mesh is meant.
package enum MeshFileFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file is damaged. The node was a member of a closed mesh, and must not start in an open one instead.
    case damaged(path: String)
    /// The file cannot be read now.
    case unreadable(StateFileError)
    /// `--mesh` names another mesh.
    case otherName(wanted: String, member: String)
    /// The settings name a code file, and the node is in no closed mesh.
    case notEntered(codeFile: String)

    package var description: String {
        switch self {
        case .damaged(let path):
            """
            the mesh file \(path) is damaged, so it is not known in which closed mesh this node is, and no node starts \
            with it. Enter the mesh again with its code: `partyline enter`. To leave it for an open mesh: \
            `partyline init --open`
            """
        case .unreadable(let error):
            "it is not known whether this node is in a closed mesh, and no node starts until it is: \(error)"
        case .notEntered(let file):
            """
            the node does not start in an open mesh: the settings name the code file \(SafeText(file)), and the node \
            is in no closed mesh
            """
        case .otherName(let wanted, let member):
            """
            this node is in the closed mesh \(SafeText(member)), so it cannot start in the mesh \(SafeText(wanted)); \
            leave out --mesh, use another --name for a second node, or leave the closed mesh: \
            `partyline init --open`
            """
        }
    }
}

extension MeshFile {
    /// The mesh of the file; nil if there is no file.
    /// - Throws: `damaged` or `unreadable`.
    func known() throws(MeshFileFault) -> StoredMesh? {
        let content: StoredMesh.Reading
        do {
            content = try read()
        } catch {
            throw .unreadable(error)
        }
        switch content {
        case .mesh(let mesh) where mesh.hasSoundEntry: return mesh
        case .missing: return nil
        case .mesh, .damaged: throw .damaged(path: path)
        }
    }

    /// The mesh of the file; nil if there is no file, or if it is damaged.
    /// - Throws: `unreadable`.
    func knownUnlessDamaged() throws(MeshFileFault) -> StoredMesh? {
        do throws(MeshFileFault) {
            return try known()
        } catch {
            guard case .damaged = error else { throw error }
            return nil
        }
    }
}
