import Mesh
import Primitives

/// E1 and E3, after Lifeguard (DSN-W 2018): some nodes are too slow to read what the network brings, while their
/// timers run. A verdict about anybody else is false.
extension Experiment {
    /// E1: of 32 nodes so many read nothing for a while, again and again; how long is drawn from the paper's range.
    static let slowProcessors = Experiment(
        name: "slow-processors", summary: "E1: false verdicts about healthy nodes while others are too slow.",
        seeds: 1...10,
        parts: [
            .slow(nodes: 32, slow: 1), .slow(nodes: 32, slow: 2), .slow(nodes: 32, slow: 4), .slow(nodes: 32, slow: 8),
        ])

    /// E3: as E1 with processors that are starved for good: 8 s of nothing, 50 ms of reading.
    static let starved = Experiment(
        name: "starved", summary: "E3: false verdicts while 1 to 16 of 32 processors are starved.", seeds: 1...5,
        parts: [1, 2, 4, 8, 16].map { .starved(nodes: 32, starved: $0) })
}

extension ExperimentPart {
    /// How long the anomalies go on.
    private static let watched = Interval.seconds(60)

    fileprivate static func slow(nodes: Int, slow: Int) -> ExperimentPart {
        let rows = FalseVerdicts(id: "E1 \(slow)", "\(slow) of \(nodes) slow for 60 s")
        return ExperimentPart("E1/\(slow)", rows: rows.all) { stage in
            // 128 ms to 32.8 s of nothing, 1 ms to 16.4 s of reading, by powers of two, as in the paper.
            let blocked = Interval.milliseconds(128 << Int64(stage.random.below(9)))
            let reading = Interval.milliseconds(1 << Int64(stage.random.below(15)))
            rows.measure(stage, nodes: nodes, slow: slow, blocked: blocked, reading: reading, for: watched)
        }
    }

    fileprivate static func starved(nodes: Int, starved: Int) -> ExperimentPart {
        let rows = FalseVerdicts(id: "E3 \(starved)", "\(starved) of \(nodes) starved for 60 s")
        return ExperimentPart("E3/\(starved)", rows: rows.all) { stage in
            rows.measure(
                stage, nodes: nodes, slow: starved, blocked: .seconds(8), reading: .milliseconds(50), for: watched)
        }
    }
}

/// The rows of one set-up: verdicts about nodes that were healthy all the time.
private struct FalseVerdicts: Sendable {
    let anywhere: ExperimentRow
    let atHealthy: ExperimentRow
    let just: ExperimentRow
    let bytes: ExperimentRow

    init(id: String, _ text: String) {
        anywhere = ExperimentRow("\(id) FP", "\(text): links to healthy nodes given up, by anybody", unit: .count)
        atHealthy = ExperimentRow("\(id) FP-", "… by a healthy node", unit: .count, hardBound: 0)
        just = ExperimentRow("\(id) slow", "… links to slow nodes given up, by anybody", unit: .count)
        bytes = ExperimentRow("\(id) bytes", "… bytes a node a second, with headers", unit: .bytesPerSecond)
    }

    var all: [ExperimentRow] { [anywhere, atHealthy, just, bytes] }

    func measure(
        _ stage: Stage, nodes: Int, slow: Int, blocked: Interval, reading: Interval, for length: Interval
    ) {
        let world = stage.world(nodes, rule: stage.healthyRule())
        if stage.settledClique(world, of: 0..<nodes) {
            var (falseAnywhere, falseAtHealthy, justCount) = (0, 0, 0)
            world.onEvent = { [unowned world] event, node in
                guard case .peerDown(_, let peer, _, .silent) = event, let about = world.number(of: peer) else {
                    return
                }
                if about < slow {
                    justCount += 1
                    return
                }
                falseAnywhere += 1
                if slow <= node { falseAtHealthy += 1 }
            }
            let before = world.counts
            let end = world.now + length
            // The slow ones are out of step with one another.
            var blocksAt = (0..<slow).map { _ in world.now + stage.random.interval(in: .zero...(blocked + reading)) }
            while let next = blocksAt.min(), next < end, world.violation == nil {
                world.run(until: next)
                for node in 0..<slow where blocksAt[node] == next {
                    world.blockMessages(of: node, for: blocked)
                    blocksAt[node] = next + blocked + reading
                }
            }
            world.run(until: end)
            world.onEvent = nil
            stage.record(anywhere, Int64(falseAnywhere))
            stage.record(atHealthy, Int64(falseAtHealthy))
            stage.record(just, Int64(justCount))
            let seconds = length.nanoseconds / 1_000_000_000
            stage.record(bytes, world.counts.wireBytes(since: before) / (seconds * Int64(nodes)))
        }
        stage.close(world)
    }
}
