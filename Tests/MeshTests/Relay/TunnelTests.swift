import Mesh
import MeshTestKit
import Primitives
import TestKit
import Testing
import Wire

@Suite("A carrier through a common neighbour")
struct TunnelTests {
    /// Two nodes that cannot reach each other, and neighbours that reach both.
    private struct Apart {
        let cluster = MeshCluster()
        let a = 0
        let c = 1
        let neighbours: [Int]

        init(neighbours count: Int = 1, otherwise isApart: Bool = true) {
            neighbours = Array(2..<2 + count)
            for seed in 1...UInt64(2 + count) { cluster.start(seed: seed) }
            if isApart { cluster.separate(a, c) }
            for neighbour in neighbours {
                cluster.discover(neighbour, by: a)
                cluster.discover(neighbour, by: c)
            }
        }

        var via: NodeID? { cluster.peer(c, at: a)?.carrierVia }
    }

    @Test("links a pair without any direct path, and both ends name the neighbour")
    func links() {
        let mesh = Apart()
        let cluster = mesh.cluster
        #expect(cluster.drive(atMost: .seconds(4)) { cluster.isUp(mesh.a, mesh.c) })
        #expect(mesh.via == cluster.id(of: 2))
        #expect(cluster.peer(mesh.a, at: mesh.c)?.carrierVia == cluster.id(of: 2))
        #expect(cluster.peer(mesh.c, at: mesh.a)?.path == .carrier)
        #expect(cluster.peer(mesh.c, at: mesh.a)?.endpoint == nil)
        #expect(cluster.counter(.tunnelsForwarded, at: 2) == 1)
        cluster.speak(mesh.a, to: mesh.c, [1, 2, 3])
        cluster.drive(for: .milliseconds(20))
        #expect(cluster.members[mesh.c].voices.map(\.payload) == [[1, 2, 3]])
    }

    @Test("stays up as long as its neighbour, and carries the re-keys")
    func lasts() {
        let mesh = Apart()
        let cluster = mesh.cluster
        cluster.drive(atMost: .seconds(4)) { cluster.isUp(mesh.a, mesh.c) }
        let events = cluster.events(mesh.a).count
        cluster.drive(for: .seconds(250))
        #expect(cluster.isUp(mesh.a, mesh.c))
        #expect(!cluster.events(mesh.a).dropFirst(events).contains { if case .peerDown = $0 { true } else { false } })
        let rekeys = cluster.counter(.rekeys, at: mesh.a) + cluster.counter(.rekeys, at: mesh.c)
        #expect(2 <= rekeys)
        #expect(cluster.counter(.tunnelsForwarded, at: 2) == 1)
    }

    @Test("is not requested if a direct dial succeeds")
    func lastResort() {
        let mesh = Apart(otherwise: false)
        let cluster = mesh.cluster
        #expect(cluster.drive(atMost: .seconds(2)) { cluster.isUp(mesh.a, mesh.c) })
        cluster.drive(for: .seconds(60))
        #expect(cluster.members.allSatisfy { $0.tunnelDials.isEmpty })
        #expect(mesh.via == nil)
    }

    @Test("gives way to a direct carrier without interruption, when one is possible")
    func replaced() {
        let mesh = Apart()
        let cluster = mesh.cluster
        cluster.drive(atMost: .seconds(4)) { cluster.isUp(mesh.a, mesh.c) }
        cluster.drive(for: .seconds(20))
        let dials = cluster.members[mesh.a].dials.count
        cluster.drive(for: .seconds(60))
        // The node keeps trying a direct dial, more and more rarely.
        #expect((4...12).contains(cluster.members[mesh.a].dials.count - dials))
        cluster.separate(mesh.a, mesh.c, false)
        let limit = TunnelLimits.directSearchMax + .seconds(1)
        #expect(cluster.drive(atMost: limit) { mesh.via == nil && cluster.peer(mesh.c, at: mesh.a)?.path == .direct })
        cluster.drive(for: .seconds(5))
        #expect(cluster.isUp(mesh.a, mesh.c))
        #expect(cluster.peer(mesh.a, at: mesh.c)?.carrierVia == nil)
        for index in [mesh.a, mesh.c] {
            #expect(!cluster.events(index).contains { if case .peerDown = $0 { true } else { false } })
        }
        #expect(cluster.counter(.tunnelsClosed, at: 2) == 1)
        #expect(cluster.openCarriers(2) == 2)
    }

