import CLinux

/// Tries whether a disk answers. A frozen file system does not, nor does a network drive whose server is gone: a thread
/// that reads or writes there waits without end.
package enum DiskTrial {
    /// The longest wait for a disk. One that was at rest needs some seconds.
    package static let secondsMax = 3.0

    /// A trial of a path, for a process of its own. Returns 0, or an errno.
    package typealias Body = @convention(c) (UnsafePointer<CChar>?) -> CInt

    /// Whether the disk answers when a file or a folder is read. An error, such as a missing file, is an answer too.
    package static func answers(_ path: String) -> Bool { result(of: linux_disk_read, at: path) != nil }

    /// Makes a file, writes and syncs it, and removes it. Returns 0, or an errno; nil if the disk does not answer. The
    /// process of the trial then goes on, and removes the file when the disk answers again.
    static func write(_ path: String) -> CInt? { result(of: linux_disk_write, at: path) }

    /// The result of `body`; nil if it has not returned in time.
    package static func result(of body: Body, at path: String, withinSeconds seconds: Double = secondsMax) -> CInt? {
        let code = linux_apart(body, path, CInt(seconds * 1_000))
        return code < 0 ? nil : code
    }
}

/// The trials of a command: each path is tried once, before anything is read there.
package final class DiskTrials {
    private let trial: (String) -> Bool
    private var results: [String: Bool] = [:]

    /// - Parameter trial: whether the disk of a path answers.
    package init(_ trial: @escaping (String) -> Bool = { DiskTrial.answers($0) }) { self.trial = trial }

    /// Whether the disk of a path answers.
    package func answers(_ path: String) -> Bool {
        if let result = results[path] { return result }
        let result = trial(path)
        results[path] = result
        return result
    }

    /// - Throws: `CommandEnd` if the disk of a path does not answer.
    func require(_ path: String, orEndWith status: ExitStatus = .failed) throws {
        guard answers(path) else {
            throw CommandEnd(status: status, message: "\(Output.safe(path)): the disk does not answer")
        }
    }
}
