import Foundation
import Glibc
import Primitives
import StateStore
import Testing

@Suite("Mesh file")
struct MeshFileTests {
    private static let key = [UInt8](repeating: 7, count: 32)

    static func mesh(
        name: String = "crew", epoch: UInt32 = 1, older: UInt32? = nil, hasKey: Bool = true,
        code: String? = "kite oven lamp river", entryCount: Int? = nil,
        rememberedCount: UInt64 = 0
    ) -> StoredMesh? {
        StoredMesh(
            id: MeshID(high: 0x0102_0304_0506_0708, low: 9), name: name,
            newest: .init(number: epoch, secret: Array(1...32)),
            older: older.map { .init(number: $0, secret: Array(101...132)) }, codeKey: hasKey ? key : nil, code: code,
            entry: entryCount.map { [UInt8](repeating: 3, count: $0) },
            remembered: (0..<rememberedCount).map { NodeID(words: ($0, 1, 2, 3)) })
    }

    private func opened(_ folder: TestFolder) throws -> MeshFile<LinuxFileSystem> {
        try LinuxFileSystem().makeFolder(folder.path)
        return MeshFile(folder: folder.path)
    }

    @Test(
        "what is written is read again, with and without each part",
        arguments: [
            Self.mesh(), Self.mesh(epoch: .max, older: 1), Self.mesh(hasKey: false, code: nil),
            Self.mesh(name: "é", epoch: 3, older: 2, code: nil),
            Self.mesh(
                name: String(repeating: "n", count: StateLimits.meshNameBytesMax), epoch: 2, older: 1,
                code: String(repeating: "c", count: StateLimits.codeBytesMax),
                entryCount: StateLimits.epochEntryBytesMax, rememberedCount: UInt64(StateLimits.rememberedMax)),
            Self.mesh(epoch: 2, code: nil, entryCount: 1), Self.mesh(code: nil, rememberedCount: 1),
        ])
    func roundTrip(mesh: StoredMesh?) throws {
        let folder = TestFolder()
        let (file, mesh) = (try opened(folder), try #require(mesh))
        #expect(try file.read() == .missing)
        try file.write(mesh)
        #expect(try file.read() == .mesh(mesh))
        #expect(folder.mode("mesh") == 0o600)
        try file.remove()
        #expect(try file.read() == .missing)
        try file.remove()
    }

    @Test("a mesh out of its bounds is not made")
    func bounds() {
        #expect(Self.mesh(name: "") == nil)
        #expect(Self.mesh(name: String(repeating: "n", count: StateLimits.meshNameBytesMax + 1)) == nil)
        #expect(Self.mesh(epoch: 0) == nil)
        #expect(Self.mesh(epoch: 2, older: 2) == nil)
        #expect(Self.mesh(epoch: 2, older: 0) == nil)
        #expect(Self.mesh(code: "") == nil)
        #expect(Self.mesh(code: String(repeating: "c", count: StateLimits.codeBytesMax + 1)) == nil)
        #expect(Self.mesh(entryCount: 0) == nil)
        #expect(Self.mesh(entryCount: StateLimits.epochEntryBytesMax + 1) == nil)
        #expect(Self.mesh(rememberedCount: UInt64(StateLimits.rememberedMax) + 1) == nil)
        let short = StoredMesh.Epoch(number: 1, secret: Array(1...31))
        #expect(
            StoredMesh(id: MeshID(high: 1, low: 2), name: "crew", newest: short, older: nil, codeKey: nil, code: nil)
                == nil)
    }

