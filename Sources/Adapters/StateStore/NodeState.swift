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

    /// Shows in the state folder which process runs the node, and where its control socket is, for commands that find
    /// no socket. Blocks for the disk.
    ///
    /// - Parameter control: the path of the socket; nil when the node is about to close it.
    package func showNode(at control: String?) { lock?.showNode(at: control) }

    /// The node that runs with this state folder and takes commands; nil if there is none, or if the folder does not
    /// show it. Its process is nil if it is not known to hold the lock of the folder.
    package static func shownNode(in folder: String) -> (process: Int32?, control: String)? {
        StateLock.shownNode(folder: folder)
    }

    /// Where the control socket is of the node that runs with this state folder, or of a killed one; nil if the folder
    /// does not show it.
    package static func shownControl(in folder: String) -> String? { StateLock.shownControl(folder: folder) }

    /// Blocks until all changes are written or lost, and releases the folder: the node has ended, even if its process
    /// has not.
    package func close() {
        database.giveUp()
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

/// Reads key and instance from a locked state folder, and makes what is missing.
package enum StateOpening {
    /// The identity of the node in this start.
    package struct Outcome {
        /// The private Ed25519 key, 32 raw bytes.
        package var key: [UInt8]
        /// Whether the key is only in memory.
        package var isGuest: Bool
        /// Durable, unless the node is a guest.
        package var instance: Instance
        /// Faults of the folder.
        package var warnings: [StateWarning]
    }

    /// Opens a folder that the caller has locked. If the key cannot be read, or key or counter cannot be written, the
    /// node becomes a guest.
    package static func open(
        folder: String, files: some StateFileSystem, unixSeconds: UInt64, newKey: () -> [UInt8]
    ) -> Outcome {
        do {
            return try owner(folder: folder, files: files, unixSeconds: unixSeconds, newKey: newKey)
        } catch {
            return guest(.guest(error), newKey: newKey)
        }
    }

    static func guest(_ warning: StateWarning, newKey: () -> [UInt8]) -> Outcome {
        Outcome(key: newKey(), isGuest: true, instance: first, warnings: [warning])
    }

    private static func owner(
        folder: String, files: some StateFileSystem, unixSeconds: UInt64, newKey: () -> [UInt8]
    ) throws(StateFileError) -> Outcome {
        let identity = IdentityFile(folder: folder, files: files)
        let counter = InstanceCounter(folder: folder, files: files)
        let found = try identity.read()
        let counted = counter.read()
        var warnings: [StateWarning] = []
        let key: [UInt8]
        switch found {
        case .key(let kept):
            key = kept
        case .missing, .damaged:
            key = newKey()
            try identity.write(key, over: found)
            if found == .damaged {
                warnings.append(.identityWasDamaged)
            } else if counted != .missing {
                warnings.append(.identityWasLost)
            }
        }
        let last: UInt64
        switch counted {
        case .instance(let instance):
            last = instance.number
        case .instanceFromOneFile(let instance):
            last = instance.number
            warnings.append(.counterFromOneFile)
        case .missing where key != keptKey(found):
            // A new identity starts at 1.
            last = 0
        case .missing, .damaged:
            last = min(unixSeconds, Instance.max.number - 1)
            warnings.append(.counterWasLost)
        }
        guard let next = Instance(exactly: last + 1) else { return guest(.counterExhausted, newKey: newKey) }
        try counter.write(next)
        return Outcome(key: key, isGuest: false, instance: next, warnings: warnings)
    }

    private static func keptKey<Files>(_ content: IdentityFile<Files>.Content) -> [UInt8]? {
        if case .key(let key) = content { key } else { nil }
    }

    private static let first: Instance = {
        guard let one = Instance(exactly: 1) else { illegal("1", in: "making an instance") }
        return one
    }()
}

/// A fault of the state folder that a start found, and the remedy that it took; shown in `status`.
package enum StateWarning: Hashable, Sendable, CustomStringConvertible {
    /// The folder cannot be used: identity and counter are only in memory.
    case guest(StateFileError)
    /// The counter has its highest value: the node runs as a guest.
    case counterExhausted
    /// The key file was damaged. The node has a new key, so peers see a new node.
    case identityWasDamaged
    /// There is a counter but no key, so a key was lost. Peers see a new node.
    case identityWasLost
    /// One of the two counter files was lost or damaged.
    case counterFromOneFile
    /// The counter was lost. It starts from the wall clock in seconds, which is higher than any number of starts.
    case counterWasLost
    /// The database was damaged and renamed; a new one is used.
    case databaseSetAside
    /// The database file cannot be used; the text is the reason.
    case databaseInMemory(String)

    package var description: String {
        switch self {
        case .guest(let error):
            "running as a guest: \(error); the identity is gone when the node ends"
        case .counterExhausted:
            "running as a guest: the instance counter is used up; remove the state folder for a new identity"
        case .identityWasDamaged:
            "the identity key was damaged and is kept as identity.key.damaged; the others see a new node"
        case .identityWasLost:
            "the identity key was lost; the others see a new node"
        case .counterFromOneFile:
            "one of the two instance files was lost or damaged; the other one was used"
        case .counterWasLost:
            "the instance counter was lost; it goes on from the wall clock"
        case .databaseSetAside:
            "the database was damaged and is kept as partyline.sqlite.damaged; remembered peers and volumes are lost"
        case .databaseInMemory(let why):
            "nothing is remembered for the next start: \(why)"
        }
    }
}
