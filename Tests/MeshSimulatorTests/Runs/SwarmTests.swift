import Foundation
import MeshSimulator
import Primitives
import Testing

@Suite("Two acts")
struct SwarmTests {
    @Test(
        "a mesh of eight nodes with drawn faults stays safe, and converges when healed",
        arguments: Array(1...100) as [UInt64])
    func hundredSeeds(seed: UInt64) {
        let options = SwarmOptions(seed: seed, nodeCount: 8)
        let report = TwoActs(options, sealing: WorldOptions.transparentSealing).run()
        if let violation = report.violation {
            Issue.record("seed \(seed): \(violation.checker) at \(violation.at): \(violation.text)")
        }
    }

    @Test("every seed that has failed once passes")
    func regressions() throws {
        let seeds = try RegressionSeed.parse(try TestFiles.text("Regressions/seeds.txt"))
        #expect(!seeds.isEmpty)
        for entry in seeds {
            let report = TwoActs(entry.options, sealing: WorldOptions.transparentSealing).run()
            if let violation = report.violation {
                Issue.record("seed \(entry.seed) (\(entry.reason)): \(violation.checker): \(violation.text)")
            }
        }
    }

    @Test("an invalid line in a seed file is refused with its number")
    func badSeedFile() {
        let form = "expected `seed nodes [life] [hostile] [voice] [channels] [standings] # why`"
        #expect(throws: ScenarioError(line: 2, text: "\(form): nonsense")) {
            try RegressionSeed.parse("1 8 # good\nnonsense")
        }
        let drawn = RegressionSeed(seed: 7, nodeCount: nil, reason: "drawn")
        #expect((try? RegressionSeed.parse("7 - # drawn")) == [drawn])
        let long = RegressionSeed(seed: 7, nodeCount: 3, life: .seconds(7_200), reason: "lived")
        #expect((try? RegressionSeed.parse("7 3 2h # lived")) == [long])
        let loud = RegressionSeed(
            seed: 7, nodeCount: 3, life: .seconds(60), parts: [.voice, .channels], reason: "talked")
        #expect((try? RegressionSeed.parse("7 3 1min voice channels # talked")) == [loud])
        #expect(loud.options.speech != nil && loud.options.naming != nil && long.options.speech == nil)
        let closed = RegressionSeed(seed: 7, nodeCount: nil, parts: [.standings], reason: "entered")
        #expect((try? RegressionSeed.parse("7 - standings # entered")) == [closed])
        #expect(closed.options.standings != nil && closed.words == ["--standings", "drawn"])
        #expect(loud.words.suffix(4) == ["--voice", "drawn", "--channels", "drawn"])
        let hostile = RegressionSeed(seed: 7, nodeCount: 8, parts: [.hostile, .standings], reason: "lied")
        #expect((try? RegressionSeed.parse("7 8 hostile standings # lied")) == [hostile])
        #expect(hostile.options.hostileMembers != nil)
        #expect(hostile.words == ["--hostile", "drawn", "--standings", "drawn"])
        for line in ["7 3 long # lived", "7 3 2h 2h # lived", "7 voice # talked"] {
            #expect(throws: ScenarioError.self, "\(line)") { try RegressionSeed.parse(line) }
        }
    }

    @Test("nodes that can never learn of each other are reported as not converging, with their states")
    func livenessCanFail() throws {
        var options = SwarmOptions(seed: 1, nodeCount: 3)
        options.faultKinds = []
        options.lostNodes = []
        options.discovery = DiscoveryRule(hasBeacon: false, hasDirectory: false)
        let report = TwoActs(options, sealing: WorldOptions.transparentSealing).run()
        let violation = try #require(report.violation)
        #expect(violation.checker == "CliqueCompletes")
        #expect(violation.text.contains("0 does not know 1"))
        #expect(report.verdict == .liveness)
    }

    @Test("healing sends no address change to a node that never lost its addresses")
    func healingIsNoKick() {
        var options = SwarmOptions(seed: 1, nodeCount: 3)
        (options.faultKinds, options.hostileKinds, options.lostNodes) = ([], [], [])
        options.severed = nil
        let report = TwoActs(options, sealing: WorldOptions.transparentSealing).run(isTraced: true)
        #expect(report.violation == nil)
        #expect(!report.transcript.contains { $0.contains("online") })
    }

    @Test("a node that was paused when a peer died gets more time, but must notice the death")
    func detectionIsNotExcused() {
        for length in [Interval.milliseconds(1), .milliseconds(1_500)] {
            let world = World(WorldOptions(seed: 3, names: WorldOptions.numberedNames(2)))
            world.isDetectionChecked = true
            for node in 0..<2 { world.apply(.start(node)) }
            world.run(until: .zero + .seconds(5))
            world.apply(.vanish(1))
            world.apply(.pause(0, for: length))
            world.run(until: world.now + length + .milliseconds(1))
            world.freezeDeadlines(of: 0)
            world.run(until: world.now + .milliseconds(1_900))
            #expect(world.violation == nil, "it has its time")
            world.run(until: world.now + .seconds(3))
            #expect(world.violation?.checker == "DeathIsNoticed")
        }
    }

    @Test("a death that is not noticed in time is reported")
    func detectionCanFail() {
        let world = World(WorldOptions(seed: 3, names: WorldOptions.numberedNames(2)))
        world.isDetectionChecked = true
        world.apply(.start(0))
        world.apply(.start(1))
        world.run(until: .zero + .seconds(5))
        // The observer's shell no longer wakes it up, so it cannot notice the death.
        world.apply(.vanish(1))
        world.freezeDeadlines(of: 0)
        world.run(until: world.now + .seconds(4))
        #expect(world.violation?.checker == "DeathIsNoticed")
    }
}
