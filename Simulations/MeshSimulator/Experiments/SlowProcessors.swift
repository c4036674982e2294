import Mesh
import Primitives

/// E1 and E3, after Lifeguard (DSN-W 2018): some nodes are too slow to read what the network brings, while their
/// timers run. A verdict about anybody else is false.
///
/// Plain SWIM is our own protocol with a suspicion that always lasts the least; the other is what runs.
extension Experiment {
    /// E1: so many of 32 nodes read nothing for a while, again and again; how long is drawn from the paper's range.
    static let slowProcessors = Experiment(
        name: "slow-processors", summary: "E1: false verdicts about healthy nodes while others are too slow.",
        seeds: 1...10, parts: [1, 4, 8].map { .slow(nodes: 32, slow: $0) })

    /// E3: processors that are starved all the time: 8 s of nothing, 50 ms of reading.
    static let starved = Experiment(
        name: "starved", summary: "E3: false verdicts while 1 to 16 of 32 processors are starved.", seeds: 1...5,
        parts: [1, 2, 4, 8, 16].map { .starved(nodes: 32, starved: $0) })
}

extension ExperimentPart {
    fileprivate static func slow(nodes: Int, slow: Int) -> ExperimentPart {
        let rows = FalseVerdicts(id: "E1 \(slow)", "\(slow) of \(nodes) slow for 60 s")
        return ExperimentPart("E1/\(slow)", rows: rows.all) { stage in
            rows.compare(stage, nodes: nodes, slow: slow) { random in
                // 128 ms to 32.8 s of nothing, 1 ms to 16.4 s of reading, by powers of two, as in the paper.
                (.milliseconds(128 << Int64(random.below(9))), .milliseconds(1 << Int64(random.below(15))))
            }
        }
    }

    fileprivate static func starved(nodes: Int, starved: Int) -> ExperimentPart {
        let rows = FalseVerdicts(id: "E3 \(starved)", "\(starved) of \(nodes) starved for 60 s")
        return ExperimentPart("E3/\(starved)", rows: rows.all) { stage in
            rows.compare(stage, nodes: nodes, slow: starved) { _ in (.seconds(8), .milliseconds(50)) }
        }
    }
}

/// The rows of one set-up: verdicts about nodes that were healthy all the time.
private struct FalseVerdicts: Sendable {
    enum Subject: String, CaseIterable {
        case plain = "plain SWIM"
        case lifeguard = "ours"
    }

    let anywhere: ExperimentRow
    let atHealthy: ExperimentRow
    let links: ExperimentRow
    let bytes: ExperimentRow

    init(id: String, _ text: String) {
        anywhere = ExperimentRow("\(id) FP", "\(text): healthy ones declared dead, by anybody", unit: .count)
        atHealthy = ExperimentRow("\(id) FP-", "… by a healthy one", unit: .count)
        links = ExperimentRow("\(id) links", "… links between healthy ones lost", unit: .count)
        bytes = ExperimentRow("\(id) bytes", "… bytes a node a second, with headers", unit: .bytesPerSecond)
    }

    var all: [ExperimentRow] {
        [anywhere, atHealthy, links, bytes].flatMap { row in Subject.allCases.map { row.of($0.rawValue) } }
    }

    /// - Parameter draw: for how long nothing is read, and for how long everything.
    func compare(
        _ stage: Stage, nodes: Int, slow: Int, draw: (inout SeededRandom) -> (blocked: Interval, reading: Interval)
    ) {
        for subject in Subject.allCases {
            stage.rewind()
            let (blocked, reading) = draw(&stage.random)
            let world = stage.world(nodes, rule: stage.healthyRule()) { configuration in
                if subject == .plain { configuration.suspicion = .plain(MeshLimits.suspicionMin) }
            }
            if stage.settledClique(world, of: 0..<nodes) {
                measure(stage, world, slow: slow, blocked: blocked, reading: reading, subject: subject.rawValue)
            }
            stage.close(world)
        }
    }

    private func measure(
        _ stage: Stage, _ world: World, slow: Int, blocked: Interval, reading: Interval, subject: String
    ) {
        var (falseAnywhere, falseAtHealthy, lostLinks) = (0, 0, 0)
        world.onEvent = { [unowned world] event, node in
            switch event {
            case .peerDead(let peer, _):
                guard let about = world.number(of: peer), slow <= about else { return }
                falseAnywhere += 1
                if slow <= node { falseAtHealthy += 1 }
            case .peerDown(_, let peer, _, .silent):
                guard let about = world.number(of: peer), slow <= about, slow <= node else { return }
                lostLinks += 1
            default:
                break
            }
        }
        let before = world.counts
        let length = Interval.seconds(60)
        let end = world.now + length
        // The slow ones are out of step with one another.
        for node in 0..<slow {
            let first = world.now + stage.random.interval(in: .zero...(blocked + reading))
            world.schedule(.slow(node, by: blocked, reading: reading), at: first)
        }
        world.run(until: end)
        world.onEvent = nil
        let seconds = length.nanoseconds / 1_000_000_000
        stage.record(anywhere.of(subject), Int64(falseAnywhere))
        stage.record(atHealthy.of(subject), Int64(falseAtHealthy))
        stage.record(links.of(subject), Int64(lostLinks))
        stage.record(bytes.of(subject), world.counts.wireBytes(since: before) / (seconds * Int64(world.nodeCount)))
    }
}
