package import Primitives

/// Who this node is, as its state folder says; made once at the start, before anything is sent.
///
///     lock ─▶ key ─▶ counter + 1, durable ─▶ owner of the folder
///       │       └────────┴── cannot be written ─▶ guest: identity in memory
///       └── held by another process ─▶ StateFolderTaken
package final class NodeState: Sendable {
    /// The Ed25519 key, 32 raw bytes.
    package let key: [UInt8]
    /// The identity lives in memory alone, and is gone with the process.
    package let isGuest: Bool
    /// This start's instance.
    package let instance: Instance
    /// What `status` shows.
    package let warnings: [StateWarning]
    /// What is remembered for the next start; in memory for a guest.
    package let database: StateDatabase
    private let folder: String
    private let lock: StateLock?

    /// - Parameters:
    ///   - folder: the state folder itself; made where it is missing.
    ///   - unixSeconds: the wall clock, for a counter of which nothing is left.
    ///   - newKey: makes 32 bytes of a new private key; called where there is none to be read.
    /// - Throws: `StateFolderTaken` and nothing else; whatever else is wrong becomes a warning.
    package convenience init(
        folder: String, unixSeconds: UInt64, newKey: () -> [UInt8]
    ) throws(StateFolderTaken) {
        try self.init(folder: folder, files: LinuxFileSystem(), unixSeconds: unixSeconds, newKey: newKey)
    }

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

    /// Makes the counter at least `instance`, durably, after the mesh has proved that it was
    /// rolled back. A guest has nothing to raise. Blocks for the disk: not on the node loop.
    package func raise(to instance: Instance) throws(StateFileError) {
        guard !isGuest else { return }
        let counter = InstanceCounter(folder: folder, files: LinuxFileSystem())
        switch counter.read() {
        case .instance(let kept) where instance <= kept: return
        default: try counter.write(max(instance, self.instance))
        }
    }

    /// Waits until what is remembered is written, and lets the folder go: the node has ended, though
    /// its process may go on.
    package func close() {
        database.flush()
        lock?.release()
    }
}

/// Another process runs with this state folder.
package struct StateFolderTaken: Error, Hashable, Sendable, CustomStringConvertible {
    /// The folder that is held.
    package let folder: String

    package var description: String {
        "another node is running with the state folder \(folder); choose another --name (or --state-dir)"
    }
}
