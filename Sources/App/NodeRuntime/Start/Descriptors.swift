import Glibc

/// Open files: 64 peers with two sockets each while they dial, and room beside them.
enum Descriptors {
    private static let wanted: rlim_t = 8_192

    /// Raises the soft limit towards the hard one; a refusal changes nothing.
    static func raiseLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0, limit.rlim_cur < wanted
        else { return }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
    }
}
