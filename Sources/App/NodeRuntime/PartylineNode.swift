import Logging
import ServiceLifecycle
import UnixSignals

/// A whole node: Core, its adapters and their threads (docs/ARCHITECTURE.md, "What each module is").
///
/// Start: state → keys → sound → ports → control socket → mesh → discovery. End: good-bye →
/// carriers flushed → sound → state. A lack on the way (no sound card, no Avahi, no network, no
/// writable folder) is a warning in `status`; what a person must decide (name in use, port taken)
/// ends the start with a clear error.
package struct PartylineNode: Sendable {
    private let options: RunOptions

    package init(options: RunOptions) { self.options = options }

    /// Returns when the node has left the mesh.
    package func run() async throws {
        let logger = NodeLogging.logger(level: options.logLevel)
        let node = try await StartedNode(options: options, logger: logger)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: node, successTerminationBehavior: .gracefullyShutdownGroup)
                ],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: NodeLogging.quiet(logger)))
        try await group.run()
    }
}

/// What ends a start besides the errors of the parts.
package enum StartError: Error, Hashable, Sendable, CustomStringConvertible {
    case channelUnreadable

    package var description: String {
        switch self {
        case .channelUnreadable: "the channel's name holds nothing that can be shown"
        }
    }
}
