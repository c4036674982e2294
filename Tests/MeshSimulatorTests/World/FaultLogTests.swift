import MeshSimulator
import Primitives
import Testing

@Suite("Fault log")
struct FaultLogTests {
    private func second(_ number: Int64) -> Instant { .zero + .seconds(number) }

    @Test("a partition touches the routes between its halves, and no route within a half")
    func partition() {
        var log = FaultLog(nodeCount: 4)
        log.note(.partition(0b0011), at: second(1)) { _, _ in false }
        let touched = [(0, 2), (3, 1), (2, 1)].map { log.restSince($0.0, $0.1) }
        #expect(touched.allSatisfy { $0 == second(1) })
        #expect(log.restSince(0, 1) == .zero && log.restSince(2, 3) == .zero)
    }

    @Test("an end of all cuts touches the routes that were cut, in both directions, and no other")
    func mendAll() {
        var log = FaultLog(nodeCount: 3)
        log.note(.mendAll, at: second(2)) { from, to in (from, to) == (1, 0) }
        #expect(log.restSince(0, 1) == second(2) && log.restSince(1, 0) == second(2))
        #expect(log.restSince(0, 2) == .zero && log.restSince(1, 2) == .zero)
    }
}
