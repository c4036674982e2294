import Mesh
import Primitives

/// Many nodes on one machine that is far too slow for them. Every node lives and every node is late, so each verdict
/// that a node is dead is false.
extension Experiment {
    static let starvedFleet = Experiment(
        name: "starved-fleet", summary: "32 nodes of which all are starved at once: verdicts about the living.",
        seeds: 1...10, parts: [.turns, .slowReaders], showsTotals: true)
}

extension ExperimentPart {
    private static let nodes = 32

    /// Each process waits for its turns to run.
    fileprivate static let turns = starvedFleet("turns", "32 of 32 wait 0.3 s for each turn") { stage, world, end in
        for node in 0..<nodes { world.starve(node, until: end, using: &stage.random) }
    }

    /// In turns, all processes read nothing for 2 s, then everything for 50 ms; their timers run on time.
    fileprivate static let slowReaders = starvedFleet("readers", "32 of 32 read every 2 s") { stage, world, _ in
        stage.slowDown(0..<nodes, of: world, SlowEpisode(blocked: .seconds(2), reading: .milliseconds(50)))
    }

    private static func starvedFleet(
        _ id: String, _ text: String, starve: @escaping @Sendable (Stage, World, Instant) -> Void
    ) -> ExperimentPart {
        let subjects = ["plain SWIM", "ours"]
        let formed = ExperimentRow("\(id) formed", "\(text), from the start on: clique")
        let dead = ExperimentRow(
            "\(id) dead", "… starved when they are a clique, for 60 s: declared dead", unit: .count)
        let down = ExperimentRow("\(id) down", "… links lost", unit: .count)
        let bytes = ExperimentRow("\(id) bytes", "… bytes a node a second, with headers", unit: .bytesPerSecond)
        let rows = [formed, dead, down, bytes].flatMap { row in subjects.map { row.of($0) } }
        return ExperimentPart("fleet/\(id)", rows: rows) { stage in
            for subject in subjects {
                stage.rewind()
                @Sendable func adjust(_ configuration: inout MeshConfiguration) {
                    if subject == "plain SWIM" { configuration.suspicion = .plain(MeshLimits.suspicionMin) }
                }
                let young = stage.world(nodes, rule: stage.healthyRule(), adjust: adjust)
                let starts = stage.start(0..<nodes, of: young)
                starve(stage, young, starts.last + .seconds(60))
                let time = young.timeToClique(Array(0..<nodes), since: starts.last, within: .seconds(60))
                stage.record(formed.of(subject), time)
                stage.close(young)
                let world = stage.world(nodes, rule: stage.healthyRule(), adjust: adjust)
                if stage.settledClique(world, of: 0..<nodes) {
                    let count = FalseVerdictCount(about: 0..<nodes, in: world)
                    let before = world.counts
                    starve(stage, world, world.now + .seconds(60))
                    world.run(until: world.now + .seconds(60))
                    // A world that a violation stopped has not run for the whole time.
                    if world.violation == nil {
                        stage.record(dead.of(subject), Int64(count.deaths))
                        stage.record(down.of(subject), Int64(count.links))
                        stage.record(bytes.of(subject), world.counts.wireBytes(since: before) / Int64(60 * nodes))
                    }
                }
                stage.close(world)
            }
        }
    }
}

extension World {
    /// Starves a process until `end`: it waits for each turn, 300 ms on average and 3 s at most, and then runs for 20
    /// ms. Its timers are as late as its reads.
    func starve(_ node: Int, until end: Instant, using random: inout SeededRandom) {
        var at = now
        while at < end {
            let wait = min(.seconds(3), Exponential.interval(mean: .milliseconds(300), using: &random))
            schedule(.pause(node, for: wait), at: at)
            at += wait + .milliseconds(20)
        }
    }
}
