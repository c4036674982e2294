import Mesh
import Primitives
import TestKit
import Testing
import Wire

@Suite("Link states, as they are sent and read")
struct LinkStatesGossipTests {
    private let mesh = ScriptedMesh()

    /// The link states that the node sent to this peer, in order.
    private func advertised(_ peer: ScriptedPeer) -> [[AdvertisedLink]] { peer.take().compactMap(\.advertisedLinks) }

    private func entries(_ peers: [ScriptedPeer]) -> [AdvertisedLink] { peers.map { ScriptedMesh.entry($0.id) } }

    @Test("a new link gets channels and link states at once; each neighbour gets a view once, and then each change")
    func greetings() {
        let first = mesh.link(2)
        let words = first.take()
        #expect(words.compactMap(\.advertisedChannels) == [[]])
        #expect(words.compactMap(\.advertisedLinks) == [entries([first])] && mesh.count(.linkStatesSent) == 1)
        mesh.pass(.seconds(5))
        #expect(advertised(first).isEmpty)
        let second = mesh.link(3)
        mesh.pass(.milliseconds(50))
        #expect(advertised(first) == [entries([first, second])])
        #expect(advertised(second) == [entries([first, second])])
        mesh.pass(.seconds(5))
        mesh.say(.leave, by: second)
        mesh.pass(.milliseconds(49))
        #expect(advertised(first).isEmpty)
        mesh.pass(.milliseconds(1))
        #expect(advertised(first) == [entries([first])] && mesh.count(.linkStatesSent) == 4)
        mesh.pass(.seconds(60))
        #expect(advertised(first).isEmpty && mesh.count(.viewsResent) == 0)
    }

    @Test("a view is sent again, at doubling intervals, while the control blocks of the peer do not name it")
    func resends() {
        let peer = mesh.link(2) { $0.holdsViews = false }
        _ = peer.take()
        let begin = mesh.now
        var times: [Interval] = []
        while mesh.now < begin + .seconds(20) {
            mesh.pass(.milliseconds(50))
            if peer.take().contains(where: { $0.advertisedLinks == entries([peer]) }) { times.append(mesh.now - begin) }
        }
        let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(times.first.map { (.milliseconds(250)...(.milliseconds(600))).contains($0) } == true)
        // The puppet sends a control block every 300 ms.
        for (gap, wait) in zip(gaps, [500, 1_000, 2_000, 4_000, 4_000] as [Int64]) {
            #expect((.milliseconds(wait)...(.milliseconds(wait + 350))).contains(gap), "\(gap) after \(wait) ms")
        }
        #expect(5 <= gaps.count && gaps.dropFirst(3).allSatisfy { $0 <= .milliseconds(4_350) })
        #expect(mesh.count(.viewsResent) == 2 * UInt64(times.count))
        peer.holdsViews = true
        mesh.pass(.seconds(20))
        #expect(peer.take().allSatisfy { $0.advertisedLinks == nil && $0.advertisedChannels == nil })
    }

    @Test("a peer whose link began with short-lived link states gets the states again, and no other peer does")
    func greetedApart() {
        let peers = mesh.clique([2, 3])
        let third = mesh.link(4)
        mesh.pass(.milliseconds(100))
        mesh.say(.leave, by: peers[0])
        mesh.pass(.milliseconds(100))
        let again = mesh.link(3)
        mesh.pass(.milliseconds(100))
        let back = mesh.link(2)
        let sent = mesh.count(.linkStatesSent)
        for peer in [third, again, back] { _ = peer.take() }
        mesh.pass(.milliseconds(800))
        #expect(advertised(again) == [entries([back, again, third])])
        #expect(advertised(third).isEmpty && advertised(back).isEmpty && mesh.count(.linkStatesSent) == sent + 1)
        mesh.pass(.seconds(30))
        #expect(advertised(again).isEmpty)
    }

    @Test("the node checks link qualities every ten seconds, and advertises a change by two classes")
    func qualities() throws {
        let peer = mesh.link(2)
        mesh.pass(.milliseconds(50))
        mesh.forget()
        let slot = try #require(mesh.peer(peer)?.slot)
        let loss = { (permille: UInt16) in
            ReceptionReport(lossPermille: permille, lossRunTenths: 0, latePermille: 0, jitterTargetSamples: 0)
        }
        mesh.input(.receptionReport(loss(9), of: slot))
        mesh.pass(.milliseconds(10_000))
        #expect(advertised(peer).isEmpty)
        mesh.input(.receptionReport(loss(10), of: slot))
        mesh.pass(.milliseconds(9_999))
        #expect(advertised(peer).isEmpty)
        mesh.pass(.milliseconds(1))
        #expect(advertised(peer) == [[ScriptedMesh.entry(peer.id, loss: 2)]])
    }

    @Test(
        "loss has classes: none, below 1, 5, 10, 20 %, more (docs/WIRE.md)",
        arguments: [
            (0, 0), (1, 1), (9, 1), (10, 2), (49, 2), (50, 3), (99, 3), (100, 4), (199, 4), (200, 5), (1_000, 5),
        ] as [(UInt16, UInt8)])
    func lossClasses(_ permille: UInt16, lossClass: UInt8) throws {
        let peer = mesh.link(2)
        let slot = try #require(mesh.peer(peer)?.slot)
        let report = ReceptionReport(
            lossPermille: permille, lossRunTenths: 0, latePermille: 0, jitterTargetSamples: 0)
        mesh.input(.receptionReport(report, of: slot))
        #expect(mesh.status.matrix[0].entries == [ScriptedMesh.entry(peer.id, loss: lossClass)])
    }

