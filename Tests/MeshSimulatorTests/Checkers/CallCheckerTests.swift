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
        let declined = Observation.callDecided(by: 1, caller: 0, id, isAccepted: false)
        #expect(verdict(made, declined, answered(by: 1, .declined)) == nil)
        #expect(verdict(made, answered(by: 1, .declined)) != nil)
        #expect(verdict(made, accepted, answered(by: 1, .declined)) != nil)
        #expect(verdict(made, answered(by: 1, .accepted)) != nil)
        #expect(verdict(made, accepted, answered(by: 1, .accepted), answered(by: 1, .declined)) != nil)
        #expect(verdict(made, declined, answered(by: 1, .declined), answered(by: 1, .shown)) != nil)
        #expect(verdict(made, answered(by: 2, .declined)) != nil)
        #expect(verdict(made, answered(by: nil, .shown)) != nil)
    }

    @Test("under do-not-disturb a node may decline by itself, but no urgent call")
    func quiet() {
        func isFound(_ isUrgent: Bool, _ steps: [(Int, Observation)]) -> Bool {
            var checker = CallsAreShownOnce(nodeCount: 2)
            let call = Observation.callMade(caller: 0, id, receivers: [1], isUrgent: isUrgent)
            let course = (steps + [(5, call), (8, answered(by: 1, .declined))]).sorted { $0.0 < $1.0 }
            return course.map { checker.observe($1, at: .zero + .seconds(Int64($0))) }.contains { $0 != nil }
        }
        let on = Observation.quieted(node: 1, isOn: true)
        let off = Observation.quieted(node: 1, isOn: false)
        #expect(!isFound(false, [(1, on)]) && !isFound(false, [(1, on), (6, off)]) && !isFound(false, [(7, on)]))
        #expect(isFound(false, []) && isFound(false, [(1, on), (4, off)]))
        #expect(isFound(true, [(1, on)]), "an urgent call is shown all the same")
        let restart = Observation.started(node: 1, Instance(exactly: 2)!)
        #expect(isFound(false, [(1, on), (4, restart)]), "a new life knows nothing of it")
    }
}
