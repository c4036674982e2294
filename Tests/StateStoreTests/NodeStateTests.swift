import Foundation
import Glibc
import Primitives
import StateStore
import Testing

@Suite("Node state")
struct NodeStateTests {
    private static let firstKey = [UInt8](repeating: 7, count: 32)
    private static let otherKey = [UInt8](repeating: 9, count: 32)

    private func start(_ folder: TestFolder, key: [UInt8] = firstKey) throws -> NodeState {
        try NodeState(folder: folder.path, unixSeconds: 1_800_000_000) { key }
    }

    @Test("the first start makes a key and counts one; later starts keep the key and count on")
    func starts() throws {
        let folder = TestFolder()
        for count in 1...4 {
            let state = try start(folder, key: count == 1 ? Self.firstKey : Self.otherKey)
            #expect(state.key == Self.firstKey)
            #expect(state.instance.number == UInt64(count))
            #expect(state.warnings.isEmpty)
            #expect(!state.isGuest)
        }
    }

    @Test("folder and files are the owner's alone, also where they were not before")
    func modes() throws {
        let folder = TestFolder()
        _ = try start(folder)
        #expect(folder.mode("") == 0o700)
        for name in ["identity.key", "instance", "instance.bak", "lock", "partyline.sqlite"] {
            #expect(folder.mode(name) == 0o600)
        }
        chmod("\(folder.path)/identity.key", 0o644)
        chmod(folder.path, 0o755)
        _ = try start(folder)
        #expect(folder.mode("") == 0o700)
        #expect(folder.mode("identity.key") == 0o600)
    }

