import Foundation

/// Programs that are run to their end.
enum Shell {
    struct Ended: Sendable {
        var status: Int32
        var isSignal: Bool
        var isTimeOut: Bool
        var seconds: Double
        var output: String

        var isSuccess: Bool { status == 0 && !isSignal && !isTimeOut }
    }

    /// Runs a program with its whole output, errors too. One that takes longer than the limit is ended with all that it
    /// has started.
    static func run(
        _ words: [String], in folder: URL, environment more: [String: String] = [:], limitSeconds: Double? = nil
    ) throws -> Ended {
        let log = FileManager.default.temporaryDirectory.appending(path: "mutants-\(UUID().uuidString).log")
        FileManager.default.createFile(atPath: log.path, contents: nil)
        defer { try? FileManager.default.removeItem(at: log) }
        let handle = try FileHandle(forWritingTo: log)
        let process = Process()
        // `setsid` gives the program a process group of its own.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["setsid", "--wait"] + words
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(more) { $1 }
        process.standardOutput = handle
        process.standardError = handle
        process.standardInput = FileHandle.nullDevice
        let begin = Date()
        try process.run()
        var isTimeOut = false
        while process.isRunning {
            if let limitSeconds, limitSeconds < Date().timeIntervalSince(begin), !isTimeOut {
                isTimeOut = true
                endChildren(of: process.processIdentifier)
            }
            Thread.sleep(forTimeInterval: 0.02)
        }
        try handle.close()
        let data = (try? Data(contentsOf: log)) ?? Data()
        return Ended(
            status: process.terminationStatus, isSignal: process.terminationReason == .uncaughtSignal,
            isTimeOut: isTimeOut, seconds: Date().timeIntervalSince(begin),
            output: String(decoding: data, as: UTF8.self))
    }

    private static func endChildren(of parent: Int32) {
        let listed = (try? String(contentsOfFile: "/proc/\(parent)/task/\(parent)/children", encoding: .utf8)) ?? ""
        for child in listed.split(separator: " ").compactMap({ Int32($0) }) { kill(-child, SIGKILL) }
        kill(parent, SIGKILL)
    }
}
