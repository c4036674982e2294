import Glibc
import ServiceLifecycle
import UnixSignals

/// A node with a process of its own, as `partyline run` starts it, and with it the node that feeds its programme if the
/// options name one. SIGTERM and SIGINT end them, SIGHUP reloads the files of the first, and the process raises its
/// limit of open files. For several nodes in one process, use `StartedNode`.
package struct PartylineNode: Sendable {
    private let options: RunOptions

    package init(options: RunOptions) { self.options = options }

    /// Returns when the node has left the mesh. If one of two nodes leaves, the other follows.
    ///
    /// - Throws: the errors of `StartedNode.start`.
    package func run() async throws {
        raiseFileLimit()
        let hangUp = await HangUp()
        let node = try await StartedNode.start(options)
        // From now on this node has links, also while a second one starts, so it says good-bye. Before the first start,
        // a signal ends the process at once.
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        var services: [any Service] = [node]
        if let programme = options.ofProgramme(beside: node.endpoint) {
            services.append(
                LateStart(patience: PartylineNode.startPatience) {
                    let feed = try await StartedNode.start(programme)
                    node.watchProgramme(of: feed)
                    return feed
                })
        }
        services.append(hangUp.answered(by: node))
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map {
                    .init(
                        service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .gracefullyShutdownGroup)
                },
                logger: node.libraryLogger))
        let shutdown = Task {
            for await _ in signals { await group.triggerGracefulShutdown() }
        }
        defer { shutdown.cancel() }
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

    /// How long an order to end waits for the start of the second node. A start takes some 100 ms.
    private static let startPatience = Duration.seconds(1)
    /// Open files: 64 peers with two sockets each while they dial, and ample room for others.
    private static let filesWanted: rlim_t = 8_192
}

/// Answers SIGHUP: the node reads its files again. If its terminal is gone, the signal says so, and the node ends.
private struct HangUp: Sendable {
    private let signals: UnixSignalsSequence
    private let hasTerminal = isatty(STDIN_FILENO) == 1

    /// From now on SIGHUP no longer ends the process.
    init() async { signals = await UnixSignalsSequence(trapping: .sighup) }

    func answered(by node: StartedNode) -> some Service { Answering(hangUp: self, node: node) }

    private struct Answering: Service {
        let hangUp: HangUp
        let node: StartedNode

        func run() async {
            for await _ in hangUp.signals.cancelOnGracefulShutdown() {
                if hangUp.hasTerminal, isatty(STDIN_FILENO) == 0 { node.leave() } else { await reload() }
            }
        }

        /// Returns when the node has read its files again, or when it should end: a file whose disk does not answer
        /// holds up no shutdown.
        private func reload() async {
            let (end, hasEnded) = AsyncStream<Void>.makeStream()
            Task {
                await node.reload()
                hasEnded.finish()
            }
            for await _ in end.cancelOnGracefulShutdown() {}
        }
    }
}
