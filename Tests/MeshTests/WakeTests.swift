import Mesh
import MeshTestKit
import Primitives
import TestKit
import Testing
import Trust
import Wire

@Suite("Why a node wakes up, and the outputs that follow")
struct WakeTests {
    private let place = Endpoint(address: IPAddress(v4: 10, 0, 0, 60), port: 7400)

    /// Whether each wake-up with this reason has an output of this kind.
    private func explains(
        _ mesh: ScriptedMesh, _ reason: MeshTimer, atLeast count: Int = 1, _ isOfKind: (MeshOutput) -> Bool
    ) -> Bool {
        let wakes = mesh.wakes.filter { $0.reason == reason }
        return count <= wakes.count && wakes.allSatisfy { $0.outputs.contains(where: isOfKind) }
    }

    private func isDatagram(_ output: MeshOutput) -> Bool { if case .send = output { true } else { false } }
    private func isDial(_ output: MeshOutput) -> Bool { if case .dial = output { true } else { false } }

    private func message(_ output: MeshOutput) -> CarrierMessage? {
        guard case .carrierSend(_, let frame) = output else { return nil }
        return try? CarrierMessage(parsing: frame, isBeforeHello: false)
    }

    private func isEvent(_ isOfKind: @escaping (MeshEvent) -> Bool) -> (MeshOutput) -> Bool {
        { if case .event(let event) = $0 { isOfKind(event) } else { false } }
    }

    /// Seeds of peers that lead the node, or that follow it.
    private func seeds(_ count: Int, lead: Bool) -> [UInt64] {
        let own = TestIdentity.nodeID(seed: 1)
        return Array((2..<60 as Range<UInt64>).filter { (own < TestIdentity.nodeID(seed: $0)) == lead }.prefix(count))
    }

    @Test("a quiet link has heartbeats, link states every ten seconds, and new keys at 110 s where the node leads")
    func rest() {
        let mesh = ScriptedMesh()
        let peer = mesh.clique(seeds(1, lead: false))[0]
        mesh.wakes = []
        mesh.pass(.seconds(240))
        #expect(explains(mesh, .control, atLeast: 480, isDatagram) && mesh.peer(peer)?.state == .up)
        #expect(Set(mesh.wakes.map(\.reason)) == [.control, .linkStates, .record])
        #expect((23...24).contains(mesh.wakes.count { $0.reason == .linkStates }))
        #expect(mesh.count(.rekeys) == 2)
        let gaps = zip(peer.bodies, peer.bodies.dropFirst()).map { $1.at - $0.at }
        #expect(gaps.allSatisfy { $0 <= .milliseconds(500) })
    }

