import Foundation
import Primitives
import StateStore
import Testing

@Suite("Backup of an identity")
struct IdentityBackupTests {
    private static let key = [UInt8](repeating: 7, count: 32)
    private static let otherKey = [UInt8](repeating: 9, count: 32)
    private let folder = TestFolder()
    private let elsewhere = TestFolder()

    private func started(_ folder: TestFolder, key: [UInt8] = key) throws -> NodeState {
        try NodeState(folder: folder.path, unixSeconds: 1_800_000_000) { key }
    }

    /// Starts the node of `folder`, gives it a mesh if there is one, ends it, and keeps its identity.
    private func backup(mesh: StoredMesh?) throws -> IdentityBackup {
        try started(folder).close()
        if let mesh { try MeshFile(folder: folder.path).write(mesh) }
        return try IdentityBackup(of: folder.path)
    }

    private func restore(_ backup: IdentityBackup, replaces: Bool = false) throws {
        try StoppedIdentity(folder: elsewhere.path, files: LinuxFileSystem()).restore(backup, replaces: replaces)
    }

    @Test("a restored node has its key and mesh, and an instance above all that can be since the backup")
    func roundTrip() throws {
        let mesh = try #require(MeshFileTests.mesh(epoch: 3, older: 2))
        let backup = try backup(mesh: mesh)
        let path = "\(folder.path)/kept"
        try backup.write(path)
        #expect(folder.mode("kept") == 0o600)
        #expect(try IdentityBackup(path: path) == backup)
        try restore(try IdentityBackup(path: path))
        let restored = try started(elsewhere, key: Self.otherKey)
        #expect(restored.key == Self.key && restored.warnings.isEmpty)
        #expect(restored.instance.number == 1 + (1 << 20) + 1)
        #expect(try MeshFile(folder: elsewhere.path).read() == .mesh(mesh))
    }

    @Test("a backup of an open mesh leaves the closed mesh of the folder")
    func openBackup() throws {
        let backup = try backup(mesh: nil)
        let mesh = try #require(MeshFileTests.mesh())
        try LinuxFileSystem().makeFolder(elsewhere.path)
        try MeshFile(folder: elsewhere.path).write(mesh)
        try restore(backup)
        #expect(try MeshFile(folder: elsewhere.path).read() == .mesh(mesh))
    }

