import Commands
import ControlPlane
import Foundation
import Glibc
import NodeRuntime
import TestKit
import Testing

@Suite("Trials of a disk", .timeLimit(.minutes(1)))
struct DiskTrialTests {
    @Test("a disk that does not answer in time is left alone; another one gives its result, also an error")
    func result() {
        // The slow disk answers after two seconds.
        let slow = DiskTrial.result(
            of: { _ in
                sleep(2)
                return 0
            }, at: "x", withinSeconds: 0.02)
        let refused = DiskTrial.result(of: { _ in EACCES }, at: "x")
        #expect(slow == nil && refused == EACCES)
    }

    @Test("a trial keeps no file of this process open, since it may go on for long")
    func files() {
        let file = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 64)
        defer { close(file) }
        let code = DiskTrial.result(
            of: { number in
                guard let number else { return EINVAL }
                return fcntl(atoi(number), F_GETFD) < 0 ? errno : 0
            }, at: "\(file)")
        #expect(64 <= file && code == EBADF)
    }

    @Test("a command tries each path once, before it reads there")
    func once() {
        var tried: [String] = []
        let trials = DiskTrials { path in
            tried.append(path)
            return path != "/dead"
        }
        let answers = ["/dead", "/good", "/dead", "/good"].map { trials.answers($0) }
        #expect(answers == [false, true, false, true] && tried == ["/dead", "/good"])
    }

    @Test("doctor examines the crew file that only the command line of the running node names")
    func crew() async throws {
        let folder = "\(temporaryFolder)/partyline-doctor-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let crew = "\(folder)/show.toml"
        try "[role.lights]\ntalkk = \"latch\"".write(toFile: crew, atomically: true, encoding: .utf8)
        let identity = IdentityDocument(
            json: """
                {"schema": "partyline.id/1", "name": "x", "id": "x", "short_id": "x", "guest": false, "running": true,
                 "state_directory": "\(folder)", "crew": "\(crew)", "crew_role": "lights"}
                """)
        var lines: [String] = []
        try await withNode({ call in
            call.method == IdentityRequest.method.name ? .document(identity) : .document(DoneDocument())
        }) { path in
            lines = try await printedLines {
                _ = await Program.run(["doctor", "--json", "--state-dir", folder, "--control", path])
            }
        }
        #expect(lines.contains { $0.contains("show.toml:2: ") && $0.contains("'talkk'") }, "\(lines)")
    }

    @Test("doctor tries the state folder, and leaves nothing in it")
    func doctor() async throws {
        let folder = "\(temporaryFolder)/partyline-doctor-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let lines = try await printedLines { _ = await Program.run(["doctor", "--state-dir", folder]) }
        #expect(lines.contains { $0.hasPrefix("PASS  state folder:") })
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }
}
