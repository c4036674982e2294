import Mesh
import Primitives
import TestKit
import Testing
import Trust
import Wire

@Suite("Dials through a neighbour")
struct DialThroughTests {
    private let mesh = ScriptedMesh()

    /// A peer with a lower NodeID, so that the node leads and dials at once.
    private func wanted(_ endpoints: [Endpoint] = []) throws -> (id: NodeID, record: SignedRecord) {
        let seed = try #require((200..<300 as Range<UInt64>).first { TestIdentity.nodeID(seed: $0) < mesh.own })
        let sealing = TransparentSealing(seed: seed)
        let record = NodeRecord(
            node: sealing.nodeID, instance: Instance(exactly: 1) ?? .max, bootNonce: BootNonce(number: 1), sequence: 1,
            endpoints: endpoints, profile: NodeProfile(name: SafeText("x")), isLeaving: false)
        return (sealing.nodeID, SignedRecord(signing: record, with: sealing))
    }

    /// The neighbours that were asked for a route to `far`, in order; the log is cleared.
    private func asked(_ far: NodeID) -> [ScriptedPeer] {
        defer { mesh.log = [] }
        return mesh.log.compactMap { entry in
            guard case .carrierSend(let carrier, let frame) = entry.what,
                case .tunnel(let tunnel)? = try? CarrierMessage(parsing: frame, isBeforeHello: false),
                tunnel.step == .request(to: far)
            else { return nil }
            return mesh.puppets.first { $0.carrier == carrier }
        }
    }

    private func dialsThrough(_ far: NodeID) -> [DialID] {
        mesh.log.compactMap { if case .dialThrough(let dial, _, expecting: far) = $0.what { dial } else { nil } }
    }

    private func tunnels() -> [TunnelID] {
        mesh.log.compactMap { if case .dialThrough(_, let tunnel, _) = $0.what { tunnel } else { nil } }
    }

    @Test(
        "the best neighbour is asked: one with a direct link before a carrier before a relay, then the shortest",
        arguments: [
            ([(.direct, 9), (.direct, 8)], 1), ([(.direct, 8), (.direct, 9)], 0), ([(.carrier, 0), (.direct, 14)], 1),
            ([(.relay, 0), (.carrier, 14)], 1), ([(.carrier, 0), (.relay, 0)], 0), ([(.direct, 3), (.direct, 3)], 0),
        ] as [([(PathKind, UInt8)], Int)])
    func ranks(_ rows: [(PathKind, UInt8)], best: Int) throws {
        let peers = mesh.clique([2, 3])
        let far = try wanted()
        for (peer, (path, rtt)) in zip(peers, rows) {
            mesh.advertise([ScriptedMesh.entry(far.id, path, rtt: rtt)], by: peer)
        }
        mesh.forget()
        mesh.say(.records([far.record]), by: peers[0])
        #expect(dialsThrough(far.id).count == 1)
        #expect(mesh.log.contains { if case .tunnelReady = $0.what { true } else { false } })
        #expect(mesh.count(.tunnelsRequested) == 1 && mesh.count(.dialsStarted) == 1)
        let chosen = asked(far.id)
        #expect(chosen.count == 1 && chosen.first === peers[best])
    }

    @Test("the node's own half of the route counts as much as the neighbour's half")
    func ownHalf() throws {
        let slow = mesh.link(2) { $0.latency = .milliseconds(40) }
        let quick = mesh.link(3)
        let far = try wanted()
        mesh.advertise([ScriptedMesh.entry(far.id, rtt: 0)], by: slow)
        mesh.advertise([ScriptedMesh.entry(far.id, rtt: 5)], by: quick)
        mesh.forget()
        mesh.say(.records([far.record]), by: quick)
        let chosen = asked(far.id)
        #expect(chosen.count == 1 && chosen.first === quick)
    }

    @Test("four neighbours are asked in an attempt, the others in the next one, and then the best again")
    func turns() throws {
        let peers = mesh.clique([2, 3, 4, 5, 6, 7])
        let far = try wanted()
        for (place, peer) in peers.enumerated() {
            mesh.advertise([ScriptedMesh.entry(far.id, rtt: UInt8(place))], by: peer)
        }
        mesh.forget()
        var order: [Int] = []
        func note() {
            let dials = dialsThrough(far.id)
            order += asked(far.id).compactMap { peer in peers.firstIndex { $0 === peer } }
            for dial in dials { mesh.input(.dialFailed(dial, .handshake)) }
        }
        mesh.say(.records([far.record]), by: peers[0])
        for _ in 0..<5 { note() }
        #expect(order == [0, 1, 2, 3] && mesh.count(.attemptsFailed) == 1)
        mesh.pass(.milliseconds(600))
        for _ in 0..<5 { note() }
        #expect(order == [0, 1, 2, 3, 4, 5] && mesh.count(.attemptsFailed) == 2)
        for _ in 0..<20 where order.count < 10 {
            mesh.pass(.milliseconds(100))
            note()
        }
        #expect(order == [0, 1, 2, 3, 4, 5, 0, 1, 2, 3])
        #expect(mesh.count(.tunnelsRequested) == 10 && mesh.count(.dialsStarted) == 10)
    }

