import Logging
import NodeRuntime
import ServiceLifecycle
import Testing

@Suite("a service that starts while others run", .timeLimit(.minutes(1)))
struct LateStartTests {
    private struct Part: Service {
        var onEnd: @Sendable () -> Void = {}

        func run() async throws {
            try await gracefulShutdown()
            onEnd()
        }
    }

    private struct Failure: Error {}

    private func group(of late: LateStart) -> ServiceGroup {
        let service = ServiceGroupConfiguration.ServiceConfiguration(
            service: late, successTerminationBehavior: .gracefullyShutdownGroup,
            failureTerminationBehavior: .gracefullyShutdownGroup)
        return ServiceGroup(
            configuration: ServiceGroupConfiguration(services: [service], logger: Logger(label: "late start")))
    }

    @Test("an order to end leaves a start that hangs to itself")
    func hangs() async throws {
        let (never, _) = AsyncStream<Void>.makeStream()
        let (begun, hasBegun) = AsyncStream<Void>.makeStream()
        let group = group(
            of: LateStart(patience: .zero) {
                hasBegun.finish()
                for await _ in never {}
                return Part()
            })
        async let ended: Void = group.run()
        for await _ in begun {}
        await group.triggerGracefulShutdown()
        try await ended
    }

    @Test("a start that is over soon after the order to end is waited for, and its service ends")
    func soon() async throws {
        let (order, isOrdered) = AsyncStream<Void>.makeStream()
        let (ends, isOver) = AsyncStream<Void>.makeStream()
        let group = group(
            of: LateStart(patience: .seconds(300)) {
                for await _ in order {}
                return Part { isOver.yield() }
            })
        async let ended: Void = group.run()
        await group.triggerGracefulShutdown()
        isOrdered.finish()
        try await ended
        isOver.finish()
        let count = await ends.reduce(0) { count, _ in count + 1 }
        #expect(count == 1)
    }

    @Test("the error of a start is thrown")
    func fails() async {
        let group = group(of: LateStart(patience: .zero) { throw Failure() })
        await #expect(throws: Failure.self) { try await group.run() }
    }
}
