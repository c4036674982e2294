import NIOBridge
import NIOCore
import NIOPosix
import Synchronization
import Testing

@Suite("Work for an event loop that may end")
struct LoopHandlerTests {
    @Test("work that is given before `shut` runs, and later work is refused")
    func shut() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let handler = LoopHandler(to: loop)
        let runs = RunCount()
        let isTaken = handler.execute { runs.count.add(1, ordering: .relaxed) }
        handler.shut()
        let isTakenLater = handler.execute { runs.count.add(1, ordering: .relaxed) }
        #expect(isTaken && !isTakenLater)
        // The loop has run everything before this.
        try await loop.submit {}.get()
        #expect(runs.count.load(ordering: .relaxed) == 1)
    }

    private final class RunCount: Sendable {
        let count = Atomic(0)
    }
}