    @Test("gives way at once when a new address has a route")
    func addressChanges() {
        let mesh = Apart()
        let cluster = mesh.cluster
        cluster.drive(atMost: .seconds(4)) { cluster.isUp(mesh.a, mesh.c) }
        cluster.drive(for: .seconds(90))
        cluster.separate(mesh.a, mesh.c, false)
        var interfaces = cluster.members[mesh.a].configuration.interfaces
        interfaces.append(
            InterfaceAddress(
                interfaceIndex: 3, prefix: AddressPrefix(address: IPAddress(v4: 10, 0, 1, 9), length: 24),
                medium: .wireless, isAdvertised: true))
        cluster.input(mesh.a, .addressesChanged(interfaces))
        #expect(cluster.drive(atMost: .milliseconds(100)) { mesh.via == nil })
    }

    @Test("lets datagrams take the direct path, after a challenge, if only TCP is cut")
    func datagramsPass() {
        let mesh = Apart()
        let cluster = mesh.cluster
        cluster.cuts.remove(.datagrams(from: mesh.a, to: mesh.c))
        cluster.cuts.remove(.datagrams(from: mesh.c, to: mesh.a))
        #expect(cluster.drive(atMost: .seconds(4)) { cluster.isUp(mesh.a, mesh.c) })
        #expect(cluster.drive(atMost: .seconds(10)) { cluster.peer(mesh.c, at: mesh.a)?.path == .direct })
        cluster.drive(for: .seconds(100))
        #expect(cluster.isUp(mesh.a, mesh.c))
        // The idle tunnel is kept alive.
        #expect(cluster.counter(.tunnelsForwarded, at: 2) == 1)
        #expect(mesh.via == cluster.id(of: 2))
    }

    @Test("ends with its neighbour, and a new tunnel goes through another one")
    func neighbourDies() throws {
        let mesh = Apart(neighbours: 2)
        let cluster = mesh.cluster
        cluster.drive(atMost: .seconds(4)) { cluster.isUp(mesh.a, mesh.c) }
        cluster.drive(for: .seconds(3))
        let first = try #require(mesh.neighbours.first { cluster.id(of: $0) == mesh.via })
        let second = first == 2 ? 3 : 2
        cluster.kill(first)
        #expect(cluster.drive(atMost: .seconds(3)) { mesh.via == cluster.id(of: second) })
        #expect(cluster.drive(atMost: .seconds(1)) { cluster.isUp(mesh.a, mesh.c) })
    }

    @Test("ends with either carrier of the neighbour, although the neighbour's links stay up")
    func carrierResets() {
        let mesh = Apart()
        let cluster = mesh.cluster
        cluster.drive(atMost: .seconds(4)) { cluster.isUp(mesh.a, mesh.c) }
        cluster.drive(for: .seconds(1))
        cluster.resetCarriers(2, mesh.c)
        cluster.drive(for: .milliseconds(50))
        #expect(cluster.counter(.tunnelsClosed, at: 2) == 1)
        #expect(cluster.peer(mesh.c, at: mesh.a)?.hasCarrier == false)
        #expect(cluster.drive(atMost: .seconds(4)) { cluster.isUp(mesh.a, mesh.c) && mesh.via != nil })
    }

