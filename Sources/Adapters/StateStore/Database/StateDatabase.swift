import Dispatch
import GRDB
import Glibc
import Handover
package import Primitives
import Synchronization

/// The memory of a node for its next start: an SQLite database on a queue of its own.
///
/// A call that changes something returns at once; the changes are written in order. If the disk hangs, only the queue
/// waits, and `settle` for a while. If the disk refuses a change, it counts as lost, and is tried again later.
package final class StateDatabase: Sendable {
    private struct Change: Sendable {
        let number: UInt64
        let isOfPerson: Bool
        /// The most changes that may wait when it is asked for.
        let places: UInt64
        let body: @Sendable (Database) throws -> Void
    }

    static let fileName = "partyline.sqlite"

    /// Whether the content is kept for the next start.
    package let isKept: Bool
    /// Why the file of the database cannot be used, for people; nil if it is used, and for a guest, which has none.
    package let fault: String?
    private let connection: DatabaseQueue
    /// The contents of the database when it was opened.
    package let atOpening: Remembered
    private let queue = DispatchQueue(label: "partyline.state")
    /// It never waits for the disk.
    private let clock = DispatchQueue(label: "partyline.state.clock")
    private let counts = Mutex(StateChanges())
    /// Changes that the disk refused, in order. Used on `queue` only.
    private let refused = Mutex<[Change]>([])
    /// Whether `clock` will try the refused changes again. Used on `queue` only.
    private let isTryPlanned = Atomic(false)
    /// Whether a person has ordered the changes that are asked for now.
    private let isOfPerson = Atomic(false)

    private init(
        _ connection: DatabaseQueue, holding atOpening: Remembered = Remembered(), isKept: Bool, fault: String? = nil
    ) {
        (self.connection, self.atOpening, self.isKept, self.fault) = (connection, atOpening, isKept, fault)
    }

    /// Opens the database of a state folder. Uses a database in memory if `folder` is nil, or if the file can be
    /// neither read nor replaced. Blocks.
    static func open(folder: String?) -> (StateDatabase, StateWarning?) {
        guard let folder else { return (StateDatabase(inMemory(), isKept: false), nil) }
        let path = "\(folder)/\(fileName)"
        do {
            return (try kept(at: path), nil)
        } catch let error as DatabaseError where isDamage(error) {
            do {
                try setAside(folder)
                return (try kept(at: path), .databaseSetAside)
            } catch {
                return unusable(error)
            }
        } catch {
            return unusable(error)
        }
    }

    private static func unusable(_ error: any Error) -> (StateDatabase, StateWarning?) {
        let why = words(of: error)
        return (StateDatabase(inMemory(), isKept: false, fault: why), .databaseInMemory(why))
    }

    /// Opens the file, and reads its contents. A file that opens but cannot be read must not count as empty: the next
    /// changes would replace its contents.
    private static func kept(at path: String) throws -> StateDatabase {
        let connection = try opened(path)
        return StateDatabase(connection, holding: try connection.read(RememberedRows.load), isKept: true)
    }

    /// Returns everything as it is now. Blocks, so it must not be called on the node loop.
    /// - Throws: `UnreadableDatabase`; earlier contents must not pass for those of now.
    package func load() throws(UnreadableDatabase) -> Remembered {
        do {
            return try connection.read(RememberedRows.load)
        } catch {
            throw UnreadableDatabase(why: StateDatabase.words(of: error))
        }
    }

    /// Stores a peer to dial at the next start.
    package func remember(_ peer: KnownPeer) { change { try RememberedRows.save(peer, in: $0) } }
    /// Forgets a peer to dial at the next start.
    package func forgetPeer(_ node: NodeID) { change { try RememberedRows.forget(peer: node, in: $0) } }
    /// Stores the user's settings for a peer.
    package func remember(_ preference: PeerPreference) { change { try RememberedRows.save(preference, in: $0) } }
    /// Stores a known key.
    package func remember(_ key: KnownKey) { change { try KnownKeyRows.save(key, in: $0) } }
    /// Forgets a known key.
    package func forgetKey(of node: NodeID) { change { try KnownKeyRows.forget(node, in: $0) } }
    /// Stores the entry of a channel in the directory, in place of an earlier one.
    package func remember(entry: [UInt8], of channel: ChannelID) {
        change { try RememberedRows.save(entry, of: channel, in: $0) }
    }
    /// Forgets the entries of channels in the directory.
    package func forgetEntries(of channels: [ChannelID]) {
        change { database in
            for channel in channels { try RememberedRows.forget(channel, in: database) }
        }
    }
    /// Stores whether the user wants to see a channel.
    package func remember(isHidden: Bool, _ channel: ChannelID) {
        change { try RememberedRows.setHidden(isHidden, channel, in: $0) }
    }
    /// Stores all joined channels for the next start, and in the same transaction the change of a channel's code.
    package func remember(joined channels: [RememberedChannel], with code: ChannelCodeChange? = nil) {
        change { database in
            try JoinedChannelRows.save(channels, in: database)
            switch code {
            case .keep(let code): try ChannelCodeRows.save(code, in: database)
            case .forget(let channel): try ChannelCodeRows.forget(channel, in: database)
            case nil: break
            }
        }
    }
    /// Stores how the node introduces itself: words by field. Other fields stay as they are.
    package func remember(profile: [String: String]) { change { try RememberedRows.save(profile: profile, in: $0) } }
    /// Stores the port for the next start.
    package func remember(port: UInt16) { change { try RememberedRows.save("port", "\(port)", in: $0) } }

    /// Stores the device that a person chose, for the next start.
    /// - Parameter side: `input` or `output`.
    package func remember(device: String, as side: String) { change { try RememberedRows.save(side, device, in: $0) } }

    /// Tries again to write the changes that the disk refused. While there are some, this is done every minute, and
    /// before each further change.
    package func writeAgain() {
        queue.async {
            self.isTryPlanned.store(false, ordering: .relaxed)
            self.write(nil)
        }
    }

    /// Tries a last time to write the changes that the disk refused, and gives up the others: the state folder may
    /// belong to another node afterwards, whose changes are newer. Blocks until each earlier change is written or lost.
    package func giveUp() {
        queue.sync {
            write(nil)
            refused.withLock { $0 = [] }
        }
    }

    /// Blocks until each earlier change is written or lost.
    package func flush() { queue.sync {} }

    /// Waits until every earlier change is written or lost.
    /// - Returns: false if the disk has not answered for `StateLimits.settlingSecondsMax`.
    package func settle() async -> Bool {
        await withCheckedContinuation { continuation in
            let settled = FirstAnswer(continuation)
            queue.async { settled.give(true) }
            clock.asyncAfter(deadline: .now() + .seconds(StateLimits.settlingSecondsMax)) { settled.give(false) }
        }
    }

    /// Runs `body`. A person has ordered the changes for which it asks, so they have places of their own: the changes
    /// that peers cause cannot take these. Call it on the thread that asks for all changes.
    /// - Returns: the result of `body`, and the number of its first change; nil if it has asked for none.
    package func changesOfPerson<Value>(_ body: () -> Value) -> (value: Value, first: UInt64?) {
        let before = changes.asked
        isOfPerson.store(true, ordering: .relaxed)
        let value = body()
        isOfPerson.store(false, ordering: .relaxed)
        return (value, changes.asked == before ? nil : before + 1)
    }

    /// The changes of this run.
    package var changes: StateChanges { counts.withLock { $0 } }

    private func change(_ body: @escaping @Sendable (Database) throws -> Void) {
        let isOfPerson = isOfPerson.load(ordering: .relaxed)
        let places = StateLimits.changesWaitingMax + (isOfPerson ? StateLimits.changesOfPersonMax : 0)
        let (number, isAccepted) = counts.withLock { counts in
            counts.asked += 1
            let isAccepted = counts.waiting <= places
            if !isAccepted {
                counts.lose(counts.asked, StateChanges.tooMany, isOfPerson: isOfPerson)
            }
            return (counts.asked, isAccepted)
        }
        guard isAccepted else { return }
        let change = Change(number: number, isOfPerson: isOfPerson, places: places, body: body)
        queue.async { self.write(change) }
    }

    /// Writes the changes that the disk refused before, and then the latest one, since a later change may replace an
    /// earlier one. Called on `queue`.
    private func write(_ latest: Change?) {
        var left = refused.withLock { $0 } + [latest].compactMap { $0 }
        writing: while let change = left.first {
            let isLatest = change.number == latest?.number
            do {
                try connection.write(change.body)
                counts.withLock { counts in
                    if isLatest { counts.written += 1 }
                    counts.lastWritten = change.number
                }
            } catch let error where StateDatabase.isPassing(error) {
                guard let latest else { break writing }
                let mayWait = UInt64(left.count) <= latest.places
                let why = mayWait ? StateDatabase.words(of: error) : StateChanges.tooMany
                counts.withLock { $0.lose(latest.number, why, isOfPerson: latest.isOfPerson) }
                if !mayWait { left.removeLast() }
                break writing
            } catch {
                // No later try can mend this. An earlier change counts as lost already.
                let why = StateDatabase.words(of: error)
                if isLatest { counts.withLock { $0.lose(change.number, why, isOfPerson: change.isOfPerson) } }
            }
            left.removeFirst()
        }
        let kept = left
        refused.withLock { $0 = kept }
        guard !kept.isEmpty, !isTryPlanned.exchange(true, ordering: .relaxed) else { return }
        clock.asyncAfter(deadline: .now() + .seconds(StateLimits.writingAgainSeconds)) { [weak self] in
            self?.writeAgain()
        }
    }
}