    @Test("the node wakes up for news, for an indirect record that expires, and for versions that differ")
    func gossip() {
        let mesh = ScriptedMesh()
        let peers = mesh.clique([2, 3])
        mesh.wakes = []
        mesh.say(.records([TestIdentity.record(seed: 50)]), by: peers[0])
        let from = mesh.now
        peers[1].digest = 5
        mesh.pass(.seconds(61))
        let ends = mesh.wakes.filter { $0.reason == .record }.map(\.at)
        #expect(ends == [from + .seconds(60) + .milliseconds(1)])
        #expect(
            explains(mesh, .gossip, atLeast: 3) { output in
                switch message(output) {
                case .records, .recordVersions: true
                default: false
                }
            })
    }

    @Test("no wake follows a channel list and link states beyond their allowance: the peer sends them again")
    func overRate() {
        let mesh = ScriptedMesh()
        let peer = mesh.clique([2])[0]
        for number: UInt64 in 0..<9 { mesh.advertise(channels: [ChannelID(high: 0, low: number)], by: peer) }
        for turn in 0..<33 {
            mesh.advertiseLinks(of: peer, with: turn % 2 == 0 ? [TestIdentity.nodeID(seed: 60)] : [])
        }
        #expect(mesh.count(.channelsOverRate) == 1 && mesh.count(.linkStatesOverRate) == 1)
        mesh.wakes = []
        mesh.pass(.milliseconds(1_100))
        #expect(!mesh.wakes.isEmpty && mesh.wakes.allSatisfy { $0.reason == .control || $0.reason == .record })
    }

    @Test("a silent peer is verified after 1 s, probed every 100 ms, down 0.5 s later and dead after another 4.5 s")
    func silence() {
        let mesh = ScriptedMesh()
        mesh.dialFailure = .refused
        let seeds = seeds(3, lead: false)
        let peers = [mesh.link(seeds[0]), mesh.link(seeds[1])]
        for peer in peers { mesh.advertiseLinks(of: peer, with: []) }
        let lost = mesh.link(seeds[2]) { $0.record.endpoints = [place] }
        mesh.pass(.seconds(16))
        (mesh.wakes, mesh.log) = ([], [])
        // A block of this instant, and its echo.
        mesh.command(.setRecording(true))
        mesh.pass(.zero)
        mesh.send(DatagramBody(control: mesh.control(of: lost)), from: lost)
        let from = mesh.now
        lost.routes = { _ in false }
        mesh.pass(.seconds(20))
        func at(_ isOfKind: (MeshEvent) -> Bool) -> [Int64] {
            mesh.log.compactMap { entry in
                if case .event(let event) = entry.what, isOfKind(event) { (entry.at - from).milliseconds } else { nil }
            }
        }
        #expect(at { if case .peerVerifying(_, lost.id) = $0 { true } else { false } } == [1_000])
        #expect(at { if case .peerDown(_, lost.id, _, .silent) = $0 { true } else { false } } == [1_500])
        #expect(at { if case .peerSuspected(lost.id) = $0 { true } else { false } } == [1_500])
        #expect(at { if case .peerDead(lost.id, _) = $0 { true } else { false } } == [6_000])
        let probes = mesh.wakes.filter { $0.reason == .probe }.map { ($0.at - from).milliseconds }
        #expect(probes.prefix(2) == [1_100, 1_200] && explains(mesh, .probe, atLeast: 2, isDatagram))
        #expect(explains(mesh, .suspicion, isEvent { if case .peerDead = $0 { true } else { false } }))
        #expect(explains(mesh, .retry, atLeast: 2, isDial))
        #expect(mesh.wakes.contains { $0.reason == .deadRetry && $0.outputs.contains(where: isDial) })
    }

    @Test("a carrier without a HELLO closes after five seconds, and an agreement without an echo fails after three")
    func handshakes() {
        let mesh = ScriptedMesh()
        let silent = TestIdentity.nodeID(seed: 50)
        mesh.input(.carrierOpened(CarrierID(number: 900), peer: silent, dial: nil, remote: place))
        mesh.input(.carrierFrame(CarrierID(number: 900), TestProof.open().encoded()))
        let from = mesh.now
        let guest = mesh.enter(2) { $0.isEchoing = false }
        mesh.pass(.milliseconds(2_999))
        #expect(mesh.count(.attemptsFailed) == 0)
        mesh.pass(.milliseconds(1))
        #expect(mesh.count(.attemptsFailed) == 1 && mesh.peer(guest)?.lastFailure == "no answer")
        #expect(mesh.wakes.contains { $0.reason == .handshake && $0.at == mesh.now })
        mesh.wakes = []
        mesh.pass(.seconds(3))
        let closed = mesh.wakes.filter { $0.reason == .carrier }
        #expect(closed.map(\.at) == [from + .seconds(5)])
        #expect(explains(mesh, .carrier) { if case .carrierClose = $0 { true } else { false } })
        #expect(mesh.status.peers.first { $0.node == silent }?.lastFailure == "no hello")
    }

    @Test("an attempt without an answer ends when its last dial does, and its addresses follow one another by 250 ms")
    func dials() throws {
        let mesh = ScriptedMesh { $0.staticPeers = [place] }
        let others = (61...63 as ClosedRange<UInt8>).map { Endpoint(address: IPAddress(v4: 10, 0, 0, $0), port: 7400) }
        mesh.pass(.zero)
        let from = mesh.now
        let seed = try #require(seeds(1, lead: false).first)
        let peer = TestIdentity.nodeID(seed: seed)
        mesh.input(.discovered(PeerHint(source: .avahi, node: peer, endpoints: others)))
        mesh.pass(.milliseconds(1_499))
        let dials = mesh.log.compactMap { entry -> Int64? in
            if case .dial(_, let endpoint, _) = entry.what, endpoint != place {
                return (entry.at - from).milliseconds
            }
            return nil
        }
        #expect(dials == [0, 250, 500] && mesh.dialled.first == place)
        #expect(mesh.count(.dialsFailed) == 0)
        mesh.pass(.milliseconds(1))
        #expect(mesh.count(.dialsFailed) == 1)
        mesh.pass(.milliseconds(500))
        #expect(mesh.count(.dialsFailed) == 3 && mesh.count(.attemptsFailed) == 1)
        #expect(Set(mesh.wakes.map(\.reason)).isSubset(of: [.dial, .retry]))
        // The address from the user is tried again and again.
        mesh.dialFailure = .refused
        mesh.pass(.seconds(30))
        #expect(6 <= mesh.dialled.count { $0 == place })
    }

    @Test("keys without a renewal end the link after 180 s; a link counts as stable after 15 s")
    func keysAndStability() throws {
        let mesh = ScriptedMesh()
        let seed = try #require(seeds(1, lead: true).first)
        let guest = mesh.enter(seed) { $0.isEchoing = false }
        mesh.pass(.seconds(3))
        #expect(mesh.peer(guest)?.failures == 1)
        let peer = mesh.link(seed) { $0.renewsKeys = false }
        let from = mesh.now
        mesh.pass(.milliseconds(14_999))
        #expect(mesh.peer(peer)?.failures == 1)
        mesh.pass(.milliseconds(1))
        #expect(mesh.peer(peer)?.failures == 0)
        #expect(mesh.wakes.filter { $0.reason == .stability }.map(\.at) == [from + .seconds(15)])
        mesh.pass(.milliseconds(164_999))
        #expect(mesh.peer(peer)?.state == .up && mesh.count(.keysExpired) == 0)
        mesh.pass(.milliseconds(1))
        #expect(mesh.count(.keysExpired) == 1)
        #expect(
            explains(
                mesh, .keyExpiry, isEvent { if case .peerDown(_, _, _, .keysExpired) = $0 { true } else { false } }))
    }

    @Test("keys of a link that is down are offered again at 120 s")
    func rekey() throws {
        let mesh = ScriptedMesh()
        let seed = try #require(seeds(1, lead: false).first)
        let peer = mesh.link(seed)
        let from = mesh.now
        // This peer still hears the lost one, so that the lost one is not declared dead soon.
        mesh.advertiseLinks(of: mesh.link(40), with: [peer.id])
        mesh.pass(.seconds(100))
        (peer.isEchoing, peer.routes) = (false, { _ in false })
        mesh.pass(.seconds(5))
        #expect(mesh.peer(peer)?.state != .up && mesh.peer(peer)?.hasCarrier == true)
        mesh.forget()
        func offers() -> Int { peer.messages.count { if case .mediaKey = $0 { true } else { false } } }
        mesh.pass(from + .milliseconds(119_999) - mesh.now)
        #expect(offers() == 0)
        mesh.pass(.milliseconds(1))
        #expect(offers() == 1 && mesh.wakes.contains { $0.reason == .rekey && $0.at == mesh.now })
    }

    @Test("a record of the node itself under a higher instance causes an advance after 2.5 s")
    func advance() {
        let mesh = ScriptedMesh()
        let peer = mesh.clique([2])[0]
        let sealing = TransparentSealing(seed: 1)
        var record = mesh.announced
        record.instance = Instance(exactly: 8) ?? .max
        mesh.say(.records([SignedRecord(signing: record, with: sealing)]), by: peer)
        let advances = {
            mesh.log.compactMap { if case .advanceInstance(let instance) = $0.what { instance.number } else { nil } }
        }
        mesh.pass(.milliseconds(2_499))
        #expect(advances().isEmpty)
        mesh.pass(.milliseconds(1))
        #expect(advances() == [9])
        #expect(explains(mesh, .advance) { if case .advanceInstance = $0 { true } else { false } })
        mesh.input(.instanceAdvanced(Instance(exactly: 9) ?? .max))
        #expect(mesh.announced.instance.number == 9 && mesh.count(.instanceAdvances) == 1)
    }

    @Test("a tunnel, a beacon, a better path and a flapping link have wake-ups of their own")
    func others() {
        let mesh = ScriptedMesh { $0.beaconEnabled = true }
        let peers = mesh.clique(seeds(2, lead: false))
        mesh.say(.tunnel(TunnelFrame(number: 1, step: .offer(from: TestIdentity.nodeID(seed: 99)))), by: peers[0])
        peers[1].routes = { $0 == .carrier }
        mesh.pass(.seconds(12))
        #expect(explains(mesh, .tunnel) { if case .tunnel? = message($0) { true } else { false } })
        #expect(explains(mesh, .pathProbe, atLeast: 2, isDatagram))
        let beacons = mesh.wakes.filter { $0.reason == .beacon }.prefix(3)
        #expect(beacons.count == 3)
        #expect(beacons.allSatisfy { $0.outputs.contains { if case .sendBeacon = $0 { true } else { false } } })
        for _ in 0..<3 {
            peers[1].routes = { _ in false }
            mesh.pass(.milliseconds(2_600))
            peers[1].routes = { _ in true }
            mesh.pass(.seconds(3))
        }
        #expect(mesh.count(.flapsDamped) == 1)
    }

    @Test("of two reasons at one instant the earlier in the node's own list is named")
    func tie() {
        let mesh = ScriptedMesh()
        _ = mesh.link(2)
        // The record and the link states are both sent 50 ms after this instant.
        while mesh.deadline?.reason == .gossip, mesh.deadline?.at == mesh.now { mesh.pass(.zero) }
        #expect(mesh.deadline == MeshDeadline(at: mesh.now + .milliseconds(50), reason: .gossip))
    }
}
