import Commands
import ControlPlane
import Foundation
import Glibc
import NodeRuntime
import TestKit
import Testing

/// The state folder is locked, as by a node, and nothing listens at the control socket.
@Suite("A node whose control socket is gone", .serialized, .timeLimit(.minutes(1)))
final class LostNodeTests: Sendable {
    private typealias Printed = (status: Commands.ExitStatus, lines: [String])

    private let folder = "\(temporaryFolder)/partyline-lost-\(UUID().uuidString.prefix(8))"

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func run(_ words: String..., namesSocket: Bool = true) async throws -> Printed {
        var status = Commands.ExitStatus.healthy
        let place = ["--state-dir", "\(folder)/state"] + (namesSocket ? ["--control", "\(folder)/none.sock"] : [])
        let lines = try await printedLines { status = await Program.run(words + place) }
        return (status, lines)
    }

    /// Locks the state folder. The identity is made with it.
    private func lock() throws -> StoppedNode {
        let paths = StandardPaths(environment: ["HOME": folder], user: 7, folderExists: { _ in false })
        var settings = RunSettings()
        settings.set(.stateDir, option: "\(folder)/state")
        return try StoppedNode(
            RunResolution.resolve(options: settings, file: RunSettings(), paths: paths, hostName: "host"))
    }

    /// Shows this process and a control socket, as a node does that takes commands. The file stays the one that is
    /// locked.
    private func show(_ socket: String, process: Int32 = getpid()) throws {
        let words = "\(process)\n\(folder)/\(socket)"
        try words.write(toFile: "\(folder)/state/lock", atomically: false, encoding: .utf8)
    }

    @Test("a verb is 1, and tells how to end the node; it is 3 while a command has the folder, and after the end")
    func verbs() async throws {
        let node = try lock()
        let before = try await run("status")
        try show("gone.sock")
        let meanwhile = try await run("stop")
        node.close()
        let after = try await run("status")
        expectProcess(in: meanwhile)
        expectNoNode(before)
        expectNoNode(after)
    }

    private func expectProcess(in printed: Printed) {
        #expect(printed.status == .failed)
        let words = ["its control socket \(folder)/gone.sock is gone", "`kill \(getpid())` ends the node"]
        #expect(printed.lines.contains { line in words.allSatisfy { line.contains($0) } }, "\(printed.lines)")
    }

    @Test("what is in the place of the socket is named")
    func obstacle() async throws {
        let node = try lock()
        try show("file.sock")
        try "no socket".write(toFile: "\(folder)/file.sock", atomically: false, encoding: .utf8)
        let printed = try await run("status")
        node.close()
        let words = "\(folder)/file.sock is not a socket: when it is out of the way"
        expect(words, in: printed)
    }

    private func expect(_ words: String, in printed: Printed) {
        #expect(printed.lines.contains { $0.contains(words) }, "\(printed.lines)")
    }

    @Test("a process that does not hold the lock, as one with the number of a node in a container, is not named")
    func otherNamespace() async throws {
        let node = try lock()
        try show("gone.sock", process: 1)
        let living = try await run("status")
        try show("gone.sock", process: .max)
        let unknown = try await run("status")
        node.close()
        for printed in [living, unknown] { expectNoProcess(in: printed) }
    }

    private func expectNoProcess(in printed: Printed) {
        #expect(printed.status == .failed)
        let told = printed.lines.filter { $0.contains("a node runs with the state folder \(folder)") }
        #expect(told.count == 1 && !told.joined().contains("kill"), "\(printed.lines)")
    }

    private func expectNoNode(_ printed: Printed) {
        #expect(printed.status == .noNodeRunning)
        #expect(printed.lines.contains { $0.contains("no node is running") }, "\(printed.lines)")
    }

    /// The identity of a node with this state folder.
    private func identity(in stateDirectory: String) -> IdentityDocument {
        IdentityDocument(
            json: """
                {"schema": "partyline.id/1", "name": "far", "id": "x", "short_id": "x", "guest": false,
                 "running": true, "state_directory": "\(stateDirectory)"}
                """)
    }

    @Test("without --control a node is found at the socket that its state folder shows, unless another node is there")
    func shown() async throws {
        let node = try lock()
        try show("other.sock")
        let (own, foreign) = (identity(in: "\(folder)/state"), identity(in: "\(folder)/foreign"))
        try await withNode(at: "\(folder)/other.sock", { _ in .document(own) }) { _ in
            expectIdentity(try await run("id", namesSocket: false), isFar: true)
        }
        try await withNode(at: "\(folder)/other.sock", { _ in .document(foreign) }) { _ in
            expectIdentity(try await run("id", namesSocket: false), isFar: false)
        }
        node.close()
    }

    private func expectIdentity(_ printed: Printed, isFar: Bool) {
        #expect(printed.status == .healthy)
        #expect(printed.lines.contains("name      far") == isFar, "\(printed.lines)")
    }

    @Test("a node whose socket is elsewhere than the options say is not lost")
    func elsewhere() async throws {
        let node = try lock()
        try show("other.sock")
        try await withNode(at: "\(folder)/other.sock", { _ in .document(DoneDocument()) }) { _ in
            expectNoNode(try await run("status"))
        }
        node.close()
    }

    @Test("`id` does not say that it is not running, and `doctor` names the process")
    func identityAndDoctor() async throws {
        let node = try lock()
        try show("gone.sock")
        let identity = try await run("id")
        let doctor = try await run("doctor", "--json")
        node.close()
        let later = try await run("id")
        expectIdentity(identity, later)
        let finding = ["process \(getpid()) runs a node", "is gone, so no command reaches it"]
        #expect(doctor.lines.contains { line in finding.allSatisfy { line.contains($0) } }, "\(doctor.lines)")
    }

    private func expectIdentity(_ meanwhile: Printed, _ later: Printed) {
        #expect(meanwhile.status == .healthy && later.status == .healthy)
        #expect(meanwhile.lines.contains { $0.contains("`kill \(getpid())`") }, "\(meanwhile.lines)")
        #expect(!meanwhile.lines.contains { $0.contains("not running") }, "\(meanwhile.lines)")
        #expect(later.lines.contains { $0.contains("(last; not running)") }, "\(later.lines)")
    }
}
