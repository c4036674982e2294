package import Primitives

/// Identity and instance of this node, from its state folder; made once at the start, before the node sends anything.
///
///     lock ─▶ key ─▶ counter + 1, durable ─▶ owner of the folder
///       │       └────────┴── cannot be written ─▶ guest: identity in memory only
///       └── held by another process ─▶ StateFolderTaken
package final class NodeState: Sendable {
    /// The private Ed25519 key, 32 raw bytes.
    package let key: [UInt8]
    /// Whether the identity is only in memory, and lost when the process ends.
    package let isGuest: Bool
    /// The instance of this start.
    package let instance: Instance
    /// Faults of the state folder, for `status`.
    package let warnings: [StateWarning]
    /// The memory for the next start; that of a guest is lost when the process ends.
    package let database: StateDatabase
    private let folder: String
    private let lock: StateLock?

    /// - Parameters:
    ///   - folder: the state folder; it is made if it does not exist.
    ///   - unixSeconds: the wall clock, in seconds since 1970. A counter that was lost starts again from it.
    ///   - newKey: returns the 32 bytes of a new private key; called if no key can be read.
    /// - Throws: `StateFolderTaken` if another process uses the folder. Any other fault becomes a warning.
    package convenience init(
        folder: String, unixSeconds: UInt64, newKey: () -> [UInt8]
    ) throws(StateFolderTaken) {
        try self.init(folder: folder, files: LinuxFileSystem(), unixSeconds: unixSeconds, newKey: newKey)
    }

    /// As the initializer above, with the file operations `files`.
    /// - Throws: `StateFolderTaken` if another process uses the folder.
    package init(
        folder: String, files: some StateFileSystem, unixSeconds: UInt64, newKey: () -> [UInt8]
    ) throws(StateFolderTaken) {
        var lock: StateLock?
        var outcome: StateOpening.Outcome
        do throws(StateLock.Refusal) {
            do {
                try files.makeFolder(folder)
            } catch {
                throw .system(error)
            }
            lock = try StateLock(folder: folder)
            outcome = StateOpening.open(folder: folder, files: files, unixSeconds: unixSeconds, newKey: newKey)
        } catch {
            switch error {
            case .heldByAnother: throw StateFolderTaken(folder: folder)
            case .system(let error): outcome = StateOpening.guest(.guest(error), newKey: newKey)
            }
        }
        let (database, databaseWarning) = StateDatabase.open(folder: outcome.isGuest ? nil : folder)
        self.folder = folder
        self.lock = lock
        self.database = database
        key = outcome.key
        isGuest = outcome.isGuest
        instance = outcome.instance
        warnings = outcome.warnings + (databaseWarning.map { [$0] } ?? [])
    }

    /// Raises the stored counter to at least `instance`, durably. It is called when the mesh has proved that the
    /// counter was rolled back. A guest has no stored counter. Blocks for the disk, so it must not be called on the
    /// node loop.
    /// - Throws: the error of the file operation that failed.
    package func raise(to instance: Instance) throws(StateFileError) {
        guard !isGuest else { return }
        let counter = InstanceCounter(folder: folder, files: LinuxFileSystem())
        switch counter.read() {
        case .instance(let kept) where instance <= kept: return
        default: try counter.write(max(instance, self.instance))
        }
    }

    /// Blocks until all changes are written, and releases the folder: the node has ended, even if its process has not.
    package func close() {
        database.flush()
        lock?.release()
    }
}

/// Another process uses this state folder.
package struct StateFolderTaken: Error, Hashable, Sendable, CustomStringConvertible {
    package let folder: String

    package var description: String {
        "another node is running with the state folder \(folder); choose another --name (or --state-dir)"
    }
}