    @Test("a neighbour that carries four tunnels of the node is asked for no more, and the next best is")
    func fullNeighbour() throws {
        let peers = mesh.clique([2, 3])
        let seeds = FindingBench.led.prefix(6)
        let far = seeds.map { TestIdentity.nodeID(seed: $0) }
        mesh.advertise(far.map { ScriptedMesh.entry($0) }, by: peers[0])
        mesh.advertise([ScriptedMesh.entry(far[4], rtt: 9)], by: peers[1])
        /// Of each request since the last call: the neighbour and the peer.
        func requests() -> [[NodeID]] {
            defer { mesh.forget() }
            var made: [[NodeID]] = []
            for peer in peers {
                for case .tunnel(let frame) in peer.messages {
                    if case .request(let node) = frame.step { made.append([peer.id, node]) }
                }
            }
            return made
        }
        mesh.forget()
        mesh.say(.records(seeds.map { FindingBench.record(of: $0) }), by: peers[0])
        let first = try #require(tunnels().first)
        #expect(requests() == far.prefix(4).map { [peers[0].id, $0] } + [[peers[1].id, far[4]]])
        mesh.pass(.seconds(1))
        #expect(requests().isEmpty)
        // The place of a tunnel that has ended is taken once.
        mesh.input(.tunnelFinished(first))
        mesh.pass(.seconds(4))
        #expect(requests().count { $0[0] == peers[0].id } == 1)
    }

    @Test("a tunnel joins direct dials after 1.5 s; one that does not open within 2 s gives way to the next")
    func headStart() throws {
        let peers = mesh.clique([2, 3])
        let place = Endpoint(address: IPAddress(v4: 10, 0, 0, 60), port: 7400)
        let far = try wanted([place])
        for (peer, rtt) in zip(peers, [1, 2] as [UInt8]) {
            mesh.advertise([ScriptedMesh.entry(far.id, rtt: rtt)], by: peer)
        }
        mesh.forget()
        mesh.say(.records([far.record]), by: peers[0])
        #expect(mesh.dialled == [place] && asked(far.id).isEmpty)
        mesh.pass(.milliseconds(1_499))
        #expect(asked(far.id).isEmpty)
        mesh.pass(.milliseconds(1))
        let dials = dialsThrough(far.id)
        let tunnel = try #require(tunnels().first)
        #expect(dials.count == 1 && asked(far.id).first === peers[0])
        mesh.pass(.milliseconds(1_999))
        #expect(asked(far.id).isEmpty)
        mesh.pass(.milliseconds(1))
        #expect(mesh.log.contains { if case .cancelDial(dials[0]) = $0.what { true } else { false } })
        #expect(asked(far.id).first === peers[1])
        // The one that was given up opens all the same.
        let id = CarrierID(number: 1 << 48)
        mesh.input(.tunnelledCarrierOpened(id, peer: far.id, tunnel))
        #expect(mesh.log.contains { if case .carrierClose(id) = $0.what { true } else { false } })
        #expect(!mesh.log.contains { if case .carrierSend(id, _) = $0.what { true } else { false } })
    }

    @Test("a tunnel is dialled when the last address has failed, if a neighbour advertises a link to the peer")
    func atOnce() throws {
        let peers = mesh.clique([2, 3])
        let far = try wanted([Endpoint(address: IPAddress(v4: 10, 0, 0, 60), port: 7400)])
        mesh.dialFailure = .refused
        mesh.say(.records([far.record]), by: peers[0])
        #expect(mesh.dialled.count == 1 && asked(far.id).isEmpty && mesh.count(.attemptsFailed) == 1)
        mesh.advertise([ScriptedMesh.entry(far.id)], by: peers[1])
        mesh.pass(.milliseconds(600))
        #expect(mesh.dialled.count == 1 && asked(far.id).first === peers[1] && mesh.count(.attemptsFailed) == 1)
    }

    @Test("a carrier through a tunnel is used only if the expected peer has proved itself there")
    func opens() throws {
        let peers = mesh.clique([2, 3])
        let far = try wanted()
        mesh.advertise([ScriptedMesh.entry(far.id)], by: peers[0])
        mesh.say(.records([far.record]), by: peers[0])
        let id = CarrierID(number: 1 << 48)
        let opened = try #require(tunnels().first)
        // In the first input another peer has proved itself, in the second the tunnel is another one.
        mesh.input(.tunnelledCarrierOpened(id, peer: peers[1].id, opened))
        mesh.input(.tunnelledCarrierOpened(id, peer: far.id, TunnelID(number: 99)))
        #expect(mesh.log.count { if case .carrierClose(id) = $0.what { true } else { false } } == 2)
        mesh.log = []
        mesh.input(.tunnelledCarrierOpened(id, peer: far.id, opened))
        #expect(mesh.log.contains { if case .carrierSend(id, _) = $0.what { true } else { false } })
        // An attempt that has a carrier asks no other neighbour.
        mesh.input(.carrierFrame(id, TestProof.open().encoded()))
        mesh.advertise([ScriptedMesh.entry(far.id)], by: peers[1])
        mesh.pass(.seconds(4))
        #expect(asked(far.id).isEmpty)
    }
}
