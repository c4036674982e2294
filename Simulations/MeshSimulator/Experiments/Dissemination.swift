import Mesh
import Primitives
import Wire

/// E10 and E11: how fast all nodes learn what one node publishes, and at what cost.
///
/// The mesh has one thing to broadcast: a change of a node's own record.
extension Experiment {
    /// E10, beside the closed form of Serf's convergence simulator, 1/(1 + (n+1)·e^(−0.5·3·(1−loss)·r)) ≥ 99.99 % with
    /// a round r each 0.2 s.
    static let dissemination = Experiment(
        name: "dissemination", summary: "E10: a changed record and a joiner reach everyone, at 0, 10 and 30 % loss.",
        seeds: 1...20,
        parts: [
            .change(nodes: 8, loss: 0, formula: "1.52"), .change(nodes: 8, loss: 10, formula: "1.69"),
            .change(nodes: 8, loss: 30, formula: "2.17"), .change(nodes: 16, loss: 0, formula: "1.61"),
            .change(nodes: 16, loss: 10, formula: "1.78"), .change(nodes: 16, loss: 30, formula: "2.29"),
            .change(nodes: 32, loss: 0, formula: "1.69"), .change(nodes: 32, loss: 10, formula: "1.88"),
            .change(nodes: 32, loss: 30, formula: "2.42"), .change(nodes: 64, loss: 0, formula: "1.78"),
            .change(nodes: 64, loss: 10, formula: "1.98"), .change(nodes: 64, loss: 30, formula: "2.55"),
        ])

    /// E11, after Fly.io's challenge 3e: 25 nodes, 100 ms between any two, fewer than 20 messages an operation. Half of
    /// the operations are broadcasts; the other half are reads, which send nothing.
    static let broadcast = Experiment(
        name: "broadcast", summary: "E11: 25 nodes at 100 ms, messages and latency of a broadcast.", seeds: 1...20,
        parts: [.broadcast])
}

extension ExperimentPart {
    fileprivate static func change(nodes: Int, loss: UInt64, formula: String) -> ExperimentPart {
        let row = ExperimentRow(
            "E10 \(nodes)/\(loss)", "\(nodes) nodes, \(loss) % loss: a changed record known to all", published: formula)
        return ExperimentPart("E10/\(nodes)/\(loss)", rows: [row], oneSeedIn: nodes < 32 ? 1 : 10) { stage in
            let rule = stage.healthyRule()
            let world = stage.world(nodes, rule: rule)
            if stage.settledClique(world, of: 0..<nodes) {
                var lossy = rule
                lossy.lossPermille = loss * 10
                world.apply(.setAllRules(lossy))
                world.run(until: world.now + .seconds(2))
                for change in 0..<10 {
                    let subject = Int(stage.random.below(UInt64(nodes)))
                    let times = world.broadcast(by: subject, number: change, within: .seconds(30))
                    stage.record(row, times.count == nodes - 1 ? times.last : nil)
                    world.run(until: world.now + stage.random.interval(in: .zero...(.seconds(1))))
                }
            }
            stage.close(world)
        }
    }

    fileprivate static let broadcast: ExperimentPart = {
        let toAll = ExperimentRow(
            "E11 all", "25 nodes at 100 ms: a broadcast is known to all", target: .seconds(1), hard: .seconds(2),
            published: "< 2")
        let toEach = ExperimentRow("E11 each", "… to one", published: "median < 1")
        let frames = ExperimentRow("E11 frames", "… frames a broadcast", unit: .count)
        let perOperation = ExperimentRow(
            "E11 messages", "… messages an operation, one read to each broadcast", unit: .count, hardBound: 20,
            published: "< 20")
        return ExperimentPart("E11", rows: [toAll, toEach, frames, perOperation]) { stage in
            let world = stage.world(25, rule: LinkRule(delayMin: .milliseconds(100), delayMean: .zero))
            if stage.settledClique(world, of: 0..<25, rest: .seconds(10)) {
                for number in 0..<20 {
                    let before = world.counts
                    let subject = Int(stage.random.below(25))
                    let times = world.broadcast(by: subject, number: number, within: .seconds(10))
                    stage.record(toAll, times.count == 24 ? times.last : nil)
                    for time in times { stage.record(toEach, time) }
                    // The frames that a broadcast causes leave within 3 s.
                    world.run(until: world.now + .seconds(3))
                    let sent = Int64(world.counts.framesSent - before.framesSent)
                    stage.record(frames, sent)
                    stage.record(perOperation, (sent + 1) / 2)
                }
            }
            stage.close(world)
        }
    }()
}

extension World {
    /// Changes the record of `subject`, and runs until every other node has it, at most for `limit`. Returns how long
    /// the change took to each node that has it, in rising order.
    fileprivate func broadcast(by subject: Int, number: Int, within limit: Interval) -> [Interval] {
        let start = now
        let colour = UInt32(number + 1)
        var times: [Interval] = []
        var hasHeard = Array(repeating: false, count: nodeCount)
        onEvent = { [unowned self] event, node in
            guard case .peerProfile(let peer, let profile) = event, profile.colour == colour,
                self.number(of: peer) == subject,
                !hasHeard[node]
            else { return }
            hasHeard[node] = true
            times.append(now - start)
        }
        defer { onEvent = nil }
        command(.setProfile(NodeProfile(name: SafeText("again"), colour: colour)), to: subject)
        while times.count < nodeCount - 1, violation == nil, now < start + limit { _ = step() }
        return times
    }
}
