import Mesh
import MeshTestKit
import Primitives
import Testing
import Wire

@Suite("Session, path and carrier are independent")
struct CarrierAndPathTests {
    private func hasDown(_ cluster: MeshCluster, _ index: Int) -> Bool {
        cluster.events(index).contains { if case .peerDown = $0 { true } else { false } }
    }

    @Test("a link stays up without its carrier; the leader dials a new one, and no voice is lost")
    func carrierLost() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        var spoken: [[UInt8]] = []
        let speak = { (count: Int) in
            for _ in 0..<count {
                spoken.append([UInt8(spoken.count >> 8), UInt8(spoken.count & 255)])
                cluster.speak(pair.leader, to: pair.follower, spoken[spoken.count - 1])
                cluster.drive(for: .milliseconds(5))
            }
        }
        speak(20)
        cluster.resetCarriers(pair.leader, pair.follower)
        speak(300)
        #expect(pair.isUp)
        #expect(!hasDown(cluster, pair.leader) && !hasDown(cluster, pair.follower))
        #expect(cluster.peer(pair.follower, at: pair.leader)?.hasCarrier == true)
        #expect(cluster.peer(pair.leader, at: pair.follower)?.hasCarrier == true)
        #expect(cluster.openCarriers(pair.leader) == 1)
        cluster.drive(for: .milliseconds(10))
        // During verification the voice takes two paths, and the replay window drops the second copy.
        #expect(cluster.members[pair.follower].voices.map(\.payload) == spoken)
    }

    @Test("if no dial succeeds, the link stays up without a carrier, and dials become rare")
    func carrierStaysLost() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        pair.loseCarrier()
        cluster.drive(for: .seconds(60))
        #expect(pair.isUp)
        #expect(!hasDown(cluster, pair.leader))
        #expect(cluster.members[pair.leader].dials.count < 12)
        cluster.cuts = []
        #expect(cluster.drive(atMost: .seconds(31)) { cluster.peer(1, at: 0)?.hasCarrier == true })
    }

    @Test("keys expire after three minutes without a carrier")
    func keysExpire() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        pair.loseCarrier()
        cluster.drive(for: .seconds(170))
        #expect(pair.isUp)
        cluster.drive(for: .seconds(12))
        #expect(!pair.isUp)
        #expect(cluster.events(0).contains { if case .peerDown(_, _, _, .keysExpired) = $0 { true } else { false } })
    }

    @Test("keys that expire while no peer is reachable end no wait and no attempt")
    func keysExpireUnseen() {
        let cluster = MeshCluster()
        for seed: UInt64 in 1...3 { cluster.start(seed: seed) }
        for a in 0..<3 { for b in 0..<3 where a != b { cluster.discover(b, by: a) } }
        #expect(cluster.drive(atMost: .seconds(5)) { cluster.status(0).isCliqueComplete })
        // A node that has lost all peers declares none of them dead, so the sessions last as long as their keys.
        for (a, b) in [(0, 1), (0, 2), (1, 2)] { cluster.separate(a, b) }
        cluster.drive(for: MeshLimits.keysLifetimeMax - .seconds(10))
        func expired() -> UInt64 { (0..<3).reduce(0) { $0 + cluster.counter(.keysExpired, at: $1) } }
        var waits: [Instant?] = []
        var dials = 0
        while expired() == 0, cluster.now < .zero + .seconds(400) {
            waits = (0..<3).flatMap { a in (0..<3).map { cluster.peer($0, at: a)?.retryAt } }
            dials = (0..<3).reduce(0) { $0 + cluster.members[$1].dials.count }
            cluster.drive(for: .milliseconds(5))
        }
        #expect(0 < expired())
        #expect(waits == (0..<3).flatMap { a in (0..<3).map { cluster.peer($0, at: a)?.retryAt } })
        #expect(dials == (0..<3).reduce(0) { $0 + cluster.members[$1].dials.count })
        #expect(waits.contains { $0 != nil })
    }

    @Test("if UDP is blocked from the start, the link comes up inside the carrier")
    func blockedFromStart() {
        let pair = MeshPair()
        pair.cluster.cuts = [.datagrams(from: 0, to: 1), .datagrams(from: 1, to: 0)]
        pair.discoverEachOther()
        #expect(pair.cluster.drive(atMost: .seconds(2)) { pair.isUp })
        #expect(pair.cluster.peer(1, at: 0)?.path == .carrier)
    }

    @Test("voice moves into the carrier when UDP is cut, and back to UDP when it works again")
    func blockedAndBack() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        let (cutA, cutB) = (MeshCluster.Cut.datagrams(from: 0, to: 1), MeshCluster.Cut.datagrams(from: 1, to: 0))
        cluster.cuts = [cutA, cutB]
        #expect(cluster.drive(atMost: .milliseconds(1_600)) { cluster.peer(1, at: 0)?.path == .carrier })
        cluster.drive(for: .milliseconds(500))
        #expect(pair.isUp)
        cluster.speak(0, to: 1, [42])
        cluster.drive(for: .milliseconds(5))
        #expect(cluster.members[1].voices.map(\.payload) == [[42]])
        #expect(1 <= cluster.members[0].carriedVoices)
        cluster.drive(for: .seconds(30))
        #expect(pair.isUp)
        cluster.cuts = []
        #expect(
            cluster.drive(atMost: MeshLimits.pathProbeIntervalMax + .seconds(1)) {
                cluster.peer(1, at: 0)?.path == .direct && cluster.peer(0, at: 1)?.path == .direct
            })
        #expect(!hasDown(cluster, 0) && !hasDown(cluster, 1))
    }

    @Test("where UDP is blocked at one node, its voice goes to each peer over their own carrier, through no third node")
    func blockedAtOneNode() {
        let cluster = MeshCluster.acquainted(4)
        cluster.drive(for: .seconds(2))
        for other in 1...3 {
            cluster.cuts.insert(.datagrams(from: 0, to: other))
            cluster.cuts.insert(.datagrams(from: other, to: 0))
        }
        func goOver(_ path: PathKind) -> Bool {
            (1...3).allSatisfy { cluster.peer($0, at: 0)?.path == path && cluster.peer(0, at: $0)?.path == path }
        }
        cluster.drive(for: .seconds(6))
        for _ in 0..<30 {
            #expect(goOver(.carrier))
            cluster.drive(for: .seconds(1))
        }
        #expect((0...3).allSatisfy { !hasDown(cluster, $0) })
        cluster.cuts = []
        #expect(cluster.drive(atMost: MeshLimits.pathProbeIntervalMax + .seconds(1)) { goOver(.direct) })
    }

    @Test("a peer whose source address changes is challenged, and voice follows to the new address")
    func natRebinding() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        let mapped = Endpoint(address: IPAddress(v4: 192, 0, 2, 7), port: 61_000)
        cluster.members[1].mappedEndpoint = mapped
        #expect(cluster.drive(atMost: .seconds(3)) { cluster.peer(1, at: 0)?.endpoint == mapped })
        #expect(cluster.counter(.pathChallengesSent, at: 0) == 1)
        cluster.speak(0, to: 1, [7])
        cluster.drive(for: .milliseconds(10))
        #expect(cluster.members[1].voices.map(\.payload) == [[7]])
        #expect(!hasDown(cluster, 0))
    }

    @Test("a peer with a longer datagram header can still prove its new source address while the link is down")
    func proofByTalker() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        // The counter in the header of the talker takes one byte more than that of the listener.
        for number in 0..<300 {
            cluster.speak(0, to: 1, [UInt8(number & 255)])
            if number % 50 == 0 { cluster.drive(for: .milliseconds(20)) }
        }
        pair.loseCarrier()
        cluster.cuts.formUnion([.datagrams(from: 0, to: 1), .datagrams(from: 1, to: 0)])
        // The link is down, and the peer is not dead yet.
        cluster.drive(for: .seconds(4))
        #expect(!pair.isUp)
        let mapped = Endpoint(address: IPAddress(v4: 192, 0, 2, 7), port: 61_000)
        cluster.members[1].mappedEndpoint = mapped
        cluster.cuts.subtract([.datagrams(from: 0, to: 1), .datagrams(from: 1, to: 0)])
        #expect(cluster.drive(atMost: .seconds(3)) { pair.isUp && cluster.peer(1, at: 0)?.endpoint == mapped })
        cluster.drive(for: .seconds(5))
        #expect(cluster.counter(.linksDown, at: 0) == 1 && cluster.counter(.pathChallengesSent, at: 0) == 1)
    }

    @Test("if a NAT maps the port from the start, the link comes up and finds the mapped port")
    func natFromStart() {
        let pair = MeshPair()
        let cluster = pair.cluster
        cluster.members[1].mappedEndpoint = Endpoint(address: IPAddress(v4: 192, 0, 2, 7), port: 61_000)
        cluster.discover(0, by: 1)
        #expect(cluster.drive(atMost: .seconds(2)) { pair.isUp })
        #expect(cluster.drive(atMost: .seconds(12)) { cluster.peer(1, at: 0)?.path == .direct })
        #expect(cluster.peer(1, at: 0)?.endpoint?.port == 61_000)
    }

    @Test("challenges leave at most twice a second, and an unproved address gets no voice")
    func challengeLimits() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        let victim = Endpoint(address: IPAddress(v4: 203, 0, 113, 9), port: 9)
        var stolen: [[UInt8]] = []
        cluster.dropsDatagram = { from, _, bytes in
            if from == 1 { stolen.append(bytes) }
            return from == 1
        }
        for number in 0..<10 { cluster.speak(1, to: 0, Array(repeating: UInt8(number), count: 200)) }
        cluster.dropsDatagram = { _, _, _ in false }
        for bytes in stolen { cluster.inject(bytes, to: 0, from: victim) }
        #expect(cluster.counter(.pathChallengesSent, at: 0) == 2)
        #expect(cluster.counter(.pathChallengesOverRate, at: 0) == UInt64(stolen.count) - 2)
        cluster.drive(for: .seconds(2))
        #expect(cluster.peer(1, at: 0)?.endpoint == cluster.endpoint(of: 1))
    }

    @Test("a probe command is answered with the round trip")
    func probe() throws {
        let pair = MeshPair.linked()
        let slot = try #require(pair.cluster.slot(of: 1, at: 0))
        pair.cluster.command(0, .probe(slot))
        pair.cluster.drive(for: .milliseconds(10))
        let rtts = pair.cluster.events(0).compactMap { if case .probeAnswered(_, _, let rtt) = $0 { rtt } else { nil } }
        #expect(rtts == [.milliseconds(2)])
    }
}