    @Test("a damaged file, whichever byte, is known as damaged, and is kept aside by the next write")
    func damage() throws {
        let folder = TestFolder()
        let (file, mesh) = (try opened(folder), try #require(Self.mesh(epoch: 2, older: 1)))
        try file.write(mesh)
        let whole = try #require(folder.bytes("mesh"))
        for index in whole.indices {
            var damaged = whole
            damaged[index] ^= 0x10
            folder.write("mesh", damaged)
            #expect(try file.read() == .damaged)
        }
        for bytes in (0..<whole.count).map({ Array(whole[..<$0]) }) + [whole + [0], whole + whole] {
            folder.write("mesh", bytes)
            #expect(try file.read() == .damaged)
        }
        try file.write(mesh)
        #expect(try file.read() == .mesh(mesh))
        #expect(folder.bytes("mesh.damaged") == whole + whole)
    }

    @Test("a mesh that is left, and one that replaces another, leave no damaged file behind")
    func forgets() throws {
        let folder = TestFolder()
        let (file, mesh) = (try opened(folder), try #require(Self.mesh()))
        try file.write(mesh)
        let whole = try #require(folder.bytes("mesh"))
        folder.write("mesh.damaged", whole)
        try file.remove()
        #expect(try file.read() == .missing && folder.bytes("mesh.damaged") == nil)
        for present in [whole, Array(whole.dropLast())] {
            folder.write("mesh", present)
            folder.write("mesh.damaged", whole)
            try file.write(mesh, keepsDamaged: false)
            #expect(try file.read() == .mesh(mesh) && folder.bytes("mesh.damaged") == nil)
        }
    }

    @Test("a record of another kind, and a link in place of the file, are damage")
    func otherKinds() throws {
        let folder = TestFolder()
        let file = try opened(folder)
        _ = try NodeState(folder: folder.path, unixSeconds: 1) { Self.key }
        folder.write("mesh", try #require(folder.bytes("identity.key")))
        #expect(try file.read() == .damaged)
        folder.remove("mesh")
        symlink("identity.key", "\(folder.path)/mesh")
        #expect(try file.read() == .damaged)
    }

    @Test("a payload with a sound checksum and a wrong field is damage, too")
    func wrongFields() throws {
        let folder = TestFolder()
        let (file, mesh) = (try opened(folder), try #require(Self.mesh()))
        try file.write(mesh)
        let whole = try #require(folder.bytes("mesh"))
        // The number of epochs, the epoch, the size of the code key, the length of the name, its first byte.
        for (offset, value) in [(22, 0), (22, 3), (26, 0), (59, 31), (92, 0), (93, 200), (94, 0xFF)] {
            var payload = Array(whole.dropLast(4))
            payload[offset] = UInt8(value)
            if offset == 92 { payload[93] = 0 }
            let sum = checksum(payload)
            folder.write("mesh", payload + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> UInt32($0)) })
            #expect(try file.read() == .damaged, "byte \(offset) is \(value)")
        }
    }

    @Test("no state folder, and a file in its place, are no mesh; a file that is not readable is an error")
    func noFolder() throws {
        let folder = TestFolder()
        #expect(try MeshFile(folder: folder.path).read() == .missing)
        _ = FileManager.default.createFile(atPath: folder.path, contents: Data())
        #expect(try MeshFile(folder: folder.path).read() == .missing)
        let files = CrashingFileSystem()
        files.refuseReading(errorNumber: EACCES)
        #expect(throws: StateFileError.self) { try MeshFile(folder: "/s", files: files).read() }
    }

    @Test("secrets and code are in no description")
    func descriptions() throws {
        let mesh = try #require(Self.mesh(epoch: 12, older: 11))
        var dumped = ""
        dump(mesh, to: &dumped)
        dump(StoredMesh.Reading.mesh(mesh), to: &dumped)
        let texts = ["\(mesh)", String(reflecting: mesh), "\(mesh.newest)", "\(StoredMesh.Reading.mesh(mesh))", dumped]
        for text in texts {
            #expect(!text.contains("kite") && !text.contains("7, 7") && !text.contains("2, 3"), "\(text)")
            #expect(text.contains("(hidden)"))
        }
    }

    /// CRC-32 of IEEE 802.3, written once more.
    private func checksum(_ bytes: [UInt8]) -> UInt32 {
        var rest = UInt32.max
        for byte in bytes {
            rest ^= UInt32(byte)
            for _ in 0..<8 {
                let isOdd = rest & 1 == 1
                rest >>= 1
                if isOdd { rest ^= 0xEDB8_8320 }
            }
        }
        return ~rest
    }
}

/// Changes of the mesh file that end at every possible operation.
@Suite("Mesh file after a crash at any point")
struct MeshFileCrashTests {
    private func read(_ files: CrashingFileSystem) throws -> StoredMesh.Reading {
        try MeshFile(folder: "/s", files: files).read()
    }

    @Test(
        "a write leaves the old mesh or the new one, and the new one once it has returned",
        arguments: CrashingFileSystem.Loss.allCases)
    func write(loss: CrashingFileSystem.Loss) throws {
        let old = try #require(MeshFileTests.mesh())
        let new = try #require(MeshFileTests.mesh(name: "other", epoch: 2, older: 1))
        for before in [nil, old] {
            for point in 0...7 {
                let files = CrashingFileSystem()
                let file = MeshFile(folder: "/s", files: files)
                if let before { try file.write(before) }
                files.fail(after: point)
                let isWritten = (try? file.write(new)) != nil
                files.crash(loss)
                let after = try read(files)
                let earlier = before.map { StoredMesh.Reading.mesh($0) } ?? .missing
                #expect(isWritten ? after == .mesh(new) : after == .mesh(new) || after == earlier, "point \(point)")
                #expect(isWritten == (7 <= point))
                // The next write is whole, whatever was left.
                try file.write(old)
                files.crash(loss)
                #expect(try read(files) == .mesh(old))
            }
        }
    }

    @Test(
        "a removal leaves the mesh or nothing, and nothing once it has returned",
        arguments: CrashingFileSystem.Loss.allCases)
    func remove(loss: CrashingFileSystem.Loss) throws {
        let mesh = try #require(MeshFileTests.mesh())
        for point in 0...4 {
            let files = CrashingFileSystem()
            let file = MeshFile(folder: "/s", files: files)
            try file.write(mesh)
            files.fail(after: point)
            let isRemoved = (try? file.remove()) != nil
            files.crash(loss)
            let after = try read(files)
            #expect(isRemoved ? after == .missing : after == .missing || after == .mesh(mesh))
            #expect(isRemoved == (4 <= point))
        }
    }

    /// A file with a flipped bit.
    private static let damaged: [UInt8] = Array("plsx".utf8)

    @Test(
        "a write over a damaged file leaves it or the new mesh, never none, and keeps the damaged one",
        arguments: CrashingFileSystem.Loss.allCases)
    func overDamage(loss: CrashingFileSystem.Loss) throws {
        let new = try #require(MeshFileTests.mesh())
        for keptBefore in [nil, [1]] as [[UInt8]?] {
            for point in 0...9 {
                let files = CrashingFileSystem()
                files.put("/s/mesh", Self.damaged)
                if let keptBefore { files.put("/s/mesh.damaged", keptBefore) }
                files.fail(after: point)
                let isWritten = (try? MeshFile(folder: "/s", files: files).write(new)) != nil
                files.crash(loss)
                let after = try read(files)
                #expect(isWritten ? after == .mesh(new) : after == .mesh(new) || after == .damaged, "point \(point)")
                #expect(isWritten == (9 <= point))
                if after == .mesh(new) { #expect(try files.read("/s/mesh.damaged", bytesMax: 99) == Self.damaged) }
            }
        }
    }

    @Test("a full disk at any point is an error, and the damaged file stays in its place")
    func fullDiskOverDamage() throws {
        let new = try #require(MeshFileTests.mesh())
        for point in 0..<8 {
            let files = CrashingFileSystem()
            files.put("/s/mesh", Self.damaged)
            files.fail(after: point, errorNumber: ENOSPC)
            #expect(throws: StateFileError.self) { try MeshFile(folder: "/s", files: files).write(new) }
            files.fail(after: .max)
            #expect(try read(files) == .damaged, "point \(point)")
        }
    }

    @Test("a full disk at any point is an error, and the old mesh stays")
    func fullDisk() throws {
        let old = try #require(MeshFileTests.mesh())
        let new = try #require(MeshFileTests.mesh(name: "other"))
        for point in 0..<6 {
            let files = CrashingFileSystem()
            let file = MeshFile(folder: "/s", files: files)
            try file.write(old)
            files.fail(after: point, errorNumber: ENOSPC)
            #expect(throws: StateFileError.self) { try file.write(new) }
            files.fail(after: .max)
            #expect(try read(files) == .mesh(old), "point \(point)")
        }
    }
}