    @Test("a newer epoch of the same mesh stays; another mesh is given up only if that is said")
    func otherMesh() throws {
        let backup = try backup(mesh: MeshFileTests.mesh(epoch: 3, older: 2))
        try LinuxFileSystem().makeFolder(elsewhere.path)
        let file = MeshFile(folder: elsewhere.path)
        let newer = try #require(MeshFileTests.mesh(epoch: 4, older: 3))
        try file.write(newer)
        try restore(backup)
        #expect(try file.read() == .mesh(newer), "nodes that were left behind know the secret of epoch 3")
        let other = try #require(
            StoredMesh(
                id: MeshID(high: 1, low: 1), name: "other", newest: .init(number: 9, secret: Array(1...32)),
                older: nil, codeKey: nil, code: nil))
        elsewhere.remove("identity.key")
        try file.write(other)
        #expect(throws: IdentityFault.otherMesh) { try restore(backup) }
        #expect(try file.read() == .mesh(other))
        try restore(backup, replaces: true)
        #expect(try file.read() == backup.mesh.map { .mesh($0) })
    }

    @Test("another identity is given up only if that is said, and the counter never goes back")
    func otherIdentity() throws {
        let backup = try backup(mesh: nil)
        try started(elsewhere, key: Self.otherKey).close()
        let ahead = try #require(Instance(exactly: 5_000_000))
        try InstanceCounter(folder: elsewhere.path, files: LinuxFileSystem()).write(ahead)
        #expect(throws: IdentityFault.hasIdentity) { try restore(backup) }
        #expect(try IdentityBackup(of: elsewhere.path).key == Self.otherKey)
        try restore(backup, replaces: true)
        let restored = try IdentityBackup(of: elsewhere.path)
        #expect(restored.key == Self.key && restored.instance.number == 5_000_000 + (1 << 20))
    }

    @Test("a damaged key gives way to that of the backup, and is kept aside")
    func damagedKey() throws {
        let backup = try backup(mesh: nil)
        try LinuxFileSystem().makeFolder(elsewhere.path)
        elsewhere.write("identity.key", [1, 2, 3])
        try restore(backup)
        #expect(elsewhere.bytes("identity.key.damaged") == [1, 2, 3])
        #expect(try IdentityBackup(of: elsewhere.path).key == Self.key)
    }

    @Test("a file that is damaged in any byte, or that has another length, is no backup")
    func damagedBackup() throws {
        let whole = try backup(mesh: MeshFileTests.mesh()).bytes
        for index in whole.indices {
            var damaged = whole
            damaged[index] ^= 0x10
            #expect(IdentityBackup(bytes: damaged) == nil)
        }
        for count in whole.indices { #expect(IdentityBackup(bytes: Array(whole[..<count])) == nil) }
        #expect(IdentityBackup(bytes: whole + [0]) == nil)
        for bytes in [[], [UInt8](repeating: 0, count: IdentityBackup.bytesMax + 1)] {
            folder.write("kept", bytes)
            let path = "\(folder.path)/kept"
            #expect(throws: IdentityFault.noBackup(path)) { try IdentityBackup(path: path) }
        }
    }

    @Test("a folder without identity, or with a damaged part, is not kept; a file in the way stays")
    func refusals() throws {
        #expect(throws: IdentityFault.nothingToKeep) { try IdentityBackup(of: folder.path) }
        let backup = try backup(mesh: MeshFileTests.mesh())
        folder.write("kept", [1])
        #expect(throws: IdentityFault.system(StateFileError("create", "\(folder.path)/kept", 17))) {
            try backup.write("\(folder.path)/kept")
        }
        #expect(folder.bytes("kept") == [1])
        folder.write("mesh", [1])
        #expect(throws: IdentityFault.damaged("\(folder.path)/mesh")) { try IdentityBackup(of: folder.path) }
        folder.remove("mesh")
        for name in ["instance", "instance.bak"] { folder.write(name, [1]) }
        #expect(throws: IdentityFault.damaged("\(folder.path)/instance")) { try IdentityBackup(of: folder.path) }
    }

    @Test("the folder of a running node is refused")
    func running() throws {
        let node = try started(folder)
        defer { node.close() }
        let fault = #expect(throws: IdentityFault.self) {
            try StoppedIdentity(folder: folder.path, files: LinuxFileSystem())
        }
        let isRunning = if case .running? = fault { true } else { false }
        #expect(isRunning)
    }

    @Test("a counter without room for the starts since the backup changes nothing")
    func exhausted() throws {
        _ = try backup(mesh: nil)
        try InstanceCounter(folder: folder.path, files: LinuxFileSystem()).write(.max)
        let full = try IdentityBackup(of: folder.path)
        #expect(throws: IdentityFault.counterExhausted) { try restore(full) }
        #expect(throws: IdentityFault.nothingToKeep) { try IdentityBackup(of: elsewhere.path) }
    }

    @Test("after a reset the next start has a new key and the instance 1; the mesh stays")
    func reset() throws {
        let mesh = try #require(MeshFileTests.mesh())
        _ = try backup(mesh: mesh)
        try StoppedIdentity(folder: folder.path, files: LinuxFileSystem()).reset()
        let next = try started(folder, key: Self.otherKey)
        #expect(next.key == Self.otherKey && next.instance.number == 1 && next.warnings.isEmpty)
        #expect(try MeshFile(folder: folder.path).read() == .mesh(mesh))
        #expect(throws: IdentityFault.nothingToKeep) {
            try StoppedIdentity(folder: elsewhere.path, files: LinuxFileSystem()).reset()
        }
    }

    @Test(
        "a crash at any point of a restoration leaves a folder that restores again, and no instance is used twice",
        arguments: CrashingFileSystem.Loss.allCases)
    func crashes(loss: CrashingFileSystem.Loss) throws {
        let backup = try backup(mesh: MeshFileTests.mesh())
        var points = 0
        for point in 0... {
            let files = CrashingFileSystem()
            let before = StateOpening.open(folder: folder.path, files: files, unixSeconds: 1_800_000_000) {
                Self.otherKey
            }
            files.crash(.unsyncedIsKept)
            files.fail(after: point)
            let isRestored = (try? restored(backup, files)) != nil
            files.crash(loss)
            let after = StateOpening.open(folder: folder.path, files: files, unixSeconds: 1_800_000_000) {
                Self.otherKey
            }
            #expect(!after.isGuest)
            #expect(before.instance < after.instance, "crash after \(point) operations")
            #expect([Self.key, Self.otherKey].contains(after.key))
            if isRestored || after.key == Self.key {
                #expect(after.key == Self.key && backup.instance.number + (1 << 20) < after.instance.number)
                #expect(try MeshFile(folder: folder.path, files: files).read() == backup.mesh.map { .mesh($0) })
            }
            try restored(backup, files)
            points += 1
            if isRestored { break }
        }
        #expect(15 < points)
    }

    private func restored(_ backup: IdentityBackup, _ files: CrashingFileSystem) throws {
        try StoppedIdentity(folder: folder.path, files: files).restore(backup, replaces: true)
    }
}
