import Mesh
import MeshTestKit
import Primitives
import TestKit
import Testing
import Trust
import Wire

@Suite("Dials that wait for one another")
struct DialingTests {
    private func endpoints(_ host: Int) -> [Endpoint] {
        (0..<MeshLimits.addressesPerPeerMax).map {
            Endpoint(address: IPAddress(v4: 10, 0, 0, UInt8(100 + host)), port: UInt16(8_000 + $0))
        }
    }

    @Test("peers with sixteen false addresses each do not keep another peer from being dialled")
    func invented() {
        let cluster = MeshCluster()
        cluster.start(seed: 1)
        cluster.start(seed: 2)
        for host in 0..<MeshScale.peersMax - 1 {
            let hint = PeerHint(
                source: .avahi, node: TestIdentity.nodeID(seed: UInt64(1_000 + host)), endpoints: endpoints(host))
            cluster.input(0, .discovered(hint))
        }
        cluster.drive(for: .seconds(2))
        // The burst is used up, and all of them wait for their next address.
        cluster.discover(1, by: 0)
        #expect(cluster.drive(atMost: .seconds(8)) { cluster.isUp(0, 1) })
    }

    /// One node whose dials `answer` answers.
    private func play(
        for duration: Interval, hints: [PeerHint], answer: (DialID, Endpoint) -> [MeshInput]
    ) -> [(at: Interval, to: Endpoint)] {
        let start = Instant.zero + .seconds(1)
        var now = start
        var dials: [(at: Interval, to: Endpoint)] = []
        var node = MeshNode(
            MeshCluster.configuration(index: 0, seed: 1), sealing: TransparentSealing(seed: 1), seed: 1, now: now)
        var inputs = hints.map { MeshInput.discovered($0) }
        while now < start + duration {
            while let output = node.nextOutput() {
                guard case .dial(let dial, let endpoint, _) = output else { continue }
                dials.append((now - start, endpoint))
                inputs += answer(dial, endpoint)
            }
            if inputs.isEmpty {
                now = max(now, node.nextDeadline?.at ?? start + duration)
                inputs = [.deadline]
            }
            node.handle(inputs.removeFirst(), now: now)
        }
        return dials
    }

    @Test(
        "a peer that refuses each dial at once is dialled more and more rarely",
        arguments: [RefusalReason.full, .coolingDown])
    func refused(_ reason: RefusalReason) {
        let stranger = TestIdentity.nodeID(seed: 9)
        let endpoint = Endpoint(address: IPAddress(v4: 10, 0, 0, 9), port: 7400)
        var number: UInt64 = 100
        let dials = play(
            for: .seconds(60), hints: [PeerHint(source: .avahi, node: stranger, endpoints: [endpoint])]
        ) { dial, endpoint in
            number += 1
            let carrier = CarrierID(number: number)
            return [
                .carrierOpened(carrier, peer: stranger, dial: dial, remote: endpoint),
                .carrierFrame(carrier, CarrierMessage.refuse(reason, retryAfterMilliseconds: 0).encoded()),
            ]
        }
        #expect((5...10).contains(dials.count))
    }

    @Test("if the first addresses of many peers are silent, second addresses get their turns too")
    func silent() {
        let hints = (0..<24).map { host in
            let address = IPAddress(v4: 10, 0, 0, UInt8(100 + host))
            return PeerHint(
                source: .avahi, node: TestIdentity.nodeID(seed: UInt64(1_000 + host)),
                endpoints: [Endpoint(address: address, port: 8_000), Endpoint(address: address, port: 8_001)])
        }
        let dials = play(for: .seconds(5), hints: hints) { _, _ in [] }
        // The newest address is dialled first.
        #expect(8 <= dials.count { $0.to.port == 8_001 })
        #expect(2 <= dials.count { $0.to.port == 8_000 })
    }

    @Test("peers that members invent do not keep a peer from being dialled whose beacon has come")
    func heard() {
        let silent = { (host: Int, source: PeerHint.Source) in
            PeerHint(
                source: source, node: TestIdentity.nodeID(seed: UInt64(1_000 + host)),
                endpoints: [Endpoint(address: IPAddress(v4: 10, 0, 0, UInt8(100 + host)), port: 8_000)])
        }
        let hints = (0..<59).map { silent($0, .gossip) } + [silent(59, .beacon)]
        let dials = play(for: .seconds(12), hints: hints) { _, _ in [] }
        let heard = dials.first { $0.to == hints[59].endpoints[0] }
        #expect(heard.map { $0.at <= .seconds(3) } == true)
        #expect(40 <= Set(dials.map(\.to)).count, "the others have their turns too")
    }

    @Test("a blocked peer is dialled once a minute if the user gave its address")
    func blocked() {
        let cluster = MeshCluster()
        cluster.start(seed: 1, staticPeers: [Endpoint(address: IPAddress(v4: 10, 0, 0, 2), port: 7400)])
        cluster.start(seed: 2)
        #expect(cluster.drive(atMost: .seconds(8)) { cluster.isUp(0, 1) })
        cluster.command(0, .block(cluster.id(of: 1)))
        cluster.drive(for: .seconds(1))
        let before = cluster.members[0].dials.count
        cluster.drive(for: .seconds(300))
        // The address may belong to another node by then.
        #expect((3...5).contains(cluster.members[0].dials.count - before))
    }
}
