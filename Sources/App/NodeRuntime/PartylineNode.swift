import Glibc
import ServiceLifecycle
import UnixSignals

/// A node with a process of its own, as `partyline run` starts it. SIGTERM and SIGINT end it, and the process raises
/// its limit of open files. For several nodes in one process, use `StartedNode`.
package struct PartylineNode: Sendable {
    private let options: RunOptions

    package init(options: RunOptions) { self.options = options }

    /// Returns when the node has left the mesh.
    ///
    /// - Throws: the errors of `StartedNode.start`.
    package func run() async throws {
        raiseFileLimit()
        let node = try await StartedNode.start(options)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: node, successTerminationBehavior: .gracefullyShutdownGroup)
                ],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: node.libraryLogger))
        try await group.run()
    }

    /// Raises the soft limit of open files, at most to the hard limit. If the system refuses, the limit stays as it is.
    private func raiseFileLimit() {
        let resource = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < PartylineNode.filesWanted else { return }
        limit.rlim_cur = min(PartylineNode.filesWanted, limit.rlim_max)
        setrlimit(resource, &limit)
    }

    /// Open files: 64 peers with two sockets each while they dial, and ample room for others.
    private static let filesWanted: rlim_t = 8_192
}
