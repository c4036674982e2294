import Mesh
import MeshTestKit
import Primitives
import TestKit
import Testing
import Wire

@Suite("Datagrams that a neighbour relays")
struct RelayingTests {
    private let mesh = ScriptedMesh()

    private func toward(_ node: NodeID, _ bytes: [UInt8] = [1, 2, 3]) -> DatagramBody {
        DatagramBody(relayed: RelayedDatagram(.toward(node), bytes))
    }

    private func brought(_ peer: ScriptedPeer) -> [RelayedDatagram] { peer.bodies.compactMap(\.body.relayed) }

    /// The neighbours that the node asked to relay to this peer.
    private func asked(for peer: ScriptedPeer) -> [NodeID] {
        let node = peer.id
        return mesh.puppets.filter { neighbour in
            neighbour.bodies.contains { $0.body.relayed.map { $0.leg == .toward(node) } ?? false }
        }.map(\.id)
    }

    private let counters: [MeshCounter] = [
        .relaysForwarded, .relaysUndeliverable, .relaysOverQuota, .relaysNested, .relaysLost,
    ]

    @Test("are forwarded unchanged, with their origin, to a peer that this node reaches itself; others are counted")
    func forwarding() {
        let peers = mesh.clique([2, 3])
        mesh.send(toward(peers[1].id), from: peers[0])
        #expect(brought(peers[1]) == [RelayedDatagram(.from(peers[0].id), [1, 2, 3])])
        #expect(mesh.count(.relaysForwarded) == 1 && mesh.status.pairsRelayed == 1)
        for node in [TestIdentity.nodeID(seed: 60), peers[0].id, mesh.own] { mesh.send(toward(node), from: peers[0]) }
        #expect(mesh.count(.relaysUndeliverable) == 3 && mesh.node.counted(counters) == 4)
        for _ in 0..<100 { mesh.send(toward(peers[1].id), from: peers[0]) }
        #expect(mesh.count(.relaysForwarded) == 100 && mesh.count(.relaysOverQuota) == 1)
        #expect(mesh.node.counted(counters) == 104 && brought(peers[0]).isEmpty)
    }

    @Test("go over the carrier if no datagram passes, and never over a second neighbour")
    func overCarrier() {
        let peers = mesh.clique([2, 3, 4])
        peers[1].routes = { $0 == .carrier }
        mesh.pass(.seconds(2))
        #expect(mesh.peer(peers[1])?.path == .carrier)
        mesh.forget()
        mesh.send(toward(peers[1].id), from: peers[0])
        #expect(mesh.count(.relaysForwarded) == 1 && brought(peers[1]).count == 1)
        peers[1].routes = { $0 == .through(peers[2].id) }
        mesh.pass(.seconds(3))
        #expect(mesh.peer(peers[1])?.via == peers[2].id)
        mesh.send(toward(peers[1].id), from: peers[0])
        #expect(mesh.count(.relaysUndeliverable) == 1 && mesh.count(.relaysForwarded) == 1)
    }

    @Test("are not relayed twice, and do not come from strangers")
    func refused() {
        let peers = mesh.clique([2, 3, 4])
        mesh.send(toward(peers[1].id), from: peers[2], over: .through(peers[0].id))
        #expect(mesh.count(.relaysNested) == 1)
        let inner = mesh.seal(DatagramBody(voice: [5]), by: peers[2])
        for origin in [TestIdentity.nodeID(seed: 60), peers[0].id] {
            mesh.send(DatagramBody(relayed: RelayedDatagram(.from(origin), inner)), from: peers[0])
        }
        #expect(mesh.count(.relaysLost) == 2)
        // Under another origin it does not open; under its own origin it is heard.
        mesh.send(DatagramBody(relayed: RelayedDatagram(.from(peers[1].id), inner)), from: peers[0])
        #expect(mesh.count(.datagramsUnknownKey) == 1 && mesh.node.counted(counters) == 3)
        mesh.send(DatagramBody(relayed: RelayedDatagram(.from(peers[2].id), inner)), from: peers[0])
        #expect(mesh.log.count { if case .voice([5], _) = $0.what { true } else { false } } == 1)
        let candidate = mesh.enter(5) { $0.isEchoing = false }
        mesh.send(toward(peers[1].id), from: candidate)
        #expect(mesh.count(.relaysLost) == 3 && mesh.count(.relaysForwarded) == 0)
    }

    @Test("of the node's own carry at most 1,120 bytes inside; longer ones are lost and counted")
    func longest() throws {
        let peers = mesh.clique([2, 3])
        peers[1].routes = { $0 == .through(peers[0].id) }
        mesh.pass(.seconds(3))
        #expect(mesh.peer(peers[1])?.via == peers[0].id)
        let slot = try #require(mesh.peer(peers[1])?.slot)
        mesh.forget()
        let sizes = 1_060...1_100
        for size in sizes { mesh.input(.voice([UInt8](repeating: 1, count: size), to: slot)) }
        let lengths = brought(peers[0]).map(\.datagram.count)
        #expect(lengths.max() == 1_120)
        #expect(mesh.count(.relaysLost) == UInt64(sizes.count - lengths.count))
        let heard = mesh.puppets[1].bodies.filter { !$0.body.voice.isEmpty }
        #expect(heard.count == lengths.count && heard.allSatisfy { $0.route == .through(peers[0].id) })
    }

