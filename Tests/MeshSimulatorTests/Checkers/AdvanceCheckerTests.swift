import MeshSimulator
import Primitives
import Testing

@Suite("Advances of an instance")
struct AdvanceCheckerTests {
    private static let one = Instance(exactly: 1)!
    private static let two = Instance(exactly: 2)!

    private func isFound(_ observations: Observation...) -> Bool {
        var checker = AdvancesAreDurable(nodeCount: 1)
        return observations.contains { checker.observe($0, at: .zero) != nil }
    }

    @Test("AdvancesAreDurable finds a node that goes on under a number that its present life has not written")
    func durable() {
        let start = Observation.started(node: 0, Self.one)
        let written = Observation.counterWritten(node: 0, Self.two)
        let advanced = Observation.advanced(node: 0, Self.two)
        #expect(!isFound(start, written, advanced))
        #expect(isFound(start, advanced))
        #expect(isFound(start, .counterWritten(node: 0, Self.one), advanced))
        #expect(isFound(start, written, start, advanced), "a former life wrote it")
    }
}
