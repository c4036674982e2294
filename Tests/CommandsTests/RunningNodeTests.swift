import Commands
import ControlPlane
import Foundation
import NodeRuntime
import TestKit
import Testing

@Suite("Several nodes among which a person chooses", .serialized, .timeLimit(.minutes(1)))
struct RunningNodeTests {
    private let folder = "\(temporaryFolder)/partyline-nodes-\(UUID().uuidString.prefix(8))"

    /// No folder of this user holds a socket.
    private var paths: StandardPaths {
        StandardPaths(
            environment: ["XDG_STATE_HOME": folder], user: 4_000_000_000, folderExists: { _ in false })
    }

    /// Runs `body` beside a node of this name, which says that its state folder is `stateDirectory`.
    private func withNode(_ name: String, in stateDirectory: String, _ body: () async throws -> Void) async throws {
        let identity = IdentityDocument(
            json: """
                {"schema": "partyline.id/1", "name": "x", "id": "x", "short_id": "x", "guest": false, "running": true,
                 "state_directory": "\(stateDirectory)"}
                """)
        try FileManager.default.createDirectory(
            atPath: "\(folder)/partyline/\(name)", withIntermediateDirectories: true)
        try await CommandsTests.withNode(
            at: "\(folder)/partyline/\(name)/control.sock", { _ in .document(identity) }
        ) { _ in try await body() }
    }

    @Test(
        "they are told by name; one whose name selects another state folder is told by its folder",
        arguments: [
            ("/partyline/default", "choose one with --name: default, foh"),
            ("/long name", "choose one by its options: --state-dir 'FOLDER/long name', --name foh"),
        ])
    func choice(place: String, words: String) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await withNode("default", in: folder + place) {
            try await withNode("foh", in: folder + "/partyline/foh") { expectChoice(words) }
        }
    }

    private func expectChoice(_ words: String) {
        let found = RunningNode.found(by: paths, besides: "/none")
        #expect(RunningNode.choice(of: found) == words.replacing("FOLDER", with: folder))
    }

    @Test("the node at the path that a command has tried already is none of them")
    func tried() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let tried = "\(folder)/partyline/default/control.sock"
        try await withNode("default", in: folder + "/partyline/default") {
            try await withNode("foh", in: folder + "/other") { expectOne(besides: tried) }
        }
    }

    private func expectOne(besides path: String) {
        let found = RunningNode.found(by: paths, besides: path)
        #expect(found.map(\.name) == ["foh"] && found.map(\.stateDir) == [folder + "/other"])
    }

    @Test("a node on a disk that does not answer is none of them, and nothing is read there")
    func dead() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await withNode("default", in: folder + "/partyline/default") {
            try await withNode("foh", in: folder + "/other") { expectLiving() }
        }
    }

    private func expectLiving() {
        let dead = "\(folder)/partyline/default/control.sock"
        #expect(RunningNode.found(by: paths, besides: "/none", where: { $0 != dead }).map(\.name) == ["foh"])
        var tried: [String] = []
        let none = RunningNode.found(
            by: paths, besides: "/none",
            where: { path in
                tried.append(path)
                return false
            })
        #expect(none.isEmpty && !tried.contains(dead) && tried.contains("\(folder)/partyline"))
    }

    @Test("devices needs no node: among several it lists those of the machine, and says how to choose a node")
    func devices() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await withNode("desk", in: folder + "/partyline/desk") {
            try await withNode("foh", in: folder + "/partyline/foh") { try await expectDevices() }
        }
    }

    private func expectDevices() async throws {
        var status = Commands.ExitStatus.failed
        let environment = ["HOME": folder, "XDG_STATE_HOME": folder, "XDG_RUNTIME_DIR": folder]
        let lines = try await printedLines {
            status = await Program.run(["devices"], environment: environment)
        }
        #expect(status == .healthy && lines.contains("inputs") && lines.contains("outputs"))
        // Nodes of other tests may be among them.
        #expect(lines.contains { $0.hasPrefix("partyline: several nodes are running; choose one ") })
    }
}
