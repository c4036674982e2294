import Commands
import Foundation
import NodeRuntime
import TestKit
import Testing

/// The verbs on state folders of their own, without a network.
@Suite("The verbs of an identity", .serialized, .timeLimit(.minutes(1)))
final class IdentityVerbsTests {
    private let folder = "\(temporaryFolder)/partyline-identity-\(UUID().uuidString.prefix(8))"

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func run(_ arguments: [String], in state: String) async throws -> (
        status: Commands.ExitStatus, lines: [String]
    ) {
        var status = Commands.ExitStatus.healthy
        let place = ["--state-dir", "\(folder)/\(state)", "--control", "\(folder)/none.sock"]
        let lines = try await printedLines { status = await Program.run(arguments + place) }
        return (status, lines)
    }

    private func id(in state: String) async throws -> String {
        try #require(try await run(["id"], in: state).lines.first { $0.hasPrefix("id ") })
    }

    private let made = [
        "init", "--nick", "A", "--role", "", "--colour", "none", "--input", "null", "--output", "null",
        "--mesh", "theatre",
    ]

    @Test("a backup makes another folder the same member; a second one is written to a new file alone")
    func roundTrip() async throws {
        #expect(try await run(made, in: "a").status == .healthy)
        let kept = try await run(["identity", "backup", "\(folder)/kept"], in: "a")
        #expect(kept.status == .healthy && kept.lines.first?.contains("a member of the closed mesh theatre") == true)
        #expect(kept.lines.contains("It has the secret of the mesh and its code in clear text."))
        #expect(kept.lines.contains { $0.hasPrefix("Keep it where nobody else can read it") })
        let again = try await run(["identity", "backup", "\(folder)/kept"], in: "a")
        #expect(again.status == .failed && again.lines.contains { $0.contains("File exists") })
        let restored = try await run(["identity", "restore", "\(folder)/kept"], in: "b")
        #expect(restored.status == .healthy)
        #expect(try await id(in: "b") == id(in: "a"))
        #expect(try await run(["code", "show"], in: "b").lines == run(["code", "show"], in: "a").lines)
    }

    @Test("a backup that every user may open has a warning, and a restore closes it to them")
    func openBackup() async throws {
        #expect(try await run(made, in: "a").status == .healthy)
        #expect(try await run(["identity", "backup", "\(folder)/kept"], in: "a").status == .healthy)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: "\(folder)/kept")
        // The warning itself goes to standard error.
        let warning = KeptIdentity.warning(ofBackup: "\(folder)/kept")
        #expect(warning?.hasPrefix("every user of this machine could open \(folder)/kept (mode 644)") == true)
        #expect(try await run(["identity", "restore", "\(folder)/kept"], in: "b").status == .healthy)
        #expect(KeptIdentity.warning(ofBackup: "\(folder)/kept") == nil)
    }

    @Test("another identity stays unless --replace is given")
    func otherIdentity() async throws {
        for state in ["a", "b"] { #expect(try await run(made, in: state).status == .healthy) }
        let before = try await id(in: "b")
        #expect(try await run(["identity", "backup", "\(folder)/kept"], in: "a").status == .healthy)
        let refused = try await run(["identity", "restore", "\(folder)/kept"], in: "b")
        #expect(refused.status == .failed && refused.lines.contains { $0.contains("--replace") })
        #expect(try await id(in: "b") == before)
        #expect(try await run(["identity", "restore", "--replace", "\(folder)/kept"], in: "b").status == .healthy)
        #expect(try await id(in: "b") == id(in: "a"))
    }

    @Test("what is no backup is refused, and nothing is made")
    func noBackup() async throws {
        try Data("hello".utf8).write(to: URL(fileURLWithPath: "\(folder)/text"))
        for path in ["text", "none", "."] {
            let refused = try await run(["identity", "restore", "\(folder)/\(path)"], in: "b")
            #expect(refused.status == .failed && !refused.lines.isEmpty)
        }
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/b"))
        #expect(try await run(["identity", "backup", "\(folder)/kept"], in: "b").status == .failed)
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/kept"))
    }

    @Test("a reset gives up the identity, and asks nobody only with --yes")
    func reset() async throws {
        #expect(try await run(["identity", "reset", "--yes"], in: "a").status == .failed)
        #expect(try await run(made, in: "a").status == .healthy)
        let before = try await id(in: "a")
        let done = try await run(["identity", "reset", "--yes"], in: "a")
        #expect(done.status == .healthy && done.lines.first?.hasPrefix("Given up: ") == true)
        #expect(try await run(["id"], in: "a").status == .failed)
        #expect(try await run(["code", "show"], in: "a").status == .healthy, "the closed mesh stays")
        #expect(try await run(made + ["--replace"], in: "a").status == .healthy)
        #expect(try await id(in: "a") != before)
    }
}
