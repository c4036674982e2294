import Mesh
import Primitives

/// E1 and E3, after Lifeguard (DSN-W 2018): some nodes are too slow to read what the network brings, while their
/// timers run. A verdict about any other node is false.
///
/// "plain SWIM" is this protocol with a suspicion that always lasts the minimum, whatever the local health. "ours" is
/// what runs in the product.
extension Experiment {
    /// E1: some nodes read nothing for a while, again and again. Each run draws one length without reading and one
    /// length of reading from the ranges of the paper.
    static let slowProcessors = Experiment(
        name: "slow-processors", summary: "E1: false verdicts about healthy nodes while others are too slow.",
        seeds: 1...10,
        parts: [1, 4, 8, 16].map { ExperimentPart.slow(nodes: 32, slow: $0) } + [
            ExperimentPart.slow(nodes: 64, slow: 32)
        ],
        showsTotals: true)

    /// E3: processors that are starved all the time: in turns they read nothing for 8 s, and then all input for 50 ms.
    static let starved = Experiment(
        name: "starved", summary: "E3: false verdicts while 1 to 32 processors are starved.", seeds: 1...10,
        parts: [1, 2, 4, 8, 16].map { ExperimentPart.starved(nodes: 32, starved: $0) }
            + [ExperimentPart.starved(nodes: 64, starved: 32)],
        showsTotals: true)
}

extension ExperimentPart {
    fileprivate static func slow(nodes: Int, slow: Int) -> ExperimentPart {
        let rows = FalseVerdicts(id: "E1 \(slow)", "\(slow) of \(nodes) slow for 60 s")
        return ExperimentPart("E1/\(slow)", rows: rows.all) { stage in
            rows.compare(stage, nodes: nodes, slow: slow) { SlowEpisode(drawnWith: &$0) }
        }
    }

    fileprivate static func starved(nodes: Int, starved: Int) -> ExperimentPart {
        let rows = FalseVerdicts(id: "E3 \(starved)", "\(starved) of \(nodes) starved for 60 s")
        return ExperimentPart("E3/\(starved)", rows: rows.all) { stage in
            rows.compare(stage, nodes: nodes, slow: starved) { _ in
                SlowEpisode(blocked: .seconds(8), reading: .milliseconds(50))
            }
        }
    }
}

/// How long a slow node reads nothing, and how long it then reads everything.
struct SlowEpisode {
    var blocked: Interval
    var reading: Interval

    init(blocked: Interval, reading: Interval) {
        self.blocked = blocked
        self.reading = reading
    }

    /// 128 ms to 32.8 s without reading, 1 ms to 16.4 s of reading, by powers of two, as in the Lifeguard
    /// paper (DSN-W 2018).
    init(drawnWith random: inout SeededRandom) {
        blocked = .milliseconds(128 << Int64(random.below(9)))
        reading = .milliseconds(1 << Int64(random.below(15)))
    }
}

/// The rows of one set-up: false verdicts about nodes that were healthy all the time, and the traffic.
private struct FalseVerdicts: Sendable {
    enum Subject: String, CaseIterable {
        case plain = "plain SWIM"
        case lifeguard = "ours"
    }

    let anywhere: ExperimentRow
    let atHealthy: ExperimentRow
    let links: ExperimentRow
    let messages: ExperimentRow
    let bytes: ExperimentRow

    init(id: String, _ text: String) {
        anywhere = ExperimentRow("\(id) FP", "\(text): healthy nodes declared dead, by any node", unit: .count)
        atHealthy = ExperimentRow("\(id) FP-", "… by a healthy one", unit: .count)
        links = ExperimentRow("\(id) links", "… links between healthy ones lost", unit: .count)
        messages = ExperimentRow(
            "\(id) messages", "… datagrams and frames a node, hundredths of one a second", unit: .hundredths)
        bytes = ExperimentRow("\(id) bytes", "… bytes a node a second, with headers", unit: .bytesPerSecond)
    }

    var all: [ExperimentRow] {
        [anywhere, atHealthy, links, messages, bytes].flatMap { row in Subject.allCases.map { row.of($0.rawValue) } }
    }

    func compare(_ stage: Stage, nodes: Int, slow: Int, draw: (inout SeededRandom) -> SlowEpisode) {
        for subject in Subject.allCases {
            stage.rewind()
            let episode = draw(&stage.random)
            let world = stage.world(nodes, rule: stage.healthyRule()) { configuration in
                if subject == .plain { configuration.suspicion = .plain(MeshLimits.suspicionMin) }
            }
            if stage.settledClique(world, of: 0..<nodes) {
                measure(stage, world, slow: slow, episode, subject: subject.rawValue)
            }
            stage.close(world)
        }
    }

    private func measure(_ stage: Stage, _ world: World, slow: Int, _ episode: SlowEpisode, subject: String) {
        let errors = FalseVerdictCount(about: slow..<world.nodeCount, in: world)
        let before = world.counts
        let length = Interval.seconds(60)
        stage.slowDown(0..<slow, of: world, episode)
        world.run(until: world.now + length)
        world.onEvent = nil
        // A world that a violation stopped has not run for the whole time.
        guard world.violation == nil else { return }
        let nodeSeconds = length.nanoseconds / 1_000_000_000 * Int64(world.nodeCount)
        let sent = world.counts.datagramsSent - before.datagramsSent + world.counts.framesSent - before.framesSent
        stage.record(anywhere.of(subject), Int64(errors.deaths))
        stage.record(atHealthy.of(subject), Int64(errors.deathsAtHealthy))
        stage.record(links.of(subject), Int64(errors.linksAtHealthy))
        stage.record(messages.of(subject), Int64(sent) * 100 / nodeSeconds)
        stage.record(bytes.of(subject), world.counts.wireBytes(since: before) / nodeSeconds)
    }
}

extension Stage {
    /// Slows processors for good, out of step with one another.
    func slowDown(_ nodes: Range<Int>, of world: World, _ episode: SlowEpisode) {
        for node in nodes {
            let first = world.now + random.interval(in: .zero...(episode.blocked + episode.reading))
            world.schedule(.slow(node, by: episode.blocked, reading: episode.reading), at: first)
        }
    }
}

/// Counts verdicts about living, healthy nodes from its creation on.
final class FalseVerdictCount {
    private(set) var deaths = 0
    private(set) var deathsAtHealthy = 0
    private(set) var links = 0
    private(set) var linksAtHealthy = 0

    init(about healthy: Range<Int>, in world: World) {
        world.onEvent = { [weak self, unowned world] event, node in
            guard let self else { return }
            switch event {
            case .peerDead(let peer, _):
                guard let about = world.number(of: peer), healthy.contains(about) else { return }
                deaths += 1
                if healthy.contains(node) { deathsAtHealthy += 1 }
            case .peerDown(_, let peer, _, .silent):
                guard let about = world.number(of: peer), healthy.contains(about) else { return }
                links += 1
                if healthy.contains(node) { linksAtHealthy += 1 }
            default:
                break
            }
        }
    }
}
