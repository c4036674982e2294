import Mesh
import Primitives

/// How a clique recovers: after faults (L4), a partition (L6), restarts (L8, L8b), and the quarantine of a peer (L9).
extension ExperimentPart {
    /// Promise L4 (the core becomes a clique after the faults) and promise L13 (it is quiet then): the two acts of a
    /// swarm run.
    static let afterFaults: ExperimentPart = {
        let complete = ExperimentRow(
            "L4", "faults of a swarm run stop: clique", target: .seconds(3), hard: SimLimits.convergenceMax)
        let quiet = ExperimentRow(
            "L13 calm", "… last invitation after the faults", hard: SimLimits.convergenceMax)
        return ExperimentPart("L4", rows: [complete, quiet], oneSeedIn: 4) { stage in
            let report = TwoActs(SwarmOptions(seed: stage.random.next(), nodeCount: nil), sealing: stage.sealing).run()
            stage.record(complete, report.convergence)
            stage.record(quiet, report.quietness)
            if let violation = report.violation { stage.note(violation) }
        }
    }()

    /// A process is paused for 3 to 20 s, so that all other nodes take their links to it down, and then goes on.
    static let stopped: ExperimentPart = {
        let row = ExperimentRow(
            "L4 stop", "a process stood still for 3–20 s and goes on: linked with all", hard: .seconds(10))
        return ExperimentPart("L4 stop", rows: [row], oneSeedIn: 4) { stage in
            let count = 3 + Int(stage.random.below(6))
            let world = stage.world(count, rule: stage.healthyRule())
            if stage.settledClique(world, of: 0..<count) {
                let length = stage.random.interval(in: .seconds(3)...(.seconds(20)))
                world.apply(.pause(0, for: length))
                world.run(until: world.now + length)
                stage.record(row, world.timeToClique(Array(0..<count), since: world.now, within: .seconds(40)))
            }
            stage.close(world)
        }
    }()

    /// Promise L6: two halves that were apart for a minute come together again.
    static func partition(nodes: Int, oneSeedIn: UInt64) -> ExperimentPart {
        let row = ExperimentRow(
            "L6 \(nodes)", "\(nodes) in halves for 55–65 s, healed: clique", target: .seconds(3), hard: .seconds(10))
        return ExperimentPart("L6/\(nodes)", rows: [row], oneSeedIn: oneSeedIn) { stage in
            let world = stage.world(nodes, rule: stage.healthyRule())
            if stage.settledClique(world, of: 0..<nodes) {
                // Every second node, so that each half has low and high numbers.
                world.apply(.partition(0x5555_5555_5555_5555))
                world.run(until: world.now + stage.random.interval(in: .seconds(55)...(.seconds(65))))
                world.apply(.mendAll)
                stage.record(row, world.timeToClique(Array(0..<nodes), since: world.now, within: .seconds(60)))
            }
            stage.close(world)
        }
    }

    /// Promise L8: a process dies, or its machine vanishes, and starts again under the next instance within two
    /// seconds.
    static let restart: ExperimentPart = {
        let row = ExperimentRow(
            "L8", "restart: links replaced, the old instance gone", target: .seconds(1), hard: .milliseconds(2_500))
        return ExperimentPart("L8", rows: [row]) { stage in
            let count = 3 + Int(stage.random.below(6))
            let world = stage.world(count, rule: stage.healthyRule())
            if stage.settledClique(world, of: 0..<count) {
                world.apply(stage.random.chance(permille: 500) ? .kill(0) : .vanish(0))
                world.run(until: world.now + stage.random.interval(in: .zero...(.seconds(2))))
                world.apply(.start(0))
                // A link counts as up only with the living instance, so the old instance is gone when the clique is
                // complete.
                stage.record(row, world.timeToClique(Array(0..<count), since: world.now, within: .seconds(40)))
            }
            stage.close(world)
        }
    }()

    /// Promise L8b: a node restarts, and its counter on disk has been rolled back, as after the restore of a backup.
    static let rolledBack: ExperimentPart = {
        let row = ExperimentRow(
            "L8b", "restart with its counter rolled back: linked again", target: .milliseconds(1_500),
            hard: .seconds(5))
        return ExperimentPart("L8b", rows: [row]) { stage in
            let count = 3 + Int(stage.random.below(6))
            let world = stage.world(count, rule: stage.healthyRule())
            for _ in 0..<3 {
                world.apply(.start(0))
                world.apply(.kill(0))
            }
            if stage.settledClique(world, of: 0..<count) {
                world.apply(stage.random.chance(permille: 500) ? .kill(0) : .vanish(0))
                world.apply(.rollBack(0, by: 1 + stage.random.below(3)))
                world.run(until: world.now + stage.random.interval(in: .zero...(.seconds(2))))
                world.apply(.start(0))
                stage.record(row, world.timeToClique(Array(0..<count), since: world.now, within: .seconds(60)))
            }
            stage.close(world)
        }
    }()

    /// Promise L9: two nodes that have been linked restart, and cannot connect until one shows the other in quarantine
    /// (the wait after five or more failed attempts in a row). Then the network is mended. There is no third node,
    /// because a common neighbour would forward a tunnel between the two.
    static let quarantined: ExperimentPart = {
        let row = ExperimentRow(
            "L9", "a quarantined peer can be reached again, no neighbour: linked", target: .seconds(3),
            hard: .seconds(35))
        return ExperimentPart("L9", rows: [row]) { stage in
            let world = stage.world(2, rule: stage.healthyRule())
            stage.start(0..<2, of: world)
            guard stage.settledClique(world, of: 0..<2) else { return stage.close(world) }
            world.apply(.cut(from: 0, to: 1))
            world.apply(.cut(from: 1, to: 0))
            for node in 0..<2 { world.apply(.kill(node)) }
            stage.start(0..<2, of: world)
            let giveUpAt = world.now + .seconds(120)
            while !world.hasQuarantined(0, 1), world.now < giveUpAt, world.violation == nil {
                world.run(until: world.now + .seconds(1))
            }
            if world.hasQuarantined(0, 1) {
                world.run(until: world.now + stage.random.interval(in: .zero...(.seconds(29))))
                world.apply(.mendAll)
                stage.record(row, world.timeToClique([0, 1], since: world.now, within: .seconds(90)))
            }
            stage.close(world)
        }
    }()
}

extension World {
    /// Whether one of the two nodes keeps the other in quarantine.
    fileprivate func hasQuarantined(_ a: Int, _ b: Int) -> Bool {
        func keeps(_ observer: Int, _ peer: Int) -> Bool {
            let node = network.hosts[peer].node
            return status(of: observer)?.peers.contains { $0.node == node && $0.state == .quarantined } ?? false
        }
        return keeps(a, b) || keeps(b, a)
    }
}
