import Glibc
import ServiceLifecycle
import UnixSignals

/// A node that has a process for itself, as `partyline run` starts it: SIGTERM and SIGINT end it, and the
/// process may open as many files as it needs. Several nodes in one process are `StartedNode`s.
package struct PartylineNode: Sendable {
    private let options: RunOptions

    package init(options: RunOptions) { self.options = options }

    /// Returns when the node has left the mesh.
    ///
    /// - Throws: what `StartedNode.start` throws.
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

    /// Raises the soft limit towards the hard one; a refusal changes nothing.
    private func raiseFileLimit() {
        let resource = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < PartylineNode.filesWanted else { return }
        limit.rlim_cur = min(PartylineNode.filesWanted, limit.rlim_max)
        setrlimit(resource, &limit)
    }

    /// Open files: 64 peers with two sockets each while they dial, and room beside them.
    private static let filesWanted: rlim_t = 8_192
}
