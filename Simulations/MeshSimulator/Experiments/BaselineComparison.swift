import Mesh
import Primitives

/// E12: the protocol that the project grew from, and ours, on the same networks with the same faults.
extension Experiment {
    static let baseline = Experiment(
        name: "baseline", summary: "The protocol that the project grew from beside ours, in the same worlds.",
        seeds: 1...100,
        parts: [
            .compared("form", "8 start within 1 s: clique, since the last start") { stage, world in
                let starts = stage.start(0..<8, of: world)
                return world.timeToClique(Array(0..<8), since: starts.last, within: .seconds(120))
            },
            .compared("join", "one joins 8: all its links up") { stage, world in
                guard stage.settledClique(world, of: 1..<8) else { return nil }
                world.apply(.start(0))
                return world.timeToClique(Array(0..<8), since: world.now, within: .seconds(120))
            },
            .compared("one-way", "2 nodes, only the follower discovers: linked") { stage, world in
                stage.onlyFollowersDiscover(world, nodes: 2)
                let starts = stage.start(0..<2, of: world)
                return world.timeToClique([0, 1], since: starts.last, within: .seconds(120))
            },
            .compared("hole", "A and C know B alone: A and C linked") { stage, world in
                world.apply(.setHearing(false, listener: 0, subject: 2))
                world.apply(.setHearing(false, listener: 2, subject: 0))
                stage.start(0..<3, of: world)
                let reachesHub = world.run(until: world.now + .seconds(60)) { world in
                    [0, 2].contains { !world.up.isUp(1, at: $0) || !world.up.isUp($0, at: 1) }
                }
                return reachesHub ? world.timeToClique([0, 1, 2], since: world.now, within: .seconds(120)) : nil
            },
            .compared("vanish", "a machine vanishes: every link to it down") { stage, world in
                guard stage.settledClique(world, of: 0..<8) else { return nil }
                world.apply(.vanish(0))
                return world.timeToForget(0, by: Array(1..<8), within: .seconds(120))
            },
            .compared("kill", "a process is killed: every link to it down") { stage, world in
                guard stage.settledClique(world, of: 0..<8) else { return nil }
                world.apply(.kill(0))
                return world.timeToForget(0, by: Array(1..<8), within: .seconds(120))
            },
            .compared("rejoin", "… and starts again 5 s later: all links up") { stage, world in
                guard stage.settledClique(world, of: 0..<8) else { return nil }
                world.apply(.kill(0))
                world.run(until: world.now + .seconds(5))
                world.apply(.start(0))
                return world.timeToClique(Array(0..<8), since: world.now, within: .seconds(120))
            },
            .compared("rolled-back", "… with a restored, older counter: all links up") { stage, world in
                for _ in 0..<3 {
                    world.apply(.start(0))
                    world.apply(.kill(0))
                }
                guard stage.settledClique(world, of: 0..<8) else { return nil }
                world.apply(.kill(0))
                world.apply(.rollBack(0, by: 2))
                world.run(until: world.now + .seconds(5))
                world.apply(.start(0))
                return world.timeToClique(Array(0..<8), since: world.now, within: .seconds(120))
            },
            .compared("pair", "two are cut off from one another for 25–35 s: linked again") { stage, world in
                guard stage.settledClique(world, of: 0..<8) else { return nil }
                world.apply(.cut(from: 0, to: 1))
                world.apply(.cut(from: 1, to: 0))
                world.run(until: world.now + stage.random.interval(in: .seconds(25)...(.seconds(35))))
                world.apply(.mendAll)
                return world.timeToClique(Array(0..<8), since: world.now, within: .seconds(120))
            },
            .compared("partition", "halves for 55–65 s, healed: clique") { stage, world in
                guard stage.settledClique(world, of: 0..<8) else { return nil }
                world.apply(.partition(0x55))
                world.run(until: world.now + stage.random.interval(in: .seconds(55)...(.seconds(65))))
                world.apply(.mendAll)
                return world.timeToClique(Array(0..<8), since: world.now, within: .seconds(120))
            },
            .compared("blackout", "nobody reaches anybody for 15–25 s, then all do: clique") { stage, world in
                guard stage.settledClique(world, of: 0..<8) else { return nil }
                for node in 0..<8 { world.apply(.partition(1 << UInt64(node))) }
                world.run(until: world.now + stage.random.interval(in: .seconds(15)...(.seconds(25))))
                world.apply(.mendAll)
                return world.timeToClique(Array(0..<8), since: world.now, within: .seconds(120))
            },
            .collateral, .losses, .loadOfBoth(nodes: 8), .loadOfBoth(nodes: 32),
        ])
}

