import MeshSimulator
import Primitives
import Testing

@Suite("Interrupted round trips")
struct InterruptedTripTests {
    /// Returns what excuses a half-open link of node 0 after three seconds on routes of this rule, and after `change`.
    private func trips(_ rule: LinkRule, _ change: (World) -> Void) -> (before: Instant?, after: Instant?) {
        let world = World(WorldOptions(seed: 4, names: ["a", "b"], rule: rule))
        world.startWatching()
        for node in 0..<2 { world.apply(.start(node)) }
        func trip() -> Instant? {
            world.snapshot(of: [0, 1]).node(0)?.views.first { $0.peer == 1 }?.interruptedTripAt
        }
        world.run(until: .zero + .seconds(3))
        let before = trip()
        change(world)
        world.run(until: world.now + .milliseconds(300))
        return (before, trip())
    }

    @Test("a route that may lose datagrams, but has lost none since the last answer, excuses nothing")
    func queue() {
        var rule = LinkRule.wired
        rule.queue = PathQueue(service: .microseconds(10), capacity: 1_000)
        let trips = trips(rule) { _ in }
        #expect(trips.before == nil && trips.after == nil)
    }

    @Test("a cut after the last answer excuses a link from that answer on")
    func cut() throws {
        let trips = trips(.wired) { $0.apply(.cut(from: 0, to: 1)) }
        #expect(trips.before == nil)
        let after = try #require(trips.after)
        #expect(after <= .zero + .seconds(4))
    }
}
