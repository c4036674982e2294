import Commands
import Foundation
import Glibc
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