    @Test("is tried at the next neighbour if one has no room")
    func overQuota() {
        // The nodes reach only the middle one, so every pair needs a tunnel there.
        let cluster = MeshCluster()
        let count = 6
        for seed in 1...UInt64(count + 1) { cluster.start(seed: seed) }
        for a in 0..<count { for b in 0..<a { cluster.separate(a, b) } }
        for index in 0..<count { cluster.discover(count, by: index) }
        cluster.drive(for: .seconds(30))
        var linked = 0
        for a in 0..<count { for b in 0..<a where cluster.isUp(a, b) { linked += 1 } }
        #expect(linked == TunnelLimits.forwardedMax)
        #expect(1 <= cluster.counter(.tunnelsOverLimit, at: count))
        for index in 0..<count { #expect(cluster.isUp(index, count)) }
    }

    @Test("has one hop: a node that is reached through a tunnel forwards no tunnel over it")
    func oneHop() {
        // 0 — 1 — 2 — 3: node 0 reaches node 2 through node 1, but node 3 is two hops further.
        let cluster = MeshCluster()
        for seed in 1...UInt64(4) { cluster.start(seed: seed) }
        for (a, b) in [(0, 2), (0, 3), (1, 3)] { cluster.separate(a, b) }
        for (a, b) in [(0, 1), (1, 2), (2, 3)] { cluster.discover(b, by: a) }
        #expect(cluster.drive(atMost: .seconds(10)) { cluster.isUp(0, 2) && cluster.isUp(1, 3) })
        cluster.drive(for: .seconds(60))
        #expect(cluster.peer(2, at: 0)?.carrierVia == cluster.id(of: 1))
        #expect(!cluster.isUp(0, 3))
        #expect(cluster.isUp(0, 2) && cluster.isUp(1, 3))
    }

    @Test("passes on the LEAVE of an end")
    func leave() {
        let mesh = Apart()
        let cluster = mesh.cluster
        cluster.drive(atMost: .seconds(4)) { cluster.isUp(mesh.a, mesh.c) }
        cluster.drive(for: .seconds(1))
        cluster.command(mesh.a, .leave)
        cluster.drive(for: .milliseconds(500))
        #expect(cluster.events(mesh.c).contains { if case .peerDown(_, _, _, .left) = $0 { true } else { false } })
    }

    @Test("from a blocked peer is refused")
    func blocked() {
        let mesh = Apart()
        let cluster = mesh.cluster
        cluster.command(mesh.c, .block(cluster.id(of: mesh.a)))
        cluster.drive(for: .seconds(10))
        #expect(!cluster.isUp(mesh.a, mesh.c))
        #expect(cluster.peer(mesh.a, at: mesh.c)?.hasCarrier != true)
        #expect(1 <= cluster.counter(.tunnelsRefused, at: mesh.c))
    }
}

@Suite("Hostile tunnels")
struct HostileTunnelTests {
    /// Two linked nodes. Frames to the first node come over their carrier.
    private struct Line {
        let cluster: MeshCluster
        let carrier: CarrierID

        init() throws {
            let pair = MeshPair.linked()
            cluster = pair.cluster
            carrier = try #require(pair.cluster.firstCarrier(of: 0))
        }

        func say(_ step: TunnelStep, number: UInt64 = 7) {
            let frame = CarrierMessage.tunnel(TunnelFrame(number: number, step: step)).encoded()
            cluster.input(0, .carrierFrame(carrier, frame))
        }
    }

    private let stranger = TestIdentity.nodeID(seed: 99)

    @Test("that overrun the window are closed, with many small pieces as with large ones", arguments: [1, 4_096])
    func overrun(_ byteCount: Int) throws {
        let fits = WireLimits.tunnelWindowBytes / TunnelStep.cost(ofBytes: byteCount)
        var forwarded = ForwardedTunnel(
            number: 7, opener: TunnelHop(slot: PeerSlot(index: 0), carrier: CarrierID(number: 1)),
            acceptor: TunnelHop(slot: PeerSlot(index: 1), carrier: CarrierID(number: 2)), now: .zero)
        let line = try Line()
        line.say(.offer(from: stranger))
        for number in 0..<fits {
            // For the stream at the end this is the beginning of one endless frame.
            let bytes = [number == 0 ? 4 : 0xFF] + [UInt8](repeating: 0xFF, count: byteCount - 1)
            line.say(.data(bytes))
            let passes = forwarded.pass(byteCount, from: 0, now: .zero)
            #expect(passes)
        }
        #expect(line.cluster.counter(.tunnelsClosed, at: 0) == 0)
        line.say(.data([UInt8](repeating: 0xFF, count: byteCount)))
        #expect(line.cluster.counter(.tunnelsClosed, at: 0) == 1)
        let passesMore = forwarded.pass(byteCount, from: 0, now: .zero)
        #expect(!passesMore)
    }

    @Test("the limits agree with one another")
    func relations() {
        #expect(TunnelLimits.directHeadStart + TunnelLimits.openingMax < MeshLimits.helloWaitMax)
        #expect(TunnelLimits.keepAliveInterval * 2 < TunnelLimits.silenceMax)
        #expect(TunnelLimits.forwardedPerOpenerMax <= TunnelLimits.requestsPerPeerBurst)
        // An honest neighbour may offer as many tunnels as it forwards.
        #expect(TunnelLimits.forwardedMax <= TunnelLimits.acceptedPerNeighbourMax)
        #expect(TunnelLimits.requestsPerPeerBurst < TunnelLimits.offersBurst)
        // All windows of one neighbour fit into half of its carrier's queue (CarrierLimits, 256 KiB).
        #expect(TunnelLimits.forwardedMax * WireLimits.tunnelWindowBytes <= 131_072)
        // A tunnel carries voice with frames of 5 ms and all overhead.
        #expect(200 * 250 < TunnelLimits.forwardedBytesPerSecond)
        #expect(TunnelLimits.directSearchMax < MeshLimits.backoffMax)
    }
}