    @Test(
        "delay has classes: 0 below 1 ms, then doubling (docs/WIRE.md)",
        arguments: [
            (0, 0), (999, 0), (1_000, 1), (1_999, 1), (2_000, 2), (3_999, 2), (4_000, 3), (31_999, 5), (32_000, 6),
            (511_999, 9), (512_000, 10),
        ] as [(Int64, UInt8)])
    func delayClasses(_ microseconds: Int64, rttClass: UInt8) {
        let peer = mesh.link(2) { $0.latency = .microseconds(microseconds) }
        #expect(mesh.status.matrix[0].entries == [ScriptedMesh.entry(peer.id, rtt: rttClass)])
    }

    @Test("a path without a measured delay has delay class 15")
    func unknownDelay() {
        let peer = mesh.link(2) { $0.routes = { $0 == .carrier } }
        #expect(advertised(peer).first == [ScriptedMesh.entry(peer.id, rtt: 15)])
    }

    @Test("the node uses 32 link states of a peer at once and two a second, and says which it holds")
    func rates() throws {
        let peers = mesh.clique([2, 3])
        let names = (1...3 as ClosedRange<UInt64>).map { NodeID(words: ($0, 0, 0, 0)) }
        func known() -> [NodeID] { mesh.status.matrix[1].entries.map(\.peer) }
        func held() -> UInt16? { peers[0].bodies.last { $0.body.control != nil }?.body.control?.held.linkStates }
        // The allowance that the start used is full again by now.
        for turn in 0..<32 { mesh.advertiseLinks(of: peers[0], with: [names[turn % 2]]) }
        #expect(mesh.count(.linkStatesOverRate) == 0 && known() == [mesh.own, names[1]])
        mesh.pass(.zero)
        mesh.advertiseLinks(of: peers[0], with: [names[2]])
        #expect(mesh.count(.linkStatesOverRate) == 1 && known() == [mesh.own, names[1]])
        mesh.pass(.milliseconds(499))
        let before = try #require(held())
        mesh.advertiseLinks(of: peers[0], with: [names[2]])
        #expect(mesh.count(.linkStatesOverRate) == 2 && known() == [mesh.own, names[1]])
        mesh.pass(.milliseconds(1))
        mesh.advertiseLinks(of: peers[0], with: [names[2]])
        #expect(mesh.count(.linkStatesOverRate) == 2 && known() == [mesh.own, names[2]])
        mesh.pass(.milliseconds(500))
        #expect(held() == before + 3)
    }

    @Test("the node ignores an entry for an older boot, and keeps all 64 entries of a full list")
    func entries() {
        let peers = [mesh.link(2, instance: 3), mesh.link(3)]
        let others = (1...64 as ClosedRange<UInt64>).map { NodeID(words: ($0, 0, 0, 0)) }
        let ghost = ScriptedMesh.entry(peers[0].id, instance: 2)
        mesh.advertise([ghost, ScriptedMesh.entry(others[0])], by: peers[1])
        #expect(mesh.count(.ghostLinkStates) == 1)
        #expect(mesh.status.matrix[2].entries.map(\.peer) == [others[0]])
        mesh.advertise(others.map { ScriptedMesh.entry($0) }, by: peers[1])
        #expect(mesh.status.matrix[2].entries.map(\.peer) == others && mesh.count(.ghostLinkStates) == 1)
    }

    @Test("the clique is complete when every peer advertises links to all, and each change is reported once")
    func clique() {
        let peers = [mesh.link(2), mesh.link(3)]
        func news() -> [MeshEvent] {
            defer { mesh.log = [] }
            return mesh.events.filter {
                switch $0 {
                case .cliqueComplete, .cliqueBroken: true
                default: false
                }
            }
        }
        mesh.advertiseLinks(of: peers[0], with: [peers[1].id])
        #expect(news().isEmpty && !mesh.status.isCliqueComplete)
        mesh.advertiseLinks(of: peers[1], with: [peers[0].id])
        #expect(news() == [.cliqueComplete(peerCount: 2)] && mesh.status.isCliqueComplete)
        mesh.advertiseLinks(of: peers[1], with: [peers[0].id])
        #expect(news().isEmpty)
        mesh.advertiseLinks(of: peers[1], with: [TestIdentity.nodeID(seed: 60)])
        #expect(news() == [.cliqueBroken] && !mesh.status.isCliqueComplete)
        mesh.advertiseLinks(of: peers[1], with: [peers[0].id])
        #expect(news() == [.cliqueComplete(peerCount: 2)])
        // One more node is known. Its record is indirect and counts for a minute.
        mesh.say(.records([TestIdentity.record(seed: 50)]), by: peers[0])
        #expect(news() == [.cliqueBroken] && mesh.status.peersKnown == 3)
        mesh.pass(.seconds(61))
        #expect(news() == [.cliqueComplete(peerCount: 2)] && mesh.status.peersKnown == 2)
        for peer in peers { mesh.say(.leave, by: peer) }
        #expect(news() == [.cliqueBroken])
    }
}
