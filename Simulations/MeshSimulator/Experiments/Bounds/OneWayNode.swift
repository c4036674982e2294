import Mesh
import Primitives

/// How a clique treats a node that receives nothing: promise L12.
extension ExperimentPart {
    /// Promise L12: the node receives nothing any more, but its datagrams still arrive.
    static let deaf: ExperimentPart = {
        let benign = ExperimentRow(
            "L12", "one hears nothing for 80 s: links between others lost", unit: .count, hardBound: 0)
        let events = ExperimentRow(
            "L12 events", "… roster events about it, at one", unit: .count, target: 1, hardBound: 2)
        return ExperimentPart("L12", rows: [benign, events]) { stage in
            let count = 3 + Int(stage.random.below(6))
            let world = stage.world(count, rule: stage.healthyRule())
            if stage.settledClique(world, of: 0..<count) {
                let seen = EventsAbout(0, in: world)
                for other in 1..<count { world.apply(.cut(from: other, to: 0)) }
                world.run(until: world.now + .seconds(80))
                stage.record(benign, Int64(seen.lossesOfOthers))
                stage.record(events, Int64(seen.most))
            }
            stage.close(world)
        }
    }()
}

/// Counts what all other nodes report of one node, and the links that they lose among themselves.
///
/// A node does not report the ups and downs of a flapping peer to people; it reports once that the peer flaps.
final class EventsAbout {
    private let subject: Int
    private var isDamped: [Bool]
    private var counts: [Int]
    private(set) var downs: [Int]
    private(set) var upCount = 0
    private(set) var lossesOfOthers = 0
    private(set) var deathCount = 0
    private(set) var deathsOfOthers = 0

    init(_ subject: Int, in world: World) {
        self.subject = subject
        isDamped = Array(repeating: false, count: world.nodeCount)
        counts = Array(repeating: 0, count: world.nodeCount)
        downs = counts
        world.onEvent = { [unowned world] event, node in self.note(event, at: node, in: world) }
    }

    /// The largest number of events about the subject at one observer.
    var most: Int { counts.max() ?? 0 }

    func reset() {
        for index in counts.indices {
            counts[index] = 0
            downs[index] = 0
        }
        upCount = 0
        lossesOfOthers = 0
        deathCount = 0
        deathsOfOthers = 0
    }

    private func note(_ event: MeshEvent, at node: Int, in world: World) {
        guard node != subject else { return }
        switch event {
        case .peerUp(_, let peer, _, _) where world.number(of: peer) == subject:
            guard !isDamped[node] else { return }
            counts[node] += 1
            upCount += 1
        case .peerDown(_, let peer, _, _):
            guard world.number(of: peer) == subject else {
                lossesOfOthers += 1
                return
            }
            guard !isDamped[node] else { return }
            counts[node] += 1
            downs[node] += 1
        case .peerFlapping(let peer, let isFlapping) where world.number(of: peer) == subject:
            isDamped[node] = isFlapping
            counts[node] += 1
        case .peerDead(let peer, _) where world.number(of: peer) == subject:
            deathCount += 1
        case .peerDead:
            deathsOfOthers += 1
        default:
            break
        }
    }
}
