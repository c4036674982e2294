import Commands
import Glibc

// A core dump would hold the code and the secrets of the mesh. `prlimit --core` permits one for a process again.
var coreDump = rlimit()
if getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &coreDump) == 0 {
    coreDump.rlim_cur = 0
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &coreDump)
}

exit(await Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
