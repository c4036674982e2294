import Foundation
import Glibc
import NodeRuntime
import TestKit
import Testing

@Suite("A node that does not run")
struct StoppedNodeTests {
    /// A home folder without any file, and the options of a node there.
    private func home() throws -> (folder: String, options: RunOptions) {
        let folder = "\(temporaryFolder)/partyline-stopped-\(UUID().uuidString.prefix(8))"
        let paths = StandardPaths(environment: ["HOME": folder], user: 7, folderExists: { _ in false })
        return (
            folder,
            try RunResolution.resolve(options: RunSettings(), file: RunSettings(), paths: paths, hostName: "host")
        )
    }

    @Test("what is kept is how the node introduces itself from then on, and what is absent stays")
    func profile() throws {
        let home = try home()
        defer { try? FileManager.default.removeItem(atPath: home.folder) }
        let options = home.options
        func keep(_ profile: ProfileWords) throws -> ProfileWords {
            do {
                let stopped = try StoppedNode(options)
                defer { stopped.close() }
                try stopped.keep(profile)
            }
            let stopped = try StoppedNode(options)
            defer { stopped.close() }
            return try stopped.profile(options)
        }
        #expect(try keep(ProfileWords()) == ProfileWords(nick: "host"))
        let whole = ProfileWords(nick: "FOH", role: "sound", colour: "amber")
        #expect(try keep(whole) == ProfileWords(nick: "FOH", role: "sound", colour: "#ffb300"))
        #expect(try keep(ProfileWords(role: "")) == ProfileWords(nick: "FOH", colour: "#ffb300"))
    }

    @Test("devices that are kept are those of the next start; an option goes before them")
    func devices() throws {
        let home = try home()
        defer { try? FileManager.default.removeItem(atPath: home.folder) }
        func kept(_ options: RunOptions, keeping devices: DeviceWords = DeviceWords()) throws -> DeviceWords {
            let stopped = try StoppedNode(options)
            defer { stopped.close() }
            try stopped.keep(devices)
            return try stopped.devices(options)
        }
        #expect(try kept(home.options) == DeviceWords(input: "alsa:default", output: "alsa:default"))
        _ = try kept(home.options, keeping: DeviceWords(input: "tone:440", output: "null"))
        _ = try kept(home.options, keeping: DeviceWords(output: "alsa:loud"))
        #expect(try kept(home.options) == DeviceWords(input: "tone:440", output: "alsa:loud"))
        var named = home.options
        named.isInputNamed = true
        #expect(try kept(named) == DeviceWords(input: "alsa:default", output: "alsa:loud"))
    }

    @Test("the error for a folder that cannot be made has the reason of the system, and no words for a running node")
    func notWritable() throws {
        let home = try home()
        defer { try? FileManager.default.removeItem(atPath: home.folder) }
        try Data().write(to: URL(fileURLWithPath: home.folder))
        let error = #expect(throws: StoppedNodeError.self) { try StoppedNode(home.options).close() }
        #expect("\(try #require(error))".hasPrefix("nothing was kept: cannot make the folder \(home.folder)/"))
        #expect(!"\(try #require(error))".contains("guest"))
    }

    @Test("choices that stay in memory, since the database cannot be opened, are an error with the reason")
    func inMemory() throws {
        let home = try home()
        defer { try? FileManager.default.removeItem(atPath: home.folder) }
        // SQLite cannot open a folder.
        try FileManager.default.createDirectory(
            atPath: "\(home.options.stateDirectory)/partyline.sqlite", withIntermediateDirectories: true)
        let stopped = try StoppedNode(home.options)
        defer { stopped.close() }
        #expect(throws: StoppedNodeError.self) { try stopped.keep(DeviceWords(output: "null")) }
        #expect(throws: StoppedNodeError.self) { try stopped.keep(ProfileWords(nick: "FOH")) }
        try stopped.keep(DeviceWords())
        try stopped.keep(ProfileWords())
    }

    @Test("choices that the disk refuses are an error with the reason")
    func refused() throws {
        let home = try home()
        defer { try? FileManager.default.removeItem(atPath: home.folder) }
        let stopped = try StoppedNode(home.options)
        defer { stopped.close() }
        // SQLite cannot write its journal where a folder is.
        let journal = "\(home.options.stateDirectory)/partyline.sqlite-journal"
        try FileManager.default.createDirectory(atPath: journal, withIntermediateDirectories: false)
        #expect {
            try stopped.keep(ProfileWords(nick: "FOH"))
        } throws: { error in
            guard case .notKept(let why)? = error as? StoppedNodeError else { return false }
            return !why.isEmpty
        }
    }

    @Test("another mesh does not replace a mesh file that cannot be read")
    func unreadable() throws {
        let home = try home()
        defer { try? FileManager.default.removeItem(atPath: home.folder) }
        let stopped = try StoppedNode(home.options)
        defer { stopped.close() }
        // No open(2) of a socket succeeds, also not for root.
        let path = "\(home.options.stateDirectory)/mesh"
        try #require(mknod(path, S_IFSOCK | 0o600, 0) == 0)
        #expect(throws: StoppedNodeError.self) { try stopped.found("crew", code: .made()) }
        var facts = stat()
        #expect(lstat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFSOCK, "the file was replaced")
        #expect(throws: MeshFileFault.self) { try stopped.meshToReplace }
    }
}
