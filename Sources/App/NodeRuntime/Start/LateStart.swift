package import ServiceLifecycle

/// A service that starts while others run already. An order to end does not wait for a start that hangs: the wait ends
/// `patience` after the order, and the start goes on alone.
package struct LateStart: Service {
    private let patience: Duration
    private let start: @Sendable () async throws -> any Service

    package init(patience: Duration, start: @escaping @Sendable () async throws -> any Service) {
        self.patience = patience
        self.start = start
    }

    /// Returns when the service has ended, or when the wait for its start has ended.
    ///
    /// - Throws: the errors of the start and of the service.
    package func run() async throws {
        let (started, outcome) = AsyncThrowingStream<any Service, any Error>.makeStream()
        Task { [start] in
            do {
                outcome.yield(try await start())
                outcome.finish()
            } catch {
                outcome.finish(throwing: error)
            }
        }
        try await withGracefulShutdownHandler {
            for try await service in started { try await service.run() }
        } onGracefulShutdown: { [patience] in
            Task {
                try? await Task.sleep(for: patience)
                outcome.finish()
            }
        }
    }
}
