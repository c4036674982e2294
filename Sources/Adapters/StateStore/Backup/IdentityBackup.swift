import Glibc
package import Primitives

/// The parts of a state folder by which peers know the node, in one file.
///
/// The file is a `StateRecord`: key 32 | instance, 48 bits | payload of the mesh file, none in an open mesh. Volumes
/// and remembered peers are not in it.
package struct IdentityBackup: Hashable, Sendable {
    /// The private Ed25519 key, 32 raw bytes.
    package let key: [UInt8]
    /// The last instance that is known to be used.
    package let instance: Instance
    /// The closed mesh of the node; nil if it is in an open one.
    package let mesh: StoredMesh?

    /// The largest file.
    package static var bytesMax: Int { StateRecord.overheadBytes + payloadByteCounts.upperBound }

    private static var partByteCount: Int { IdentityFile<LinuxFileSystem>.keyByteCount + Instance.byteCount }
    private static var payloadByteCounts: ClosedRange<Int> {
        partByteCount...(partByteCount + StoredMesh.payloadByteCounts.upperBound)
    }

    /// Reads the folder of a node, which may run meanwhile.
    /// - Throws: `nothingToKeep`, `damaged` or `system`.
    package init(of folder: String) throws(IdentityFault) {
        let identity: IdentityFile<LinuxFileSystem>.Content
        let mesh: StoredMesh.Reading
        let file = MeshFile(folder: folder)
        do {
            identity = try IdentityFile(folder: folder, files: LinuxFileSystem()).read()
            mesh = try file.read()
        } catch {
            throw .system(error)
        }
        switch identity {
        case .key(let key): self.key = key
        case .missing: throw .nothingToKeep
        case .damaged: throw .damaged("\(folder)/\(IdentityFile<LinuxFileSystem>.name)")
        }
        switch mesh {
        case .mesh(let mesh): self.mesh = mesh
        case .missing: self.mesh = nil
        case .damaged: throw .damaged(file.path)
        }
        // The restored counter would begin anew, and peers would take its starts for old ones.
        guard let instance = InstanceCounter(folder: folder, files: LinuxFileSystem()).read().known else {
            throw .damaged("\(folder)/instance")
        }
        self.instance = instance
    }

    /// Reads a backup file. If other users can read the file, their permissions are removed.
    /// - Throws: `noBackup` or `system`.
    package init(path: String) throws(IdentityFault) {
        let bytes: [UInt8]?
        do {
            bytes = try LinuxFileSystem().read(path, bytesMax: Self.bytesMax)
        } catch  where error.errorNumber == EFBIG {
            throw .noBackup(path)
        } catch {
            throw .system(error)
        }
        guard let bytes else { throw .system(StateFileError("read", path, ENOENT)) }
        guard let backup = IdentityBackup(bytes: bytes) else { throw .noBackup(path) }
        self = backup
    }

    /// Reads the content of a backup. Nil if the bytes are no backup, or are damaged.
    package init?(bytes: [UInt8]) {
        guard let payload = StateRecord.payload(.backup, count: Self.payloadByteCounts, of: bytes) else { return nil }
        let keyByteCount = IdentityFile<LinuxFileSystem>.keyByteCount
        guard let instance = Instance(bigEndian: payload[keyByteCount..<Self.partByteCount]) else { return nil }
        let meshPayload = Array(payload[Self.partByteCount...])
        mesh = meshPayload.isEmpty ? nil : StoredMesh(payload: meshPayload)
        guard meshPayload.isEmpty || mesh != nil else { return nil }
        key = Array(payload[..<keyByteCount])
        self.instance = instance
    }

    /// Writes a new file of mode 0600. Durable when it returns. If it fails, it removes the file, except after a failed
    /// sync of the folder.
    /// - Throws: `system`, also if there is a file at `path`.
    package func write(_ path: String) throws(IdentityFault) {
        let files = LinuxFileSystem()
        do throws(StateFileError) {
            try files.writeNew(path, bytes)
        } catch {
            // If the first operation succeeded, this call has made the incomplete file.
            if error.operation != "create" { unlink(path) }
            throw .system(error)
        }
        do {
            try files.syncFolder(path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".")
        } catch {
            throw .system(error)
        }
    }

    /// The content of the file. It holds secrets.
    package var bytes: [UInt8] {
        StateRecord.encoded(.backup, key + instance.bigEndianBytes + (mesh?.payload ?? []))
    }
}

extension IdentityBackup: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "backup at instance \(instance.number) (hidden)" }
    package var debugDescription: String { description }
    /// Without the key, which `dump` would print otherwise.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
