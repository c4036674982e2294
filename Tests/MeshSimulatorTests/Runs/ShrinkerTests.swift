import MeshSimulator
import Primitives
import Testing

@Suite("Shrinking")
struct ShrinkerTests {
    private func end(_ fails: Bool, _ checker: String = "Promise", at seconds: Int64 = 50) -> Shrinker.End {
        let at = Instant.zero + .seconds(seconds)
        let violation = Violation(kind: .safety, checker: checker, text: "", at: at)
        return Shrinker.End(violation: fails ? violation : nil, virtualTime: .seconds(seconds))
    }

    private func tape() -> RunTape {
        var options = SwarmOptions(seed: 11, nodeCount: 6)
        options.breakFor = .seconds(40)
        options.lostNodes = []
        let others = (0..<30).map { index in
            FaultPlan.Entry(at: .zero + .seconds(Int64(1 + index)), fault: .changeAddress(index % 6))
        }
        let needed = [
            FaultPlan.Entry(at: .zero + .seconds(7), fault: .kill(2)),
            FaultPlan.Entry(at: .zero + .seconds(19), fault: .cut(from: 0, to: 4)),
        ]
        return RunTape(options: options, plan: FaultPlan(entries: (others + needed).sorted { $0.at < $1.at }))
    }

    @Test("only the faults, nodes and time that the failure needs remain")
    func minimal() {
        let whole = tape()
        var shrinker = Shrinker(whole, end: end(true), runsMax: 1_000) { tape in
            let faults = tape.plan.entries.map(\.fault)
            let needs = faults.contains(.kill(2)) && faults.contains(.cut(from: 0, to: 4))
            let present = ![0, 2, 4].contains { tape.options.absentNodes.contains($0) }
            return end(needs && present, at: 10 + tape.options.breakFor.milliseconds / 1_000)
        }
        shrinker.shrink()
        #expect(shrinker.tape.plan.entries.map(\.fault) == [.kill(2), .cut(from: 0, to: 4)])
        #expect(shrinker.tape.options.absentNodes == [1, 3, 5])
        #expect(shrinker.tape.options.rule.lossPermille == 0)
        #expect(shrinker.tape.options.breakFor < .seconds(3))
        #expect(shrinker.progress.runsSpent < 200)
    }

    @Test("another failure does not count as the one that is shrunk")
    func otherChecker() {
        let whole = tape()
        var shrinker = Shrinker(whole, end: end(true), runsMax: 100) { _ in end(true, "Another") }
        shrinker.shrink()
        #expect(shrinker.tape == whole)
    }

    @Test("everything after a failure in the first act is removed without a run")
    func stopsAtFailure() {
        var shrinker = Shrinker(tape(), end: end(true, at: 9), runsMax: 0) { _ in end(false) }
        shrinker.shrink()
        #expect(shrinker.tape.options.breakFor == .seconds(9))
        #expect(shrinker.tape.plan.entries.allSatisfy { $0.at <= .zero + .seconds(9) })
    }

    @Test("the shrinker spends at most the allowed number of runs")
    func bounded() {
        var runs = 0
        var shrinker = Shrinker(tape(), end: end(true), runsMax: 7) { _ in
            runs += 1
            return end(false)
        }
        shrinker.shrink()
        #expect(runs == 7)
    }

    @Test("a real failure shrinks to two nodes that cannot find each other")
    func real() {
        var options = SwarmOptions(seed: 1, nodeCount: 3)
        options.discovery = DiscoveryRule(hasBeacon: false, hasDirectory: false)
        options.faultKinds = [.cut, .leave]
        options.breakFor = .seconds(5)
        options.lostNodes = []
        func play(_ tape: RunTape) -> Shrinker.End {
            let report = TwoActs(tape, sealing: WorldOptions.transparentSealing).run()
            return Shrinker.End(violation: report.violation, virtualTime: report.virtualTime)
        }
        let whole = RunTape(drawnFor: options)
        var shrinker = Shrinker(whole, end: play(whole), runsMax: 100, play: play)
        shrinker.shrink()
        #expect(shrinker.tape.plan.entries.isEmpty)
        #expect(shrinker.tape.options.core.count == 2)
        #expect(play(shrinker.tape).violation?.checker == "CliqueCompletes")
    }
}
