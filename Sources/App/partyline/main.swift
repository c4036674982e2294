import Commands
import Glibc

// A core dump would hold the code and the secrets of the mesh. `prlimit --core` permits one for a process again.
var coreDump = rlimit()
if getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &coreDump) == 0 {
    coreDump.rlim_cur = 0
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &coreDump)
}

// Without this, a file or a socket could get the number of a standard stream that is closed, and text would go there.
// The null device is open for reading only: a write to it is an error, as before.
for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) == -1 { _ = open("/dev/null", O_RDONLY) }

exit(await Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
