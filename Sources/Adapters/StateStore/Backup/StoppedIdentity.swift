import Primitives

/// The identity in the folder of a node that does not run, while a command replaces or removes it. The folder is locked
/// meanwhile, so no node starts there. The calls block for the disk.
package final class StoppedIdentity<Files: StateFileSystem> {
    private let folder: String
    private let files: Files
    private let lock: StateLock

    /// Locks the folder. Makes the folder if it does not exist.
    /// - Throws: `running` or `system`.
    package init(folder: String, files: Files) throws(IdentityFault) {
        do {
            try files.makeFolder(folder)
        } catch {
            throw .system(error)
        }
        do throws(StateLock.Refusal) {
            lock = try StateLock(folder: folder)
        } catch {
            switch error {
            case .heldByAnother: throw .running(StateFolderTaken(folder: folder))
            case .system(let error): throw .system(error)
            }
        }
        self.folder = folder
        self.files = files
    }

    deinit { lock.release() }

    /// Gives the node the identity of the backup, durably. Its counter goes on above every start that the identity can
    /// have made since the backup. The closed mesh of the folder stays if the backup is of an open mesh, or of an older
    /// epoch of the same mesh: nodes that were left behind know that secret.
    ///
    ///     counter ─▶ mesh ─▶ key
    ///
    /// The key is last: until it is there, the folder has its former identity or none, with a higher counter, and
    /// perhaps with the mesh of the backup.
    /// - Parameter replaces: whether another identity, and another closed mesh, of the folder are given up.
    /// - Returns: the closed mesh in which the node is now; nil if it is in an open one.
    /// - Throws: `hasIdentity`, `otherMesh`, `counterExhausted` or `system`.
    @discardableResult
    package func restore(_ backup: IdentityBackup, replaces: Bool) throws(IdentityFault) -> StoredMesh? {
        let identity = IdentityFile(folder: folder, files: files)
        let found = try content(of: identity)
        if case .key = found, !replaces { throw .hasIdentity }
        let present = try presentMesh()
        var mesh = backup.mesh ?? present
        if let present, let kept = backup.mesh {
            if present.id != kept.id, !replaces { throw .otherMesh }
            if present.id == kept.id, kept.newest.number <= present.newest.number { mesh = present }
        }
        let counter = InstanceCounter(folder: folder, files: files)
        let last = max(backup.instance, counter.read().known ?? backup.instance)
        guard let ahead = Instance(exactly: last.number + StateLimits.startsSinceBackupMax) else {
            throw .counterExhausted
        }
        do throws(StateFileError) {
            try counter.write(ahead)
            if let mesh, mesh != present { try MeshFile(folder: folder, files: files).write(mesh) }
            try identity.write(backup.key, over: found)
        } catch {
            throw .system(error)
        }
        return mesh
    }

    /// The closed mesh of the folder; nil if there is none, or if its file is damaged.
    private func presentMesh() throws(IdentityFault) -> StoredMesh? {
        do {
            if case .mesh(let mesh) = try MeshFile(folder: folder, files: files).read() { return mesh }
        } catch {
            throw .system(error)
        }
        return nil
    }

    /// Removes key and counter, durably: the next start makes a new identity. The closed mesh stays.
    /// - Throws: `nothingToKeep` or `system`.
    package func reset() throws(IdentityFault) {
        if try content(of: IdentityFile(folder: folder, files: files)) == .missing { throw .nothingToKeep }
        do throws(StateFileError) {
            try files.removeDamaged(folder, IdentityFile<Files>.name)
            // A start after a crash between these steps makes a new key, and goes on with the counter.
            for name in [IdentityFile<Files>.name] + InstanceCounter<Files>.names {
                try files.removeDurably(folder, name)
            }
        } catch {
            throw .system(error)
        }
    }

    private func content(of identity: IdentityFile<Files>) throws(IdentityFault) -> IdentityFile<Files>.Content {
        do {
            return try identity.read()
        } catch {
            throw .system(error)
        }
    }
}

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
