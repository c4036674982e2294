import Mesh
import MeshTestKit
import Node
import Primitives
import TestKit
import Testing
import Wire

@Suite("Status")
struct StatusReportTests {
    private let guest = FindingBench.led[0]
    private func refused(_ dial: FindingBench.Dial) -> MeshInput { .dialFailed(dial.id, .refused) }

    private func peer(_ bench: FindingBench, _ seed: UInt64) -> PeerStatus? {
        bench.node.status(now: bench.now).peers.first { $0.node == TestIdentity.nodeID(seed: seed) }
    }

    @Test("names the state of a peer from the first dial to quarantine, and the time of the next attempt")
    func states() throws {
        let bench = FindingBench()
        bench.hint(guest, [FindingBench.at(9)])
        #expect(peer(bench, guest)?.state == .connecting && peer(bench, guest)?.retryAt == nil)
        bench.answer = refused
        bench.input(.dialFailed(bench.dials[0].id, .refused))
        let down = try #require(peer(bench, guest))
        let retryAt = try #require(down.retryAt)
        #expect(down.state == .down && down.failures == 1 && down.lastFailure == "dial: refused" && bench.now < retryAt)
        bench.drive(for: .seconds(1)) { 1 < bench.dials.count }
        #expect(bench.dials[1].at == retryAt)
        bench.drive(for: .seconds(20)) { peer(bench, guest)?.state == .quarantined }
        let until = try #require(peer(bench, guest)?.retryAt)
        #expect(bench.events.contains(.quarantined(TestIdentity.nodeID(seed: guest), until: until)))
        // A peer that is not wanted has no next attempt.
        bench.input(.command(.block(TestIdentity.nodeID(seed: guest))))
        #expect(peer(bench, guest)?.state == .down && peer(bench, guest)?.retryAt == nil)
    }

    @Test("names the state of a peer during a negotiation")
    func negotiations() throws {
        let bench = FindingBench()
        bench.open(1, by: guest)
        #expect(peer(bench, guest)?.state == .connecting)
        bench.greet(1, by: guest)
        #expect(peer(bench, guest)?.state == .inviting && peer(bench, guest)?.isLeader == true)
        let leader = FindingBench.leading[0]
        bench.open(2, by: leader)
        bench.greet(2, by: leader)
        #expect(peer(bench, leader)?.state == .awaitingInvite && peer(bench, leader)?.isLeader == false)
        for seed in [guest, leader] {
            let status = try #require(peer(bench, seed))
            #expect(!status.hasCarrier && status.link == nil && status.path == nil && status.retryAt == nil)
            #expect("\(status.name) \(status.profile.role)" == "peer guest" && status.profile.colour == 7)
            #expect(status.instance?.number == 1)
        }
        let asking = FindingBench { $0.admissionPolicy = .ask(known: []) }
        asking.open(1, by: guest)
        asking.greet(1, by: guest)
        #expect(peer(asking, guest)?.state == .awaitingDecision && peer(asking, guest)?.retryAt == nil)
        let asked = FindingBench()
        asked.open(1, by: guest)
        asked.greet(1, by: guest)
        asked.input(.carrierFrame(CarrierID(number: 1), CarrierMessage.decline(.undecided).encoded()))
        #expect(peer(asked, guest)?.state == .awaitingDecision)
        #expect(peer(asked, guest)?.retryAt == asked.now + .seconds(30))
    }

