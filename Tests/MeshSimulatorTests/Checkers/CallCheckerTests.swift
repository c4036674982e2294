import MeshSimulator
import Primitives
import Testing
import Wire

@Suite("CallsAreShownOnce can fail")
struct CallCheckerTests {
    private let id = CallID(number: 7)

    private func verdict(_ observations: Observation...) -> String? {
        var checker = CallsAreShownOnce(nodeCount: 3)
        return observations.compactMap { checker.observe($0, at: .zero) }.first
    }

    private var made: Observation { .callMade(caller: 0, id, receivers: [1]) }

    private func shown(at observer: Int, _ caller: Int? = 0) -> Observation {
        .callShown(observer: observer, caller: caller, id)
    }

    private func answered(by peer: Int?, _ answer: CallAnswer) -> Observation {
        .callAnswered(caller: 0, by: peer, id, answer)
    }

    @Test("a call that is shown twice, to another node or by nobody is found; a new life may show it again")
    func showing() {
        #expect(verdict(made, shown(at: 1)) == nil)
        #expect(verdict(made, shown(at: 1), shown(at: 1)) != nil)
        let restart = Observation.started(node: 1, Instance(exactly: 2)!)
        #expect(verdict(made, shown(at: 1), restart, shown(at: 1)) == nil)
        #expect(verdict(made, shown(at: 2)) != nil)
        #expect(verdict(made, shown(at: 1, 2)) != nil)
        #expect(verdict(made, shown(at: 1, nil)) != nil)
        #expect(verdict(shown(at: 1)) != nil)
    }

    @Test("an answer that nobody gave, that comes twice or after the final one is found")
    func answering() {
        let accepted = Observation.callDecided(by: 1, caller: 0, id, isAccepted: true)
        #expect(verdict(made, answered(by: 1, .shown), accepted, answered(by: 1, .accepted)) == nil)
        #expect(verdict(made, answered(by: 1, .declined)) == nil)
        #expect(verdict(made, answered(by: 1, .accepted)) != nil)
        #expect(verdict(made, accepted, answered(by: 1, .accepted), answered(by: 1, .declined)) != nil)
        #expect(verdict(made, answered(by: 1, .declined), answered(by: 1, .shown)) != nil)
        #expect(verdict(made, answered(by: 2, .declined)) != nil)
        #expect(verdict(made, answered(by: nil, .shown)) != nil)
    }
}