/// The database cannot be read any more.
package struct UnreadableDatabase: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, for people.
    package let why: String

    package var description: String { "what was kept before cannot be read: \(why)" }
}

/// Changes for the next start, which a run has asked the database to write. They are numbered from 1.
package struct StateChanges: Hashable, Sendable {
    /// A change that did not reach the disk.
    package struct Lost: Hashable, Sendable {
        package let number: UInt64
        /// The reason, for people.
        package let why: String
    }

    package internal(set) var asked: UInt64 = 0
    /// Changes that were written when they were asked for.
    package internal(set) var written: UInt64 = 0
    /// The number of the change that was written last; 0 if none was.
    package internal(set) var lastWritten: UInt64 = 0
    /// Changes that did not reach the disk when they were asked for. Those that the disk refused may reach it later.
    package internal(set) var lost: UInt64 = 0
    /// The lost change with the highest number; nil if there is none.
    package internal(set) var lastLost: Lost?
    /// As `lastLost`, of the changes that a person has ordered (`StateDatabase.changesOfPerson`).
    package internal(set) var lastLostOfPerson: Lost?

    /// Changes that wait for the disk.
    package var waiting: UInt64 { asked - written - lost }

    static let tooMany = "too many changes wait for the disk"

    mutating func lose(_ number: UInt64, _ why: String, isOfPerson: Bool) {
        lost += 1
        let loss = Lost(number: number, why: why)
        if lastLost.map({ $0.number < number }) ?? true { lastLost = loss }
        if isOfPerson, lastLostOfPerson.map({ $0.number < number }) ?? true { lastLostOfPerson = loss }
    }

    /// Why changes do not reach the disk now, for people; nil if none was lost, or if the last of them, or a later one,
    /// was written.
    package var trouble: String? {
        guard let lastLost, lastWritten < lastLost.number else { return nil }
        return lastLost.why
    }
}

