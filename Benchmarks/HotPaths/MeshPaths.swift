import Benchmark
import Mesh
import MeshSimulator
import MeshTestKit
import Node
import Primitives
import Trust
import Wire

/// A peer's heartbeat in, and the own one out that falls due meanwhile: a minute of eight linked
/// nodes as one of them heard it, told again to a node made alike.
final class HeartbeatPath: HotPath {
    private typealias Arrival = (at: Instant, bytes: [UInt8], source: Endpoint)

    var turns: Int { heard.count }
    private let heard: [Arrival]
    private var member: MeshCluster.Member
    private var next = 0
    private var sentCount = 0

    init() {
        let cluster = LinkedCluster.make(nodeCount: 8)
        var heard: [Arrival] = []
        cluster.tap = { from, to, bytes in
            if to == 0 { heard.append((cluster.now + cluster.delay, bytes, cluster.endpoint(of: from))) }
        }
        cluster.drive(for: .seconds(60))
        self.heard = heard
        member = cluster.members[0]
        refill()
        for _ in 0..<turns { turn() }
        // Else something cheaper than a living link would be measured.
        precondition(turns / 2 < sentCount, "\(sentCount) datagrams sent for \(turns) heard")
    }

    /// The same seeds give the same node, which cannot be copied.
    func refill() {
        member = LinkedCluster.make(nodeCount: 8).members[0]
        next = 0
    }

    func turn() {
        let arrival = heard[next]
        next += 1
        while let deadline = member.node.nextDeadline, deadline.at <= arrival.at {
            member.node.handle(.deadline, now: deadline.at)
            drain()
        }
        member.node.handle(.datagram(arrival.bytes, from: arrival.source), now: arrival.at)
        drain()
    }

    private func drain() {
        while let output = member.node.runUntilOutput() {
            if case .send = output { sentCount += 1 }
            blackHole(output)
        }
    }
}

/// What a heartbeat in and one out cost with everything but their sealing and coding taken away.
final class PlainHeartbeat: HotPath {
    let turns = 1_000
    private var traffic = MediaTraffic(talker: TransparentSealing(seed: 1), listener: TransparentSealing(seed: 2))
    private var next: UInt32 = 0

    func turn() {
        next &+= 1
        let block = ControlBlock(
            sequence: next, echo: next, echoDelayMicroseconds: 1, digest: 1, held: HeldGenerations(),
            sampleTime: SampleTime(samples: next), report: nil, flags: [])
        let datagram = traffic.seal(DatagramBody(control: block).encoded())
        blackHole(try? DatagramBody(parsing: traffic.open(datagram)))
    }
}

/// A wake-up of a node with seven peers that finds nothing due.
final class IdleDeadline: HotPath {
    let turns = 1_000
    private let member: MeshCluster.Member
    private let now: Instant

    init() {
        let cluster = LinkedCluster.make(nodeCount: 8)
        member = cluster.members[0]
        now = cluster.now
    }

    func turn() {
        member.node.handle(.deadline, now: now)
        while let output = member.node.runUntilOutput() { blackHole(output) }
    }
}

/// A virtual second of a complete, silent mesh in the simulator.
final class IdleMesh: HotPath {
    let turns = 10
    private let world = World(WorldOptions(seed: 1, names: WorldOptions.numberedNames(8)))

    init() {
        let all = Array(0..<world.nodeCount)
        for node in all { world.apply(.start(node)) }
        let isComplete = world.run(until: .zero + .seconds(30)) { $0.up.firstGap(among: all) != nil }
        precondition(isComplete, "eight nodes on a quiet network link")
        world.run(until: world.now + .seconds(5))
    }

    func turn() { world.run(until: world.now + .seconds(1)) }
}

private enum LinkedCluster {
    /// Everybody knows everybody, and nothing more than heartbeats is going on.
    static func make(nodeCount: Int) -> MeshCluster {
        let cluster = MeshCluster()
        let all = 0..<nodeCount
        for node in all { cluster.start(seed: UInt64(node + 1)) }
        for finder in all {
            for found in all where found != finder { cluster.discover(found, by: finder) }
        }
        let isComplete = cluster.drive(atMost: .seconds(10)) {
            all.allSatisfy { a in all.allSatisfy { b in a == b || cluster.isUp(a, b) } }
        }
        precondition(isComplete, "\(nodeCount) nodes on a quiet network link")
        cluster.drive(for: .seconds(5))
        return cluster
    }
}
