import Mesh
import MeshSimulator
import Primitives
import Testing

@Suite("Times of links")
struct LinkTimesTests {
    private func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }
    private let one = Instance(exactly: 1)!
    private let two = Instance(exactly: 2)!

    private func pair(openAt seconds: Int64) -> LinkTimes {
        var times = LinkTimes(nodeCount: 2)
        times.observe(.started(node: 0, one), at: .zero)
        times.observe(.started(node: 1, one), at: .zero)
        times.routesChanged(at: at(seconds), isRunning: { _ in true }, isOpen: { _, _ in true })
        return times
    }

    private func up(_ times: inout LinkTimes, at seconds: Int64) {
        times.observe(.peerUp(observer: 0, peer: 1, slot: 0, one), at: at(seconds))
    }

    private func down(_ times: inout LinkTimes, at seconds: Int64) {
        times.observe(.peerDown(observer: 0, peer: 1, slot: 0, one, .silent), at: at(seconds))
    }

    @Test("the time of a first link starts when the two can reach each other")
    func linking() {
        var times = pair(openAt: 3)
        up(&times, at: 5)
        #expect(times.linking == [.seconds(2)])
        #expect(times.repair.isEmpty)
    }

    @Test("the time of a repair starts at the end of the cut")
    func repair() {
        var times = pair(openAt: 0)
        up(&times, at: 1)
        times.routesChanged(at: at(2), isRunning: { _ in true }, isOpen: { from, _ in from == 0 })
        down(&times, at: 4)
        times.routesChanged(at: at(10), isRunning: { _ in true }, isOpen: { _, _ in true })
        up(&times, at: 11)
        #expect(times.repair == [.seconds(1)])
    }

    @Test("the time of a link lost on an open path starts at its loss")
    func lostOnOpenPath() {
        var times = pair(openAt: 0)
        up(&times, at: 1)
        down(&times, at: 4)
        up(&times, at: 7)
        #expect(times.repair == [.seconds(3)])
    }

    @Test("the time of a detection ends when the neighbour's link is down, and a first link follows again")
    func detection() {
        var times = pair(openAt: 0)
        up(&times, at: 1)
        times.observe(.stopped(node: 1), at: at(5))
        times.routesChanged(at: at(5), isRunning: { $0 == 0 }, isOpen: { _, _ in true })
        down(&times, at: 6)
        #expect(times.detection == [.seconds(1)])
        times.observe(.started(node: 1, two), at: at(8))
        times.routesChanged(at: at(8), isRunning: { _ in true }, isOpen: { _, _ in true })
        times.observe(.peerUp(observer: 0, peer: 1, slot: 0, two), at: at(9))
        #expect(times.linking == [.seconds(1), .seconds(1)])
        #expect(times.repair.isEmpty)
    }

    @Test("a paused node is not timed")
    func standingStill() {
        var times = pair(openAt: 0)
        up(&times, at: 1)
        times.observe(.stopped(node: 1), at: at(5))
        times.routesChanged(at: at(5), isRunning: { _ in false }, isOpen: { _, _ in true })
        down(&times, at: 20)
        #expect(times.detection.isEmpty)
    }

    @Test("the times of a world's run are measured")
    func ofWorld() {
        let world = World(WorldOptions(seed: 4, names: WorldOptions.numberedNames(3)))
        for node in 0..<3 { world.apply(.start(node)) }
        world.run(until: at(5))
        #expect(world.times.linking.count == 6)
        world.apply(.vanish(2))
        world.run(until: at(10))
        #expect(world.times.detection.count == 2)
        #expect(world.times.detection.allSatisfy { .seconds(1) < $0 && $0 < .seconds(2) })
    }
}
