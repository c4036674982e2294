import Mesh
import Primitives

/// E2, after Lifeguard's figure of latency against false verdicts: what a shorter suspicion gains and costs.
///
/// Lifeguard's parameter a gives the shortest suspicion, a · log10(n) seconds; the longest is six times that. Plain
/// SWIM always uses the shortest. At a = 5 it counts as 100 % in the paper, and the other figures are compared with it.
extension Experiment {
    static let suspicionTrade = Experiment(
        name: "suspicion-trade",
        summary: "E2: time to conclude a death, and false verdicts, by the suspicion's length.",
        seeds: 1...10, parts: [.suspicionTrade], showsTotals: true)
}

extension ExperimentPart {
    private static let nodes = 32
    private static let slow = 8

    fileprivate static let suspicionTrade: ExperimentPart = {
        let latency = ExperimentRow("E2 latency", "one of \(nodes) vanishes: dead at all others")
        let errors = ExperimentRow(
            "E2 FP", "\(slow) of \(nodes) slow for 60 s: healthy nodes declared dead, by any node", unit: .count)
        let rows = [latency, errors].flatMap { row in SuspicionScale.all.map { row.of($0.name) } }
        return ExperimentPart("E2", rows: rows) { stage in
            for scale in SuspicionScale.all {
                stage.rewind()
                let episode = SlowEpisode(drawnWith: &stage.random)
                let world = stage.world(nodes, rule: stage.healthyRule()) { $0.suspicion = scale.policy }
                guard stage.settledClique(world, of: 0..<nodes) else {
                    stage.close(world)
                    continue
                }
                stage.record(latency.of(scale.name), world.timeToConclude(deathOf: nodes - 1))
                let count = FalseVerdictCount(about: slow..<nodes - 1, in: world)
                stage.slowDown(0..<slow, of: world, episode)
                world.run(until: world.now + .seconds(60))
                // A world that a violation stopped has not run for the whole time.
                if world.violation == nil { stage.record(errors.of(scale.name), Int64(count.deaths)) }
                stage.close(world)
            }
        }
    }()
}

private struct SuspicionScale: Sendable {
    let name: String
    let policy: SuspicionPolicy

    /// log10 of 32 is 1.505.
    private static func least(_ a: Int64) -> Interval { .milliseconds(1_505 * a) }

    static let all =
        [SuspicionScale(name: "plain a=5", policy: .plain(least(5)))]
        + [5, 4, 2].map { (a: Int64) in
            SuspicionScale(name: "ours a=\(a)", policy: .lifeguard(least: least(a), most: least(a) * 6))
        } + [SuspicionScale(name: "ours", policy: .standard)]
}

extension World {
    /// Makes a machine vanish. Returns the time until every other node has declared it dead; nil if one has not
    /// after 120 s.
    func timeToConclude(deathOf node: Int) -> Interval? {
        let deaths = DeathCount(of: node, in: self)
        let diedAt = now
        apply(.vanish(node))
        while deaths.count < nodeCount - 1, now < diedAt + .seconds(120), violation == nil { _ = step() }
        return deaths.count == nodeCount - 1 ? now - diedAt : nil
    }
}