// MARK: - Opening

extension StateDatabase {
    private struct NewerSchema: Error, CustomStringConvertible {
        let description = "\(StateDatabase.fileName) was made by a newer version and is left alone"
    }

    private static func opened(_ path: String) throws -> DatabaseQueue {
        closeToOthers(path)
        var configuration = Configuration()
        configuration.busyMode = .timeout(2)
        // A change ends by the deletion of its journal. Without EXTRA a loss of power may bring the journal back, and
        // it takes back a change that was acknowledged.
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = EXTRA") }
        let connection = try DatabaseQueue(path: path, configuration: configuration)
        let verdict = try connection.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
        guard verdict == "ok" else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
        let migrator = StateSchema.migrator
        if try connection.read(migrator.hasBeenSuperseded) { throw NewerSchema() }
        try migrator.migrate(connection)
        return connection
    }

    /// Makes an empty file, which SQLite takes for an empty database, with mode 0600 instead of that of the umask. This
    /// happens before SQLite opens the file, because closing it would release SQLite's locks (fcntl(2)).
    private static func closeToOthers(_ path: String) {
        let descriptor = Glibc.open(path, O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
        // If this fails, SQLite says why.
        guard 0 <= descriptor else { return }
        fchmod(descriptor, 0o600)
        close(descriptor)
    }

    private static func inMemory() -> DatabaseQueue {
        do {
            let connection = try DatabaseQueue()
            try StateSchema.migrator.migrate(connection)
            return connection
        } catch {
            illegal("\(error)", in: "making an empty database in memory")
        }
    }

    /// The reason in plain words, for people. SQLite does not tell a full quota or a limit on the size of files from a
    /// disk that fails.
    private static func words(of error: any Error) -> String {
        guard let error = error as? DatabaseError else { return "\(error)" }
        return switch error.resultCode {
        case .SQLITE_FULL: "the disk is full"
        case .SQLITE_IOERR: "the disk fails, or a limit keeps \(fileName) from growing (I/O error)"
        case .SQLITE_READONLY, .SQLITE_PERM: "\(fileName) cannot be written"
        case .SQLITE_CANTOPEN: "\(fileName), or a file beside it, cannot be opened"
        case .SQLITE_BUSY, .SQLITE_LOCKED: "another program uses \(fileName)"
        default: error.message ?? "\(error.resultCode)"
        }
    }

    /// Whether the disk may take later what it refused with this error, as when it has room again.
    private static func isPassing(_ error: any Error) -> Bool {
        guard let code = (error as? DatabaseError)?.resultCode else { return false }
        let passing: [ResultCode] = [
            .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN, .SQLITE_BUSY, .SQLITE_LOCKED,
        ]
        return passing.contains(code)
    }

    private static func isDamage(_ error: DatabaseError) -> Bool {
        [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR].contains(error.resultCode)
    }

    private static func setAside(_ folder: String) throws {
        let files = LinuxFileSystem()
        try files.setAside(folder, fileName)
        // These files belong to the damaged database: SQLite would replay them into the new one.
        for suffix in ["-journal", "-wal", "-shm"] { try files.remove("\(folder)/\(fileName)\(suffix)") }
    }
}
