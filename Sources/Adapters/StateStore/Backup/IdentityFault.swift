/// Why an identity was not kept, restored or removed. Nothing was changed, except perhaps by a `system` fault.
package enum IdentityFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// A node runs with this folder.
    case running(StateFolderTaken)
    /// The folder has no identity.
    case nothingToKeep
    /// The folder has an identity already.
    case hasIdentity
    /// The folder is that of a member of another closed mesh.
    case otherMesh
    /// A file of the folder is damaged.
    case damaged(_ path: String)
    /// The file is no backup, or is damaged.
    case noBackup(_ path: String)
    /// The counter has no room for the starts since the backup.
    case counterExhausted
    /// The system refused an operation.
    case system(StateFileError)

    package var description: String {
        switch self {
        case .running(let taken):
            "a node is running with the state folder \(taken.folder); stop it first: `partyline stop`"
        case .nothingToKeep: "there is no identity in the state folder; the first `partyline run` makes one"
        case .hasIdentity:
            "the state folder has an identity already (`partyline id`); --replace gives it up for that of the backup"
        case .otherMesh: "this node is in another closed mesh than the backup; --replace gives up the mesh of this node"
        case .damaged(let path): "\(path) is damaged"
        case .noBackup(let path): "\(path) is no backup of an identity, or it is damaged"
        case .counterExhausted: "the instance counter of the backup is used up"
        case .system(let error): "\(error)"
        }
    }
}
