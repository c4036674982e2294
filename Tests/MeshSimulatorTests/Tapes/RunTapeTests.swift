import Foundation
import MeshSimulator
import Primitives
import Testing

@Suite("Run tapes")
struct RunTapeTests {
    @Test("options and faults of every kind are the same after a write and a read")
    func roundTrip() throws {
        for seed in 1...40 as ClosedRange<UInt64> {
            var options = SwarmOptions(seed: seed, nodeCount: nil)
            options.faultKinds = FaultKind.allCases
            let tape = RunTape(drawnFor: options)
            let data = try JSONEncoder().encode(tape)
            #expect(try JSONDecoder().decode(RunTape.self, from: data) == tape)
        }
    }

    @Test("faults that no seed draws are the same too")
    func rareFaults() throws {
        let rule = LinkRule(
            delayMin: .microseconds(3), delayMean: .zero, lossPermille: 7,
            bursts: BurstLoss(goodMean: .seconds(1), badMean: .seconds(2), badLossPermille: 9), dropsDatagrams: true)
        for fault in [Fault.setRule(from: 1, to: 0, rule), .setAllRules(rule), .mendAll, .online(3)] {
            let data = try JSONEncoder().encode(fault)
            #expect(try JSONDecoder().decode(Fault.self, from: data) == fault)
        }
    }

    @Test("a tape runs like the seed that it was drawn for")
    func sameRun() {
        let options = SwarmOptions(seed: 21, nodeCount: 4)
        let sealing = WorldOptions.transparentSealing
        let ofSeed = TwoActs(options, sealing: sealing).run()
        let ofTape = TwoActs(RunTape(drawnFor: options).trimmed, sealing: sealing).run()
        #expect(ofSeed.traceHash == ofTape.traceHash)
    }

    @Test("an absent node takes no part and is not missed")
    func absent() {
        var options = SwarmOptions(seed: 3, nodeCount: 4)
        options.lostNodes = []
        options.hasDuplicate = false
        options.absentNodes = [1]
        #expect(options.core == [0, 2, 3])
        let record = RunRecord()
        let report = TwoActs(options, sealing: WorldOptions.transparentSealing).run(into: record)
        #expect(report.violation == nil)
        #expect(record.looks(of: 1, at: 0).map(\.look) == [.off])
        #expect(record.looks(of: 0, at: 2).contains { $0.look.isLinked })
    }

    @Test("a duplicate identity starts at the end of a first act that is shorter than two seconds")
    func shortFirstAct() {
        var options = SwarmOptions(seed: 3, nodeCount: 4)
        options.hasDuplicate = true
        options.breakFor = .seconds(1)
        let starts = RunTape(drawnFor: options).trimmed.plan.entries.filter { $0.fault == .start(options.nodeCount) }
        #expect(starts.map(\.at) == [.zero + .seconds(1)])
    }

    @Test("a run with secrets from outside the seed is found not to repeat")
    func notRepeatable() {
        let repeatable = TwoActs(SwarmOptions(seed: 5, nodeCount: 3), sealing: WorldOptions.transparentSealing)
        #expect(repeatable.repeats(repeatable.run()))
        let leaky = TwoActs(SwarmOptions(seed: 5, nodeCount: 3)) { identity, _ in
            WorldOptions.transparentSealing(identity, UInt64.random(in: 1...UInt64.max))
        }
        #expect(!leaky.repeats(leaky.run()))
    }
}
