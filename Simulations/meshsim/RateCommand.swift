import ArgumentParser
import MeshSimulator
import Primitives

struct RateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rate", abstract: "Measures how fast a healthy mesh is simulated.")

    @OptionGroup var options: SeedOptions

    @Option(help: "The seed of all random values.")
    var seed: UInt64 = 1

    @Option(help: "Number of nodes that talk without pause, 200 packets a second each.")
    var talkers = 0

    @Option(help: "Seconds of virtual time.")
    var seconds: Int64 = 3_600

    func run() throws {
        let nodes = options.nodes ?? 8
        let names = WorldOptions.numberedNames(nodes)
        let world = World(WorldOptions(seed: seed, names: names, sealing: options.sealing.factory))
        for node in 0..<nodes { world.apply(.start(node)) }
        world.run(until: .zero + .seconds(5))
        for talker in 0..<min(talkers, nodes) { world.startTalking(talker, every: .milliseconds(5)) }
        let before = (counts: world.counts, now: world.now)
        let (_, cost) = timed { world.run(until: before.now + .seconds(seconds)) }
        if let violation = world.violation { complain("\(violation.checker): \(violation.text)") }
        let isClique = world.up.firstGap(among: Array(0..<nodes)) == nil
        let outcome: Outcome = world.violation != nil ? .safety : isClique ? .pass : .liveness
        var counts = world.counts
        counts.events -= before.counts.events
        let summary = Summary(
            traceHash: world.hash, outcome: outcome, seedsRun: 1, seedsFailed: [], counts: counts,
            virtualSeconds: (world.now - before.now).asSeconds, busySeconds: cost.wallSeconds,
            processorSeconds: cost.processorSeconds,
            nodeSeconds: (world.now - before.now).asSeconds * Double(nodes))
        print(options.json ? summary.json : summary.text)
        try outcome.end()
    }
}
