import Mesh
import MeshSimulator
import Primitives
import Testing
import Wire

@Suite("Coverage marks")
struct CoverageMarksTests {
    @Test("each mark has one name, and marks that are counted by raw value have the values from zero on")
    func places() {
        let names = CoverageMarks().all.map { $0.name }
        #expect(Set(names).count == names.count)
        #expect(DownReason.allCases.map { Int($0.rawValue) } == Array(DownReason.allCases.indices))
        #expect(RefusalReason.allCases.map { Int($0.rawValue) } == Array(RefusalReason.allCases.indices))
        #expect(PathKind.allCases.map { Int($0.rawValue) } == Array(PathKind.allCases.indices))
    }

    @Test("the marks of several runs are added")
    func add() {
        let world = World(WorldOptions(seed: 3, names: WorldOptions.numberedNames(2)))
        world.startWatching()
        for node in 0..<2 { world.apply(.start(node)) }
        world.run(until: world.now + .seconds(2))
        world.apply(.leave(1))
        world.run(until: world.now + .seconds(1))
        var marks = world.marks
        func downs() -> UInt64 { marks.all.first { $0.name == "down left" }?.count ?? 0 }
        let once = downs()
        #expect(0 < once)
        marks.add(world.marks)
        #expect(downs() == 2 * once)
    }
}
