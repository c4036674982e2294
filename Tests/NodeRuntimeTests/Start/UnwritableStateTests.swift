import ControlPlane
import Foundation
import Glibc
import NodeRuntime
import Primitives
import TestKit
import Testing

/// Tests may run as root, which may write anywhere. So the state folder lies below a file.
@Suite("A state folder that cannot be written", .serialized, .timeLimit(.minutes(1)))
struct UnwritableStateTests {
    private let root = "\(temporaryFolder)/partyline-test-\(UUID().uuidString.prefix(8))"

    /// The options of a node whose state folder, and so its socket, would lie below a file.
    private func options(_ change: (inout RunSettings) -> Void = { _ in }) throws -> RunOptions {
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        try Data("a file".utf8).write(to: URL(fileURLWithPath: root + "/file"))
        var settings = RunSettings()
        let written: [RunKey: String] = [
            .discovery: "none", .logLevel: "error", .input: "null", .output: "null",
        ]
        for (key, value) in written { settings.set(key, option: value) }
        change(&settings)
        let paths = StandardPaths(
            environment: ["XDG_STATE_HOME": root + "/file/state"], user: geteuid(), folderExists: { _ in false })
        var options = try RunResolution.resolve(
            options: settings, file: RunSettings(), paths: paths, hostName: "host")
        options.listen = .exactly(Endpoint(address: IPAddress(v4: 0x7F00_0001), port: 0))
        if options.rescue != nil { options.rescue = RescueFolders(root: root, user: geteuid()) }
        return options
    }

    @Test("the node runs as a guest with its socket elsewhere, says both, and takes the folder away at its end")
    func guest() async throws {
        let options = try options()
        defer { try? FileManager.default.removeItem(atPath: root) }
        let node = try await NodeUnderTest(options)
        try await NodeBench.onThread {
            let status = try node.ask(StatusRequest())
            #expect(status.node.guest && status.node.control.hasPrefix(root + "/partyline-"))
            #expect(status.node.control.hasSuffix("/default.sock"))
            #expect(status.health.contains { $0.hasPrefix("running as a guest") })
            #expect(status.health.contains { $0.hasPrefix("the control socket is \(status.node.control)") })
            var found = stat()
            let folder = status.node.control.split(separator: "/").dropLast().joined(separator: "/")
            #expect(lstat("/" + folder, &found) == 0 && found.st_mode & 0o777 == 0o700)
            let named = try node.ask(IntroduceRequest(ProfileWords(nick: "Ann"))).warnings
            #expect(named == ["this node has this nick until its next start: a guest keeps nothing"])
            let joined = try node.ask(JoinRequest(channel: "lights")).warnings
            #expect(joined?.last == "this node is on channel lights until its next start: a guest keeps nothing")
            #expect(options.controlPaths == [options.controlPath, status.node.control])
            try node.stop()
        }
        try await node.ended()
        #expect(try FileManager.default.contentsOfDirectory(atPath: root) == ["file"])
    }

    @Test("a socket that the person has named is not put elsewhere")
    func named() async throws {
        let options = try options { $0.set(.control, option: root + "/file/x.sock") }
        defer { try? FileManager.default.removeItem(atPath: root) }
        await #expect(throws: ControlSocketError.self) { try await StartedNode.start(options) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: root) == ["file"])
    }

    @Test(
        "the socket of the node that feeds the programme goes elsewhere too, wherever the person put the main one",
        arguments: ["/file/state", "/" + String(repeating: "x", count: 108)])
    func programme(stateFolder: String) async throws {
        var options = try options {
            $0.set(.stateDir, option: root + stateFolder)
            $0.set(.control, option: root + "/named.sock")
            $0.set(.programme, option: "null")
            $0.set(.programmeChannel, option: "music")
        }
        defer { try? FileManager.default.removeItem(atPath: root) }
        #expect(options.programme?.rescue == RescueFolders(user: geteuid()))
        options.programme?.rescue = RescueFolders(root: root, user: geteuid())
        let main = Endpoint(address: IPAddress(v4: 0x7F00_0001), port: 9)
        let feed = try await NodeUnderTest(try #require(options.ofProgramme(beside: main)))
        try await NodeBench.onThread {
            let status = try feed.ask(StatusRequest())
            #expect(status.node.control.hasPrefix(root + "/partyline-"))
            #expect(status.node.control.hasSuffix("/default-programme.sock"))
            try feed.stop()
        }
        try await feed.ended()
    }

    @Test("a start takes the folders of killed nodes away, and leaves those of nodes that run")
    func abandoned() async throws {
        let options = try options()
        defer { try? FileManager.default.removeItem(atPath: root) }
        let (dead, living) = (try makeFolder("aaaaaa"), try makeFolder("bbbbbb"))
        try leaveSocket(at: dead + "/default.sock")
        let other = ControlServer(path: living + "/foh.sock") { _ in .document(DoneDocument()) }
        try await other.start()
        let node = try await NodeUnderTest(options)
        try await NodeBench.onThread { try node.stop() }
        try await node.ended()
        let left = try FileManager.default.contentsOfDirectory(atPath: root).sorted()
        await other.stop()
        #expect(left == ["file", "partyline-\(geteuid())-bbbbbb"])
    }

    /// Makes a folder for a control socket, as a node does that cannot make one elsewhere.
    private func makeFolder(_ suffix: String) throws -> String {
        let path = "\(root)/partyline-\(geteuid())-\(suffix)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return path
    }

    /// Leaves a socket file at which nobody listens.
    private func leaveSocket(at path: String) throws {
        let descriptor = try SocketPath.streamSocket(for: path)
        #expect(try SocketPath(path).withAddress { bind(descriptor, $0, $1) } == 0)
        close(descriptor)
    }

    @Test("sockets are looked for in folders that belong to this user alone")
    func folders() throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let folders = RescueFolders(root: root, user: 1_000)
        for (name, mode) in [("partyline-1000-aaaaaa", 0o755), ("partyline-1001-bbbbbb", 0o700)] {
            try FileManager.default.createDirectory(
                atPath: "\(root)/\(name)", withIntermediateDirectories: true, attributes: [.posixPermissions: mode])
            try Data().write(to: URL(fileURLWithPath: "\(root)/\(name)/default.sock"))
        }
        #expect(folders.sockets(of: nil) == [], "one is open to others, one is another user's")
        let own = RescueFolders(root: root, user: geteuid())
        let folder = try makeFolder("cccccc")
        for name in ["default.sock", "foh.sock", "notes"] {
            try Data().write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        #expect(own.sockets(of: nil) == ["default.sock", "foh.sock"].map { "\(folder)/\($0)" })
        #expect(own.sockets(of: NodeName("foh")) == ["\(folder)/foh.sock"])
    }
}
