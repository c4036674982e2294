import MeshSimulator
import Primitives
import Testing

@Suite("Exploration of a pair")
struct ExplorerTests {
    @Test("the pair links, whichever of the first forty messages is disturbed", arguments: [false, true])
    func oneDeviation(isOneWay: Bool) {
        let report = Explorer(depth: 1, window: 40, isOneWay: isOneWay).run()
        if let violation = report.violation {
            Issue.record("\(violation.checker): \(violation.text), after \(report.path)")
        }
        #expect(100 < report.runs)
        #expect(15 < report.states)
        #expect(report.transitions > UInt64(report.runs) * 20)
    }

    @Test("the same exploration always counts the same")
    func repeats() {
        let first = Explorer(depth: 1, window: 12).run()
        let second = Explorer(depth: 1, window: 12).run()
        #expect(first.runs == second.runs)
        #expect(first.transitions == second.transitions)
        #expect(first.states == second.states)
    }
}
