import Mesh
import Primitives

/// How a clique treats a node that only some nodes reach, or that comes and goes: promises L10 (two nodes without a
/// direct path) and L11 (a flapping node).
extension ExperimentPart {
    /// Promise L10: both directions between a talker and one listener are cut; all other nodes reach both.
    static let relayed: ExperimentPart = {
        let row = ExperimentRow(
            "L10", "the direct path of a pair breaks, others reach both: voice again", target: .milliseconds(1_600),
            hard: .milliseconds(2_500))
        return ExperimentPart("L10", rows: [row]) { stage in
            let count = 3 + Int(stage.random.below(4))
            let world = stage.world(count, rule: stage.healthyRule())
            if stage.settledClique(world, of: 0..<count) {
                world.startTalking(0, every: .milliseconds(20))
                world.run(until: world.now + .seconds(1))
                let (cutAt, last) = (world.now, world.nodes[0].voiceSequence)
                world.apply(.cut(from: 0, to: 1))
                world.apply(.cut(from: 1, to: 0))
                var heardAfter: Interval?
                world.onVoice = { [unowned world] stamp, listener in
                    guard heardAfter == nil, listener == 1, stamp.talker == 0, last < stamp.sequence else { return }
                    heardAfter = world.now - cutAt
                }
                while heardAfter == nil, world.now < cutAt + .seconds(20), world.violation == nil { _ = world.step() }
                stage.record(row, heardAfter)
            }
            stage.close(world)
        }
    }()

    /// Promise L11: a node that is there for 4 s and away for 4 s, ten times, and then stays.
    static let flapper: ExperimentPart = {
        let events = ExperimentRow(
            "L11", "4 s away, 4 s there, 10 times: roster events after the 3rd, at one", unit: .count, target: 0,
            hardBound: 2)
        let back = ExperimentRow("L11 calm", "… and then stays: up everywhere", hard: .seconds(60))
        return ExperimentPart("L11", rows: [events, back], oneSeedIn: 4) { stage in
            let count = 3 + Int(stage.random.below(4))
            let world = stage.world(count, rule: stage.healthyRule())
            if stage.settledClique(world, of: 0..<count) {
                let seen = EventsAbout(0, in: world)
                for flap in 1...10 {
                    world.apply(.partition(1))
                    world.run(until: world.now + .seconds(4))
                    world.apply(.mendAll)
                    if flap == 3 { seen.reset() }
                    world.run(until: world.now + .seconds(4))
                }
                stage.record(events, Int64(seen.most))
                // The last 4 s were calm already, so they count.
                let time = world.timeToClique(Array(0..<count), since: world.now, within: .seconds(120))
                stage.record(back, time.map { $0 + .seconds(4) })
            }
            stage.close(world)
        }
    }()
}
