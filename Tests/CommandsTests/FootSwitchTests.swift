import Foundation
import TestKit
import Testing

/// The Python program in `docs/examples` that works a talk key with a foot switch.
@Suite("a foot switch")
struct FootSwitchTests {
    /// Runs Python, which finds a program `partyline` in `folder`, and returns its exit status.
    private static func python(_ arguments: [String], folder: String) throws -> Int32 {
        let process = Process()
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["PATH=\(folder):\(path)", "python3", "-B"] + arguments
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    private static let hasPython = (try? python(["-c", ""], folder: temporaryFolder)) == 0

    /// What Linux writes for a button, after the time in 16 bytes.
    private static func event(_ type: UInt16, _ code: UInt16, _ value: Int32) -> Data {
        var data = Data(count: 16)
        withUnsafeBytes(of: type) { data.append(contentsOf: $0) }
        withUnsafeBytes(of: code) { data.append(contentsOf: $0) }
        withUnsafeBytes(of: value) { data.append(contentsOf: $0) }
        return data
    }

    @Test(
        "it presses and releases the key as the button goes, and releases it at the end",
        .enabled(if: hasPython, "needs python3"))
    func presses() throws {
        let folder = "\(temporaryFolder)/partyline-test-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (program, device) = ("\(folder)/partyline", "\(folder)/device")
        try "#!/bin/sh\necho \"$@\" >> \"$0.log\"\n".write(toFile: program, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        // Another button, the press, its repetition, the mark behind an event, the release, and a press that stays.
        let events = [
            Self.event(1, 30, 1), Self.event(1, 48, 1), Self.event(1, 48, 2), Self.event(0, 48, 0),
            Self.event(1, 48, 0), Self.event(1, 48, 1),
        ]
        try Data(events.joined()).write(to: URL(filePath: device))
        // A file is no device that one program alone can read.
        let start = "import fcntl, runpy, sys; fcntl.ioctl = lambda *_: 0; del sys.argv[0]; runpy.run_path(sys.argv[0])"
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../docs/examples/foot-switch.py")
        let status = try Self.python(["-c", start, script.path, device, "48", "stage"], folder: folder)
        let orders = try String(contentsOfFile: "\(program).log", encoding: .utf8)
        #expect(status == 0)
        #expect(orders == ["press", "release", "press", "release"].map { "talk \($0) --key stage\n" }.joined())
    }
}
