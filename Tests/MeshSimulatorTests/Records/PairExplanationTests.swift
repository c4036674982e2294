import MeshSimulator
import Primitives
import Testing

@Suite("The explanation of a pair")
struct PairExplanationTests {
    private func explain(_ faults: [(seconds: Int64, fault: Fault)], at seconds: Int64) throws -> PairExplanation {
        let question = RunRecord.Question(at: .zero + .seconds(seconds), observer: 0, peer: 1)
        let record = RunRecord(question: question)
        var options = SwarmOptions(seed: 2, nodeCount: 3)
        options.rule = .wired
        options.discovery = DiscoveryRule()
        options.breakFor = .seconds(60)
        options.talkerCount = 0
        options.lostNodes = []
        let starts = (0..<options.nodeCount).map { FaultPlan.Entry(at: .zero, fault: .start($0)) }
        let entries = faults.map { FaultPlan.Entry(at: .zero + .seconds($0.seconds), fault: $0.fault) }
        let tape = RunTape(options: options, plan: FaultPlan(entries: starts + entries))
        #expect(TwoActs(tape, sealing: WorldOptions.transparentSealing).run(into: record).violation == nil)
        return try #require(PairExplanation(record))
    }

    @Test("a linked pair: both sides are up, a path has a fresh echo, and there is no obstacle")
    func linked() throws {
        let explanation = try explain([], at: 10)
        #expect(explanation.ofObserver.look == .direct)
        #expect(explanation.ofPeer.look == .direct)
        #expect(explanation.state.obstacles.isEmpty)
        let path = try #require(explanation.state.observer.paths.first { $0.isChosen })
        #expect(path.kind == "direct")
        let echoedAt = try #require(path.echoedAt)
        #expect(explanation.state.at - echoedAt < .seconds(1))
        #expect(explanation.state.observer.next == nil)
        #expect(explanation.state.observer.known?.instance == 1)
    }

    @Test("a cut pair: the cuts, the failures, the next attempt and the recovery are shown")
    func cut() throws {
        let cuts: [(Int64, Fault)] = [
            (10, .cut(from: 0, to: 1)), (10, .cut(from: 1, to: 0)), (14, .cut(from: 1, to: 2)),
            (40, .mendAll),
        ]
        let explanation = try explain(cuts, at: 18)
        #expect(!explanation.ofObserver.look.isLinked)
        #expect(explanation.ofObserver.before != nil)
        #expect(explanation.state.obstacles == ["n0 -> n1 is cut", "n1 -> n0 is cut"])
        let upAgainAt = try #require(explanation.ofObserver.upAgainAt)
        #expect(.zero + .seconds(40) < upAgainAt)
        let sides = [explanation.state.observer, explanation.state.peer]
        #expect(sides.contains { $0.lastFailure != nil })
        #expect(sides.contains { 0 < $0.failures && $0.next != nil })
        #expect(!explanation.dials.isEmpty)
        let texts = explanation.timeline.map(\.text)
        #expect(texts.contains("cut n0 -> n1"))
        #expect(!texts.contains { $0.contains("n1 -> n2") })
        #expect(texts.contains { $0.contains("n1 down, silent") })
    }

    @Test("a stopped peer is shown as off, and its own view is empty")
    func off() throws {
        let explanation = try explain([(10, .kill(1))], at: 15)
        #expect(explanation.state.obstacles == ["n1 is off"])
        #expect(explanation.ofPeer.look == .off)
        #expect(explanation.state.peer.instance == nil)
        #expect(explanation.ofPeer.upAgainAt != nil)
    }

    @Test("a record of a run does not change the run")
    func harmless() {
        let acts = TwoActs(SwarmOptions(seed: 9, nodeCount: 4), sealing: WorldOptions.transparentSealing)
        let record = RunRecord(question: RunRecord.Question(at: .zero + .seconds(3), observer: 0, peer: 1))
        #expect(acts.run().traceHash == acts.run(into: record).traceHash)
    }
}
