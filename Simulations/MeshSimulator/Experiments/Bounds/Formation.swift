import Mesh
import Primitives

/// How a clique forms: promises L1 (all start together), L2 (one joins), L3 (nodes discover only a common neighbour),
/// L14 (one-way discovery).
extension ExperimentPart {
    /// Promise L1: `nodes` start within a second, and each hears the others' beacons and, in half of the runs, the
    /// directory.
    static func formation(nodes: Int, oneSeedIn: UInt64) -> ExperimentPart {
        let isSmall = nodes <= 32
        let complete = ExperimentRow(
            "L1 \(nodes)", "\(nodes) start within 1 s: clique, since the last start",
            target: isSmall ? .milliseconds(1_500) : .seconds(4), hard: isSmall ? .seconds(5) : .seconds(10))
        let sinceFirst = ExperimentRow("L1 \(nodes) all", "… since the first start")
        return ExperimentPart("L1/\(nodes)", rows: [complete, sinceFirst], oneSeedIn: oneSeedIn) { stage in
            let discovery = DiscoveryRule(hasDirectory: stage.random.chance(permille: 500))
            let world = stage.world(nodes, rule: stage.healthyRule(), discovery: discovery)
            let starts = stage.start(0..<nodes, of: world)
            let time = world.timeToClique(Array(0..<nodes), since: starts.last, within: .seconds(20))
            stage.record(complete, time)
            stage.record(sinceFirst, time.map { $0 + (starts.last - starts.first) })
            stage.close(world)
        }
    }

    /// Promise L1 in a network that loses up to 5 %: a TCP connection that loses its SYN then waits a second.
    static let lossyFormation: ExperimentPart = {
        let complete = ExperimentRow("L1 8 loss", "8 start within 1 s, 0–5 % loss: clique, since the last start")
        return ExperimentPart("L1/8/loss", rows: [complete]) { stage in
            let world = stage.world(8, rule: stage.healthyRule(lossPermille: stage.random.below(51)))
            let starts = stage.start(0..<8, of: world)
            stage.record(complete, world.timeToClique(Array(0..<8), since: starts.last, within: .seconds(60)))
            stage.close(world)
        }
    }()

    /// Promise L2: one node joins a clique of 32 at rest.
    static let join: ExperimentPart = {
        let row = ExperimentRow(
            "L2", "one joins 32: all its links up", target: .seconds(1), hard: .milliseconds(2_500))
        return ExperimentPart("L2", rows: [row], oneSeedIn: 20) { stage in
            let world = stage.world(33, rule: stage.healthyRule())
            if stage.settledClique(world, of: 0..<32) {
                stage.start([32], of: world, within: .zero)
                stage.record(row, world.timeToClique(Array(0..<33), since: world.now, within: .seconds(20)))
            }
            stage.close(world)
        }
    }()

    /// Promise L3: nodes that never discover each other have a common neighbour. All are linked to it before the
    /// measurement begins.
    static let hole: ExperimentPart = {
        let row = ExperimentRow(
            "L3", "A and C know B alone: A and C linked", target: .milliseconds(1_500), hard: .milliseconds(3_500))
        return ExperimentPart("L3", rows: [row]) { stage in
            let count = 3 + Int(stage.random.below(4))
            let world = stage.world(count, rule: stage.healthyRule())
            for listener in 1..<count {
                for subject in 1..<count { world.apply(.setHearing(false, listener: listener, subject: subject)) }
            }
            stage.start(0..<count, of: world)
            let reachesHub = world.run(until: world.now + .seconds(30)) { world in
                (1..<count).contains { !world.up.isUp(0, at: $0) || !world.up.isUp($0, at: 0) }
            }
            let since = world.now
            let time = world.timeToClique(Array(0..<count), since: since, within: .seconds(30))
            stage.record(row, reachesHub ? time : nil)
            stage.close(world)
        }
    }()

    /// Promise L14: of two nodes only the follower discovers the other.
    static let oneWayDiscovery: ExperimentPart = {
        let row = ExperimentRow(
            "L14", "two nodes, only the follower discovers: linked", target: .seconds(1), hard: .seconds(4))
        return ExperimentPart("L14", rows: [row]) { stage in
            let world = stage.world(2, rule: stage.healthyRule())
            let leader = world.network.hosts[1].node < world.network.hosts[0].node ? 0 : 1
            world.apply(.setHearing(false, listener: leader, subject: 1 - leader))
            let starts = stage.start(0..<2, of: world)
            stage.record(row, world.timeToClique([0, 1], since: starts.last, within: .seconds(30)))
            stage.close(world)
        }
    }()
}
