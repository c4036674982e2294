import Glibc

/// A node as a process of its own: this very program with other arguments.
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

    /// Starts the program with `arguments`; what it says goes to the end of `log`.
    ///
    /// - Throws: `cannotStart` with the errno.
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
        // The kernel's own name for this program: right also where the file has been replaced.
        let code = posix_spawn(&id, "/proc/self/exe", &actions, nil, words, environ)
        guard code == 0 else { throw .cannotStart(code: code) }
        self.id = id
    }

    /// A node does not outlive its lab, whichever way the lab ends.
    deinit { kill() }

    /// Whether the process is there; collects it where it has ended.
    var isRunning: Bool {
        guard !hasEnded else { return false }
        var status: Int32 = 0
        hasEnded = waitpid(id, &status, WNOHANG) == id
        return !hasEnded
    }

    /// Asks it to leave.
    func terminate() { if isRunning { _ = Glibc.kill(id, SIGTERM) } }

    /// Ends it without a word.
    func kill() {
        guard isRunning else { return }
        _ = Glibc.kill(id, SIGKILL)
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        hasEnded = true
    }
}