extension ExperimentPart {
    /// Plays the same for either protocol: same seeds, same network, same faults at the same instants.
    fileprivate static func compared(
        _ id: String, _ text: String, play: @escaping @Sendable (Stage, World) -> Interval?
    ) -> ExperimentPart {
        let row = ExperimentRow(id, text)
        return ExperimentPart(id, rows: Subject.allCases.map { row.of($0.rawValue) }) { stage in
            for subject in Subject.allCases {
                stage.rewind()
                let world = stage.world(8, rule: stage.healthyRule(), nodeKind: subject.nodeKind)
                stage.record(row.of(subject.rawValue), play(stage, world))
                stage.close(world)
            }
        }
    }

    /// A machine vanishes for good; what happens to those who remain within two minutes.
    fileprivate static let collateral: ExperimentPart = {
        let row = ExperimentRow(
            "collateral", "a machine is gone for 120 s: links of the 7 others that were dropped, of 42", unit: .count)
        return ExperimentPart("collateral", rows: Subject.allCases.map { row.of($0.rawValue) }) { stage in
            for subject in Subject.allCases {
                stage.rewind()
                let world = stage.world(8, rule: stage.healthyRule(), nodeKind: subject.nodeKind)
                if stage.settledClique(world, of: 0..<8) {
                    let losses = LossCount(world, about: { $0 != 0 }, at: { $0 != 0 })
                    world.apply(.vanish(0))
                    world.run(until: world.now + .seconds(120))
                    stage.record(row.of(subject.rawValue), Int64(losses.count))
                }
                stage.close(world)
            }
        }
    }()

    /// How often a network that loses one packet in ten costs a link.
    fileprivate static let losses: ExperimentPart = {
        let row = ExperimentRow("loss", "10 % loss for 120 s: links dropped, of 56", unit: .count)
        return ExperimentPart("loss", rows: Subject.allCases.map { row.of($0.rawValue) }) { stage in
            for subject in Subject.allCases {
                stage.rewind()
                let rule = stage.healthyRule()
                let world = stage.world(8, rule: rule, nodeKind: subject.nodeKind)
                if stage.settledClique(world, of: 0..<8) {
                    var lossy = rule
                    lossy.lossPermille = 100
                    world.apply(.setAllRules(lossy))
                    let losses = LossCount(world)
                    world.run(until: world.now + .seconds(120))
                    stage.record(row.of(subject.rawValue), Int64(losses.count))
                }
                stage.close(world)
            }
        }
    }()

    /// What a clique at rest costs.
    fileprivate static func loadOfBoth(nodes: Int) -> ExperimentPart {
        let row = ExperimentRow(
            "load \(nodes)", "\(nodes) at rest: bytes a node a second, with headers", unit: .bytesPerSecond)
        return ExperimentPart(
            "load/\(nodes)", rows: Subject.allCases.map { row.of($0.rawValue) }, oneSeedIn: nodes < 16 ? 1 : 20
        ) { stage in
            for subject in Subject.allCases {
                stage.rewind()
                let world = stage.world(nodes, rule: stage.healthyRule(), nodeKind: subject.nodeKind)
                if stage.settledClique(world, of: 0..<nodes, rest: .seconds(20)) {
                    let before = world.counts
                    world.run(until: world.now + .seconds(60))
                    stage.record(row.of(subject.rawValue), world.counts.wireBytes(since: before) / Int64(60 * nodes))
                }
                stage.close(world)
            }
        }
    }
}

private enum Subject: String, CaseIterable {
    case baseline
    case ours

    var nodeKind: NodeKind { self == .ours ? .partyline : .baseline }
}

extension Stage {
    /// Of every pair, only the one with the smaller NodeID can learn of the other by discovery.
    fileprivate func onlyFollowersDiscover(_ world: World, nodes: Int) {
        for listener in 0..<nodes {
            for subject in 0..<nodes where listener != subject {
                let isLeader = world.network.hosts[subject].node < world.network.hosts[listener].node
                if isLeader { world.apply(.setHearing(false, listener: listener, subject: subject)) }
            }
        }
    }
}
