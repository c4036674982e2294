import Mesh
import Primitives

/// E6 and E7, after Rapid (USENIX ATC 2018, figures 9 and 10): one node of 32 is hard to reach. The others must not
/// report it up and down for ever, and must not lose anybody else.
extension Experiment {
    /// E6: nothing reaches the node for 20 s, then everything for 20 s, three times.
    static let oneWay = Experiment(
        name: "one-way", summary: "E6: a node of 32 that hears nothing, 20 s on and 20 s off.", seeds: 1...10,
        parts: [
            .faultyNode(
                "E6", "32 nodes, one hears nothing 20 s on, 20 s off, 3 times",
                published: ("Serf 93", "0", "Serf 93")
            ) { world in
                for _ in 0..<3 {
                    for other in 1..<world.nodeCount { world.apply(.cut(from: other, to: 0)) }
                    world.run(until: world.now + .seconds(20))
                    world.apply(.mendAll)
                    world.run(until: world.now + .seconds(20))
                }
            }
        ])

    /// E7: four of five packets to and from the node are lost for two minutes.
    static let lossyNode = Experiment(
        name: "lossy-node", summary: "E7: a node of 32 that loses 80 % of its packets.", seeds: 1...10,
        parts: [
            .faultyNode(
                "E7", "32 nodes, one loses 80 % for 120 s",
                published: ("Memberlist oscillates", "Akka removes some", "–")
            ) { world in
                for other in 1..<world.nodeCount {
                    for (from, to) in [(0, other), (other, 0)] {
                        var rule = world.network[from, to]
                        rule.lossPermille = 800
                        world.apply(.setRule(from: from, to: to, rule))
                    }
                }
                world.run(until: world.now + .seconds(120))
            }
        ])
}

extension ExperimentPart {
    /// - Parameter published: published counts for other protocols: removals of the node, removals of other nodes,
    ///   returns of the node.
    fileprivate static func faultyNode(
        _ id: String, _ text: String, published: (String, String, String), play: @escaping @Sendable (World) -> Void
    ) -> ExperimentPart {
        let downs = ExperimentRow(
            "\(id) down", "\(text): reported down, by all 31", unit: .count, published: published.0)
        let most = ExperimentRow("\(id) most", "… by any one observer", unit: .count)
        let ups = ExperimentRow("\(id) up", "… and come back", unit: .count, published: published.2)
        let deaths = ExperimentRow("\(id) dead", "… removed as dead, by all 31", unit: .count)
        let benign = ExperimentRow(
            "\(id) benign", "… links between the 31 others lost", unit: .count, hardBound: 0, published: published.1)
        return ExperimentPart(id, rows: [downs, most, ups, deaths, benign]) { stage in
            let world = stage.world(32, rule: stage.healthyRule())
            if stage.settledClique(world, of: 0..<32) {
                let seen = EventsAbout(0, in: world)
                play(world)
                stage.record(downs, Int64(seen.downs.reduce(0, +)))
                stage.record(most, seen.downs.max().map(Int64.init))
                stage.record(ups, Int64(seen.upCount))
                stage.record(deaths, Int64(seen.deathCount))
                stage.record(benign, Int64(seen.lossesOfOthers))
            }
            stage.close(world)
        }
    }
}
