import Mesh
import MeshSimulator
import Primitives
import Testing

@Suite("Long lives")
struct LongLifeTests {
    private func life(seed: UInt64, _ length: Interval, nodes: Int? = nil) -> SwarmOptions {
        SwarmOptions(seed: seed, nodeCount: nodes, life: length)
    }

    @Test(
        "a life of two hours keeps every promise, in every interval of faults and every rest",
        arguments: [1, 2, 3, 4] as [UInt64])
    func lives(seed: UInt64) {
        let options = life(seed: seed, .seconds(7_200))
        let report = TwoActs(options, sealing: WorldOptions.transparentSealing).run()
        if let violation = report.violation {
            Issue.record("seed \(seed): \(violation.checker) at \(violation.at): \(violation.text)")
        }
        #expect(.seconds(7_200) <= report.virtualTime)
        #expect(report.nodeTime <= report.virtualTime * Int64(options.nodeCount))
        #expect(report.virtualTime * Int64(options.nodeCount - 1) <= report.nodeTime)
    }

    @Test("intervals of faults follow one another, and contain all faults", arguments: Array(1...40) as [UInt64])
    func episodes(seed: UInt64) throws {
        let options = life(seed: seed, .seconds(21_600))
        let episodes = try #require(options.episodes)
        #expect((2...6).contains(options.nodeCount))
        #expect(zip(episodes, episodes.dropFirst()).allSatisfy { $0.restEnd == $1.begin })
        #expect(episodes.allSatisfy { SimLimits.convergenceMax < $0.restEnd - $0.end })
        for entry in FaultPlan(drawnFor: options).entries {
            #expect(episodes.contains { $0.begin <= entry.at && entry.at <= $0.end }, "\(entry)")
        }
    }

    @Test("a link that is lost during a rest fails the life")
    func restCanFail() throws {
        var options = life(seed: 5, .seconds(600), nodes: 2)
        options.faultKinds = []
        options.hostileKinds = []
        let episode = try #require(options.episodes?.first)
        var tape = RunTape(drawnFor: options)
        let at = episode.restEnd - .seconds(3)
        tape.plan.entries.append(FaultPlan.Entry(at: at, fault: .kill(1)))
        let report = TwoActs(tape, sealing: WorldOptions.transparentSealing).run()
        #expect(report.violation?.checker == "CliqueIsQuiet")
        #expect(report.violation?.at == episode.restEnd - Interval(nanoseconds: 1))
    }

    @Test("a node that is missing during a rest counts no time, and is back in the next interval of faults")
    func missing() throws {
        var options = life(seed: 5, .seconds(600), nodes: 3)
        options.faultKinds = []
        options.hostileKinds = []
        options.episodes = [
            Episode(begin: .zero, end: .zero + .seconds(10), restEnd: .zero + .seconds(110), missing: 2),
            Episode(begin: .zero + .seconds(110), end: .zero + .seconds(120), restEnd: .zero + .seconds(220)),
        ]
        options.breakFor = .seconds(220)
        let report = TwoActs(options, sealing: WorldOptions.transparentSealing).run()
        #expect(report.violation == nil)
        let missed = report.virtualTime * 3 - report.nodeTime
        #expect(.seconds(99) < missed && missed < .seconds(103))
    }

    @Test("a mesh is calm if every node has had all its peers up for long, and knows no others")
    func calm() {
        func view(_ peer: Int, upFor: Interval? = .seconds(60)) -> MeshSnapshot.View {
            MeshSnapshot.View(
                peer: peer, state: upFor == nil ? .down : .up, isLeader: peer == 1, link: nil, upFor: upFor)
        }
        func snapshot(_ change: (inout [MeshSnapshot.Node]) -> Void) -> MeshSnapshot {
            var nodes = [
                MeshSnapshot.Node(index: 0, instance: .max, views: [view(1)]),
                MeshSnapshot.Node(index: 1, instance: .max, views: [view(0)]),
            ]
            for index in nodes.indices { nodes[index].peersShown = 1 }
            change(&nodes)
            return MeshSnapshot(at: .zero + .seconds(100), nodes: nodes, peersMax: 1)
        }
        #expect(snapshot { _ in }.isCalm)
        #expect(!snapshot { $0[0].views = [view(1, upFor: nil)] }.isCalm)
        #expect(!snapshot { $0[1].views = [view(0, upFor: .seconds(20))] }.isCalm)
        #expect(!snapshot { $0[1].views[0].failures = 1 }.isCalm)
        #expect(!snapshot { $0[0].peersShown = 2 }.isCalm)
        #expect(!snapshot { $0[0].hinderedUntil = .zero + .seconds(95) }.isCalm)
    }
}
