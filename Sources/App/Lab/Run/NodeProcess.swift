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
