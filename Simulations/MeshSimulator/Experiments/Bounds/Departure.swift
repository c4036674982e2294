import Mesh
import Primitives

/// How a clique notices that a node goes: promises L5 (crash) and L7 (leave); and that a clique from which no node goes
/// is quiet: L13.
extension ExperimentPart {
    /// Promise L5: a machine vanishes, or a process is killed and its kernel resets its connections. Up to 5 % of the
    /// packets are lost throughout.
    static let crash: ExperimentPart = {
        let vanished = ExperimentRow(
            "L5", "a machine vanishes, 0–5 % loss: every link to it down", target: .milliseconds(1_600),
            hard: .seconds(2))
        let killed = ExperimentRow(
            "L5 kill", "a process is killed, 0–5 % loss: every link to it down", target: .milliseconds(1_600),
            hard: .seconds(2))
        let removed = ExperimentRow(
            "L5b", "… removed from every roster", target: .seconds(8), hard: .seconds(30))
        let unjust = ExperimentRow("L5 false", "links between the living lost in the 10 s before it", unit: .count)
        return ExperimentPart("L5", rows: [vanished, killed, removed, unjust]) { stage in
            let count = 3 + Int(stage.random.below(6))
            let world = stage.world(count, rule: stage.healthyRule(lossPermille: stage.random.below(51)))
            if stage.settledClique(world, of: 0..<count) {
                let losses = LossCount(world)
                world.run(until: world.now + .seconds(10))
                stage.record(unjust, Int64(losses.count))
                let isSilent = stage.random.chance(permille: 500)
                let diedAt = world.now
                let deaths = DeathCount(of: 0, in: world)
                world.apply(isSilent ? .vanish(0) : .kill(0))
                let time = world.timeToForget(0, by: Array(1..<count), within: .seconds(10))
                stage.record(isSilent ? vanished : killed, time)
                while deaths.count < count - 1, world.now < diedAt + .seconds(60), world.violation == nil {
                    _ = world.step()
                }
                stage.record(removed, deaths.count == count - 1 ? world.now - diedAt : nil)
            }
            stage.close(world)
        }
    }()

    /// Promise L7: a node leaves, and tells the others so.
    static let leave: ExperimentPart = {
        let row = ExperimentRow(
            "L7", "one leaves: known everywhere", target: .milliseconds(300), hard: .milliseconds(1_500))
        return ExperimentPart("L7", rows: [row]) { stage in
            let count = 3 + Int(stage.random.below(10))
            let world = stage.world(count, rule: stage.healthyRule())
            if stage.settledClique(world, of: 0..<count) {
                world.apply(.leave(0))
                stage.record(row, world.timeToForget(0, by: Array(1..<count), within: .seconds(10)))
            }
            stage.close(world)
        }
    }()

    /// Promise L13: a clique at rest sends no invitation. It sends as its formula says: a control block in each
    /// direction of each pair every 500 ms less 0–25 %, on average every 437.5 ms.
    static let quiet: ExperimentPart = {
        let invitations = ExperimentRow(
            "L13", "a clique at rest for 60 s: invitations", unit: .count, hardBound: 0)
        let deviation = ExperimentRow(
            "L13 rate", "… datagrams off the formula, hundredths", unit: .hundredths, hardBound: 5)
        let bytes = ExperimentRow(
            "I17", "… bytes a node and peer a second, with headers", unit: .bytesPerSecond, hardBound: 186)
        return ExperimentPart("L13", rows: [invitations, deviation, bytes]) { stage in
            let count = 2 + Int(stage.random.below(11))
            let world = stage.world(count, rule: stage.healthyRule())
            if stage.settledClique(world, of: 0..<count, rest: .seconds(10)) {
                let before = world.counts
                world.run(until: world.now + .seconds(60))
                let datagrams = Int64(world.counts.datagramsSent - before.datagramsSent)
                let pairs = Int64(count * (count - 1))
                let expected = pairs * 60_000_000 / 437_500
                stage.record(invitations, Int64(world.counts.invitations - before.invitations))
                stage.record(deviation, (abs(datagrams - expected) * 100 + expected / 2) / expected)
                stage.record(bytes, world.counts.wireBytes(since: before) / (60 * pairs))
            }
            stage.close(world)
        }
    }()
}

/// Counts the nodes that declare the subject dead.
final class DeathCount {
    private(set) var count = 0

    init(of subject: Int, in world: World) {
        world.onEvent = { [unowned world] event, _ in
            if case .peerDead(let peer, _) = event, world.number(of: peer) == subject { self.count += 1 }
        }
    }
}

extension WorldCounts {
    /// Bytes on the wire since `earlier`. A datagram has 28 bytes of UDP and IPv4 header. A frame has 22 of TLS and
    /// 40 of TCP and IPv4 header, and causes an acknowledgement of 40.
    func wireBytes(since earlier: WorldCounts) -> Int64 {
        let datagrams = datagramsSent - earlier.datagramsSent
        let frames = framesSent - earlier.framesSent
        return Int64(bytesSent - earlier.bytesSent + 28 * datagrams + 102 * frames)
    }
}