    @Test("the reason is that of the first folder that cannot be made", .enabled(if: geteuid() != 0, "root may write"))
    func notPermitted() throws {
        let folder = TestFolder()
        try LinuxFileSystem().makeFolder(folder.path)
        defer { chmod(folder.path, 0o700) }
        #expect(chmod(folder.path, 0o500) == 0)
        #expect(throws: StateFileError("make the folder", "\(folder.path)/a", EACCES)) {
            try LinuxFileSystem().makeFolder("\(folder.path)/a/b/c")
        }
    }

    @Test(
        "each file that a start needs and may not use is named before the start, and nothing is changed",
        .enabled(if: geteuid() != 0, "root may read"))
    func closedFiles() throws {
        let folder = TestFolder()
        _ = try start(folder)
        let files = [
            ("identity.key", "read"), ("instance", "read"), ("instance.bak", "read"), ("lock", "write"),
            ("partyline.sqlite", "write"),
        ]
        for (name, operation) in files {
            let path = "\(folder.path)/\(name)"
            #expect(chmod(path, 0) == 0)
            #expect(NodeState.refusedFile(in: folder.path) == StateFileError(operation, path, EACCES))
            #expect(folder.mode(name) == 0)
            #expect(chmod(path, operation == "read" ? 0o400 : 0o600) == 0)
        }
        #expect(NodeState.refusedFile(in: folder.path) == nil)
    }

    @Test("no file is closed in a folder that a node has used, in an empty one, and where there is none")
    func openFiles() throws {
        let folder = TestFolder()
        #expect(NodeState.refusedFile(in: folder.path) == nil)
        try LinuxFileSystem().makeFolder(folder.path)
        #expect(NodeState.refusedFile(in: folder.path) == nil)
        _ = try start(folder)
        #expect(NodeState.refusedFile(in: folder.path) == nil)
    }

    @Test("each folder in which a new one is made is named, so that it is synced: the new name must outlive the power")
    func newNames() throws {
        let folder = TestFolder()
        let files = LinuxFileSystem()
        try files.makeFolder(folder.path)
        #expect(
            try files.makeMissingFolders("\(folder.path)/a/b/c")
                == [folder.path, "\(folder.path)/a", "\(folder.path)/a/b"])
        #expect(try files.makeMissingFolders("\(folder.path)/a/b/c").isEmpty)
        #expect(try files.makeMissingFolders("\(folder.path)/a/d") == ["\(folder.path)/a"])
    }

    @Test("a second node with the same folder is told to take another name")
    func lockedTwice() throws {
        let folder = TestFolder()
        let first = try start(folder)
        let error = #expect(throws: StateFolderTaken.self) { try start(folder) }
        #expect(error?.description.contains("--name") == true)
        withExtendedLifetime(first) {}
    }

    @Test("a lock is free again when its node has ended")
    func lockReleased() throws {
        let folder = TestFolder()
        do { _ = try start(folder) }
        #expect(try start(folder).instance.number == 2)
    }

    @Test("a folder shows its node from the order until the end; the words that a killed one has left do not count")
    func shownNode() throws {
        let folder = TestFolder()
        #expect(NodeState.shownNode(in: folder.path)?.control == nil, "there is no folder")
        let state = try start(folder)
        #expect(NodeState.shownNode(in: folder.path)?.control == nil)
        state.showNode(at: "/run/a.sock")
        #expect(NodeState.shownNode(in: folder.path)?.process == getpid())
        #expect(NodeState.shownNode(in: folder.path)?.control == "/run/a.sock")
        #expect(NodeState.shownControl(in: folder.path) == "/run/a.sock")
        state.showNode(at: nil)
        #expect(NodeState.shownControl(in: folder.path) == nil)
        #expect(NodeState.shownNode(in: folder.path)?.control == nil)
        state.showNode(at: "/run/a.sock")
        state.close()
        #expect(NodeState.shownNode(in: folder.path)?.control == nil, "nobody has the lock")
        #expect(folder.bytes("lock") == Array("\(getpid())\n/run/a.sock".utf8))
        let next = try start(folder)
        #expect(NodeState.shownNode(in: folder.path)?.control == nil)
        withExtendedLifetime(next) {}
    }

    @Test("a damaged key, whichever byte, is kept aside and a new identity is made with a warning")
    func damagedKey() throws {
        let folder = TestFolder()
        _ = try start(folder)
        let whole = try #require(folder.bytes("identity.key"))
        for index in whole.indices {
            var damaged = whole
            damaged[index] ^= 0x20
            folder.write("identity.key", damaged)
            let state = try start(folder, key: Self.otherKey)
            #expect(state.key == Self.otherKey)
            #expect(state.warnings == [.identityWasDamaged])
            #expect(folder.bytes("identity.key.damaged") == damaged)
        }
    }

    @Test("a truncated or lengthened key is a damaged one")
    func truncatedKey() throws {
        let folder = TestFolder()
        _ = try start(folder)
        let whole = try #require(folder.bytes("identity.key"))
        for bytes in (0..<whole.count).map({ Array(whole[..<$0]) }) + [whole + [0], whole + whole] {
            folder.write("identity.key", bytes)
            #expect(try start(folder, key: Self.otherKey).warnings == [.identityWasDamaged])
        }
    }

    @Test("a link in the key's place is not followed")
    func linkedKey() throws {
        let folder = TestFolder()
        _ = try start(folder)
        try FileManager.default.moveItem(
            atPath: "\(folder.path)/identity.key", toPath: "\(folder.path)/elsewhere")
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/identity.key", withDestinationPath: "elsewhere")
        #expect(try start(folder, key: Self.otherKey).warnings == [.identityWasDamaged])
    }

    @Test("a lost key is a new identity and says so; the count goes on")
    func lostKey() throws {
        let folder = TestFolder()
        _ = try start(folder)
        folder.remove("identity.key")
        let state = try start(folder, key: Self.otherKey)
        #expect(state.key == Self.otherKey)
        #expect(state.instance.number == 2)
        #expect(state.warnings == [.identityWasLost])
    }

    @Test(
        "one damaged or lost counter file, whichever byte, does not lose the count",
        arguments: ["instance", "instance.bak"])
    func damagedCounter(name: String) throws {
        let folder = TestFolder()
        _ = try start(folder)
        let length = try #require(folder.bytes(name)).count
        for index in -1..<length {
            let before = try #require(folder.bytes(name))
            var damaged = before
            if index < 0 {
                folder.remove(name)
            } else {
                damaged[index] ^= 1
                folder.write(name, damaged)
            }
            let state = try start(folder)
            #expect(state.instance.number == UInt64(index + 3))
            #expect(state.warnings == [.counterFromOneFile])
        }
        #expect(try start(folder).warnings.isEmpty, "both files are whole again")
    }

    @Test("with nothing left of the counter it goes on from the wall clock, never from one")
    func lostCounter() throws {
        for isRemoved in [true, false] {
            let folder = TestFolder()
            _ = try start(folder)
            for name in ["instance", "instance.bak"] {
                if isRemoved { folder.remove(name) } else { folder.write(name, [1, 2, 3]) }
            }
            let state = try start(folder)
            #expect(state.instance.number == 1_800_000_001)
            #expect(state.warnings == [.counterWasLost])
            #expect(state.key == Self.firstKey)
        }
    }

    @Test("a counter that the mesh found rolled back is raised for this start and the next, and never lowered")
    func raised() throws {
        let folder = TestFolder()
        do {
            let state = try start(folder)
            try state.raise(to: try #require(Instance(exactly: 500)))
            try state.raise(to: try #require(Instance(exactly: 20)))
        }
        #expect(try start(folder).instance.number == 501)
    }

    @Test("a used-up counter makes a guest, no trap")
    func exhausted() throws {
        let folder = TestFolder()
        do { try start(folder).raise(to: .max) }
        let state = try start(folder)
        #expect(state.isGuest)
        #expect(state.warnings == [.counterExhausted])
    }

    @Test("a folder that cannot be made is a guest with a warning, as is a file in its place")
    func unwritable() throws {
        let folder = TestFolder()
        _ = FileManager.default.createFile(atPath: folder.path, contents: Data())
        for path in [folder.path, folder.path + "/below", "/proc/partyline"] {
            let state = try NodeState(folder: path, unixSeconds: 0) { Self.firstKey }
            #expect(state.isGuest)
            #expect(state.key == Self.firstKey)
            guard case .guest? = state.warnings.first else {
                Issue.record("no guest warning for \(path)")
                continue
            }
            let channel = RememberedChannel(
                name: "kept in memory", levelTenths: 0, ear: .both, listens: true, talks: true, isChosen: false)
            state.database.remember(joined: [channel])
            state.database.flush()
            #expect(try state.database.load().joinedChannels == [channel])
        }
    }

    @Test("an identity can be read while nobody runs, without changing anything")
    func stored() throws {
        let folder = TestFolder()
        #expect(try StoredIdentity.read(folder: folder.path) == nil)
        do { _ = try start(folder) }
        let stored = try #require(try StoredIdentity.read(folder: folder.path))
        #expect(stored.key == Self.firstKey)
        #expect(stored.instance?.number == 1)
        #expect(try start(folder).instance.number == 2)
    }
}
