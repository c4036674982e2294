import Glibc

/// The file with the closed mesh of this node: a `StateRecord` in the state folder, mode 0600.
///
/// Reading and writing block for the disk, so the node loop must not call them. A writer holds the lock of the folder.
package struct MeshFile<Files: StateFileSystem> {
    static var name: String { "mesh" }

    private let folder: String
    private let files: Files

    package init(folder: String, files: Files) {
        self.folder = folder
        self.files = files
    }

    /// The whole path of the file.
    package var path: String { "\(folder)/\(Self.name)" }

    /// - Throws: `StateFileError` if the file cannot be read now, but may be intact.
    package func read() throws(StateFileError) -> StoredMesh.Reading {
        let bytes: [UInt8]?
        do {
            bytes = try files.read(path, bytesMax: StateLimits.meshFileBytesMax)
        } catch  where StateLimits.damageErrorNumbers.contains(error.errorNumber) {
            return .damaged
        } catch  where error.errorNumber == ENOTDIR {
            return .missing
        }
        guard let bytes else { return .missing }
        let payload = StateRecord.payload(.mesh, count: StoredMesh.payloadByteCounts, of: bytes)
        return payload.flatMap { StoredMesh(payload: $0) }.map { .mesh($0) } ?? .damaged
    }

    /// Stores the mesh, and returns when it is durable. A damaged file is kept beside it, and is in its place until the
    /// new file is: without any file the node would start in an open mesh.
    /// - Parameter keepsDamaged: false to keep no damaged file, not even an earlier one: most of a secret may be in it.
    /// - Throws: the error of the file operation that failed.
    package func write(_ mesh: StoredMesh, keepsDamaged: Bool = true) throws(StateFileError) {
        let isDamaged = try keepsDamaged ? read() == .damaged : false
        if !keepsDamaged { try files.removeDamaged(folder, Self.name) }
        try files.replaceDurably(
            folder, Self.name, with: StateRecord.encoded(.mesh, mesh.payload), keepsOld: isDamaged)
    }

    /// Removes the mesh and a damaged file that was kept, and returns when that is durable. It is no error if there is
    /// none.
    /// - Throws: the error of the file operation that failed.
    package func remove() throws(StateFileError) {
        try files.removeDamaged(folder, Self.name)
        try files.removeDurably(folder, Self.name)
    }
}

extension MeshFile<LinuxFileSystem> {
    package init(folder: String) { self.init(folder: folder, files: LinuxFileSystem()) }
}
