import Foundation
import Glibc

/// The process of a node: the same program as the lab, with other arguments.
final class NodeProcess {
    enum Failure: Error, CustomStringConvertible {
        case cannotStart(code: Int32)

        var description: String {
            switch self {
            case .cannotStart(let code): "cannot start a node: \(String(cString: strerror(code)))"
            }
        }
    }

    let id: pid_t
    private var hasEnded = false

    /// Starts the program with `arguments`, and appends its output to the file `log`.
    /// - Throws: `cannotStart` if the system cannot start it.
    init(arguments: [String], log: String) throws(Failure) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        let words: [UnsafeMutablePointer<CChar>?] = (["partyline"] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var id = pid_t()
        // The kernel's link to this program, which is right even if the file was replaced meanwhile.
        let code = posix_spawn(&id, "/proc/self/exe", &actions, nil, words, environ)
        guard code == 0 else { throw .cannotStart(code: code) }
        self.id = id
    }

    /// Kills the process, so that it does not outlive the lab.
    deinit { kill() }

    /// Whether the process runs; also reaps it if it has ended.
    var isRunning: Bool {
        guard !hasEnded else { return false }
        var status: Int32 = 0
        hasEnded = waitpid(id, &status, WNOHANG) == id
        return !hasEnded
    }

    /// Sends SIGTERM, so that the node leaves.
    func terminate() { if isRunning { _ = Glibc.kill(id, SIGTERM) } }

    /// Sends SIGKILL, and waits until the process has ended.
    func kill() {
        guard isRunning else { return }
        _ = Glibc.kill(id, SIGKILL)
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        hasEnded = true
    }
}

/// Processor time and memory of a process, from the kernel's statistics (proc(5)).
package struct ProcessGauge: Hashable, Sendable {
    package let cpuSeconds: Double
    package let residentMebibytes: Double

    /// Nil if the process does not exist any more.
    init?(process id: Int32) {
        guard let stat = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8) else { return nil }
        self.init(
            stat: stat, ticksPerSecond: Double(sysconf(Int32(_SC_CLK_TCK))),
            pageBytes: Double(sysconf(Int32(_SC_PAGESIZE))))
    }

    /// Parses the text of `/proc/PID/stat`; nil if it has another form.
    package init?(stat: String, ticksPerSecond: Double, pageBytes: Double) {
        // The second field is the program's name in parentheses, which may contain spaces and parentheses.
        guard let nameEnd = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: nameEnd)...].split(separator: " ")
        guard 21 < fields.count, let user = Double(fields[11]), let system = Double(fields[12]),
            let pages = Double(fields[21])
        else { return nil }
        cpuSeconds = (user + system) / ticksPerSecond
        residentMebibytes = pages * pageBytes / 1_048_576
    }
}