    @Test("shows no facts of a peer that only a hint has named")
    func unknown() throws {
        let bench = FindingBench()
        bench.hint(guest, [FindingBench.at(9)])
        for status in [
            try #require(peer(bench, guest)),
            PeerStatus(node: TestIdentity.nodeID(seed: guest), name: SafeText(""), state: .connecting),
        ] {
            #expect(status.profile == NodeProfile(name: SafeText("")) && status.presence == .unmet)
            #expect(status.controlLossPermille == 0 && status.lossInPermille == 0 && status.lossOutPermille == 0)
            #expect(status.failures == 0 && !status.isFlapping && !status.hasCarrier && !status.isTalking)
            #expect(status.channels.isEmpty && status.instance == nil && status.rtt == nil && status.retryAt == nil)
        }
        let peerSnapshot = bench.peerSnapshot(guest)
        #expect(
            peerSnapshot.known == nil && peerSnapshot.link?.connectRequests == 0
                && peerSnapshot.link?.nextConnectRequestAt == nil)
        #expect(bench.peerSnapshot(99).link == nil)
    }

    @Test("of a link names carrier, path and round trip, until the link is down")
    func link() throws {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        let up = try #require(cluster.peer(pair.follower, at: pair.leader))
        #expect(up.state == .up && up.isLeader && up.hasCarrier && up.carrierVia == nil && up.via == nil)
        #expect(up.path == .direct && up.endpoint == cluster.endpoint(of: pair.follower))
        #expect(up.rtt.map { (1_990...2_010).contains($0.microseconds) } == true)
        #expect(up.link?.attempt == 1)
        #expect(up.upSince != nil && up.presence == .present)
        #expect(up.suspicionEndsAt == nil && up.retryAt == nil && up.failures == 0 && up.lastFailure == nil)
        let slot = try #require(up.slot)
        let report = ReceptionReport(
            lossPermille: 30, lossRunTenths: 10, latePermille: 0, jitterTargetSamples: 960)
        cluster.input(pair.leader, .receptionReport(report, of: slot))
        cluster.drive(for: .seconds(1))
        #expect(cluster.peer(pair.follower, at: pair.leader)?.lossInPermille == 30)
        #expect(cluster.peer(pair.leader, at: pair.follower)?.lossOutPermille == 30)
        pair.loseCarrier()
        cluster.drive(for: .milliseconds(100))
        #expect(cluster.peer(pair.follower, at: pair.leader)?.hasCarrier == false)
        cluster.powerOff(pair.follower)
        cluster.drive(atMost: .seconds(2)) { cluster.peer(pair.follower, at: pair.leader)?.state == .verifying }
        #expect(cluster.peer(pair.follower, at: pair.leader)?.upSince == up.upSince)
        cluster.drive(atMost: .seconds(2)) { cluster.peer(pair.follower, at: pair.leader)?.state != .verifying }
        let downAt = cluster.now
        let down = try #require(cluster.peer(pair.follower, at: pair.leader))
        #expect(down.link == nil && down.path == nil && down.endpoint == nil && down.rtt == nil && down.upSince == nil)
        #expect(down.suspicionEndsAt == downAt + .milliseconds(4_500) && down.lastFailure == "silent")
        #expect(down.instance?.number == 1 && down.lastHeard == up.lastHeard.map { max($0, down.lastHeard ?? $0) })
    }

    @Test("of the mesh shows every peer, the link states of linked peers, and how many digests agree")
    func mesh() throws {
        let cluster = MeshCluster.acquainted(3)
        cluster.start(seed: 9)
        cluster.powerOff(3)
        cluster.discover(3, by: 0)
        cluster.drive(for: .seconds(2))
        let status = cluster.status(0)
        #expect(status.peers.map(\.node) == (1...3).map { cluster.id(of: $0) }.sorted())
        #expect(status.mesh == "test" && "\(status.name)" == "node 0" && status.instance.number == 1)
        #expect(status.matrix.first?.node == cluster.id(of: 0))
        #expect(Set(status.matrix.map { "\($0.name)" }) == ["node 0", "node 1", "node 2"] && status.matrix.count == 3)
        for row in status.matrix {
            let others = (0..<3).map { cluster.id(of: $0) }.filter { $0 != row.node }
            #expect(row.entries.map(\.peer).sorted() == others.sorted())
        }
        #expect(status.isCliqueComplete && status.peersKnown == 2 && status.peersAgreeingOnDigest == 2)
        #expect(status.pairsRelayed == 0 && status.localHealth == 0)
        #expect(status.counters.allSatisfy { 0 < $0.value })
        // This change has not reached the others yet.
        let profile = NodeProfile(name: SafeText("other"), role: SafeText("cook"), colour: 9, feedsProgramme: true)
        cluster.command(0, .setProfile(profile))
        #expect(cluster.status(0).peersAgreeingOnDigest == 0 && cluster.status(0).digest != status.digest)
        cluster.drive(for: .seconds(1))
        let renamed = try #require(cluster.peer(0, at: 1))
        #expect("\(renamed.name) \(renamed.profile.role)" == "other cook" && renamed.profile == profile)
        var feeding: [NodeID] = []
        cluster.members[1].node.mesh.visitListeners { peer, _, _, feedsProgramme in
            if feedsProgramme { feeding.append(peer) }
        }
        #expect(feeding == [cluster.id(of: 0)])
        #expect(cluster.status(0).peersAgreeingOnDigest == 2)
    }

    @Test("and its short forms agree")
    func shortForms() throws {
        let cluster = MeshCluster.acquainted(3)
        let index = cluster.start(seed: 9)
        cluster.discover(0, by: index)
        cluster.drive(for: .seconds(2))
        // One peer is linked by a relay, one has no carrier, one was seen and is down, and one is unknown.
        cluster.cuts = [.dials(from: 0, to: 1), .dials(from: 1, to: 0)]
        cluster.resetCarriers(0, 1)
        cluster.cuts.formUnion([
            .datagrams(from: 0, to: 2), .datagrams(from: 2, to: 0), .carriers(0, 2), .carriers(2, 0),
        ])
        cluster.powerOff(index)
        for _ in 0..<30 {
            cluster.drive(for: .milliseconds(200))
            let (status, summary) = (cluster.status(0), cluster.members[0].node.mesh.summary)
            #expect(summary.digest == status.digest && summary.instance == status.instance)
            #expect(summary.isCliqueComplete == status.isCliqueComplete && summary.peers.count == status.peers.count)
            for short in summary.peers {
                let long = try #require(status.peers.first { $0.node == short.node })
                #expect(short.state == long.state && short.isLeader == long.isLeader && short.link == long.link)
                #expect(short.upSince == long.upSince && short.failures == long.failures && short.slot == long.slot)
                #expect(short.hasCarrier == long.hasCarrier && short.retryAt == long.retryAt)
                #expect(short.isTalking == long.isTalking && short.channels == long.channels)
                if long.link != nil { #expect(short.path == long.path && short.via == long.via) }
                let one = cluster.members[0].node.mesh.peer(short.node)
                #expect(one?.node == long.node && one?.profile == long.profile && one?.presence == long.presence)
                #expect(one?.state == long.state && one?.slot == long.slot && one?.path == long.path)
            }
            let own = cluster.members[0].node.mesh.peer(cluster.id(of: 0))
            #expect(own == nil)
            var visited = 0
            cluster.members[0].node.mesh.visitLinks { node, state, path in
                let long = status.peers.first { $0.node == node }
                #expect(long?.state == state && long?.path == path)
                visited += 1
            }
            #expect(visited == status.peers.count)
            var listeners: [NodeID: [ChannelID]] = [:]
            cluster.members[0].node.mesh.visitListeners { peer, channels, _, _ in listeners[peer] = channels }
            let linked = status.peers.filter { $0.state == .up || $0.state == .verifying }
            #expect(listeners == Dictionary(uniqueKeysWithValues: linked.map { ($0.node, $0.channels) }))
        }
    }
}