    @Test(
        "two neighbours are asked: those with the least loss, then the least delay, over both halves of the route",
        arguments: [
            ([(0, 3), (0, 1), (0, 2)], [0, 0, 0], [1, 2]), ([(2, 0), (0, 9), (1, 9)], [0, 0, 0], [1, 2]),
            ([(0, 1), (0, 2), (0, 3)], [50, 0, 0], [1, 2]), ([(3, 0), (2, 0), (3, 0)], [50, 200, 0], [0, 2]),
        ] as [([(UInt8, UInt8)], [UInt16], [Int])])
    func best(_ far: [(UInt8, UInt8)], _ near: [UInt16], expected: [Int]) throws {
        let peers = mesh.clique([2, 3, 4, 5])
        let lost = peers[3]
        for (place, (loss, rtt)) in far.enumerated() {
            let entry = ScriptedMesh.entry(lost.id, rtt: rtt, loss: loss)
            mesh.advertise([ScriptedMesh.entry(mesh.own), entry], by: peers[place])
            let slot = try #require(mesh.peer(peers[place])?.slot)
            let report = ReceptionReport(
                lossPermille: near[place], lossRunTenths: 0, latePermille: 0, jitterTargetSamples: 0)
            mesh.input(.receptionReport(report, of: slot))
        }
        mesh.forget()
        lost.routes = { _ in false }
        mesh.pass(.milliseconds(1_100))
        #expect(Set(asked(for: lost)) == Set(expected.map { peers[$0].id }))
    }

    @Test("only a neighbour that advertises its own link to the peer is asked")
    func reaching() {
        let peers = mesh.clique([2, 3, 4, 5])
        mesh.advertiseLinks(of: peers[0], with: [])
        mesh.advertiseLinks(of: peers[1], with: [peers[3].id], path: .relay)
        mesh.advertiseLinks(of: peers[2], with: [peers[3].id], path: .carrier)
        peers[3].routes = { _ in false }
        mesh.pass(.milliseconds(1_200))
        #expect(asked(for: peers[3]) == [peers[2].id])
    }

    @Test("a neighbour that was asked without success gives way to the next, and may be asked again after 20 s")
    func turns() {
        let peers = mesh.clique([2, 3, 4, 5])
        // Only the carrier passes: the link stays up, and at each heartbeat the node asks neighbours.
        peers[3].routes = { $0 == .carrier }
        mesh.pass(.milliseconds(1_450))
        let first = asked(for: peers[3])
        #expect(first.count == 2)
        mesh.forget()
        mesh.pass(.milliseconds(1_500))
        let third = peers[0...2].map(\.id).first { !first.contains($0) }
        #expect(third.map { asked(for: peers[3]).contains($0) } == true)
        #expect(mesh.peer(peers[3])?.state == .up && mesh.peer(peers[3])?.path == .carrier)
        #expect(mesh.peerSnapshot(peers[3].id).link?.paths.count { $0.kind == .relay } == 3)
        func firstAsked() -> Instant { mesh.peerSnapshot(peers[3].id).link?.paths.compactMap(\.askedAt).min() ?? .zero }
        let askedAt = firstAsked()
        mesh.pass(askedAt + .milliseconds(19_900) - mesh.now)
        #expect(firstAsked() == askedAt)
        mesh.pass(.milliseconds(700))
        #expect(askedAt < firstAsked())
    }

    @Test("both ends of a pair choose the same of several equal neighbours", arguments: [(0, 1), (1, 3), (2, 4)])
    func agreement(_ a: Int, _ b: Int) {
        let cluster = MeshCluster.acquainted(5)
        cluster.drive(for: .seconds(2))
        cluster.cuts = [.datagrams(from: a, to: b), .datagrams(from: b, to: a), .carriers(a, b), .carriers(b, a)]
        cluster.drive(for: .milliseconds(2_300))
        let via = cluster.peer(b, at: a)?.via
        #expect(via != nil && via == cluster.peer(a, at: b)?.via)
    }

    @Test("a neighbour that no longer advertises its link to the peer is left at once", arguments: [true, false])
    func forgotten(isRelayed: Bool) {
        let peers = mesh.clique([2, 3, 4])
        let (helper, lost) = (peers[0], peers[1])
        lost.routes = { $0 == .through(helper.id) || $0 == .through(peers[2].id) }
        mesh.advertiseLinks(of: peers[2], with: [])
        mesh.pass(.seconds(3))
        #expect(mesh.peer(lost)?.via == helper.id && mesh.peer(lost)?.state == .up)
        // Link states that still name the peer change nothing.
        mesh.advertiseLinks(of: helper, with: [lost.id])
        #expect(mesh.peer(lost)?.state == .up)
        mesh.forget()
        lost.isEchoing = false
        mesh.advertiseLinks(of: helper, with: isRelayed ? [lost.id] : [], path: .relay)
        #expect(mesh.peer(lost)?.state == .verifying)
        #expect(mesh.events.contains { if case .peerVerifying(_, lost.id) = $0 { true } else { false } })
        mesh.forget()
        mesh.pass(.milliseconds(100))
        #expect(asked(for: lost).isEmpty)
        #expect(mesh.peerSnapshot(lost.id).link?.paths.first { $0.kind == .relay }?.isForgotten == true)
    }

    @Test("when a neighbour is lost, only links that used it are verified")
    func neighbourLost() {
        let peers = mesh.clique([2, 3, 4])
        let (helper, lost, direct) = (peers[0], peers[1], peers[2])
        lost.routes = { $0 == .through(helper.id) }
        mesh.advertiseLinks(of: direct, with: [])
        mesh.pass(.seconds(3))
        #expect(mesh.peer(lost)?.via == helper.id)
        mesh.send(DatagramBody(voice: [1]), from: direct, over: .through(helper.id))
        mesh.forget()
        mesh.say(.leave, by: helper)
        #expect(mesh.peer(lost)?.state == .verifying && mesh.peer(direct)?.state == .up)
        #expect(mesh.peerSnapshot(direct.id).link?.paths.first { $0.kind == .relay }?.isForgotten == true)
    }
}
