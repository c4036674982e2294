import Foundation

/// The state of the sources with which a failure was found.
enum Revision {
    /// The commit of the working directory, with a `+` if the directory has changes; nil outside a clone.
    static let current: String? = {
        guard let commit = git(["rev-parse", "--short=12", "HEAD"]) else { return nil }
        return commit + (git(["status", "--porcelain", "--untracked-files=no"]) == "" ? "" : "+")
    }()

    private static func git(_ arguments: [String]) -> String? {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["git"] + arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { return nil }
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
