import Mesh
import MeshTestKit
import Primitives
import Testing
import Wire

@Suite("Two nodes link")
struct LinkingTests {
    enum Discovery: CaseIterable { case both, leaderOnly, followerOnly }

    @Test("two nodes link within a second, whichever of them has discovered the other", arguments: Discovery.allCases)
    func links(_ discovery: Discovery) {
        let pair = MeshPair()
        switch discovery {
        case .both: pair.discoverEachOther()
        case .leaderOnly: pair.cluster.discover(pair.follower, by: pair.leader)
        case .followerOnly: pair.cluster.discover(pair.leader, by: pair.follower)
        }
        #expect(pair.cluster.drive(atMost: .seconds(1)) { pair.isUp })
        #expect(
            pair.cluster.peer(pair.follower, at: pair.leader)?.link
                == pair.cluster.peer(pair.leader, at: pair.follower)?.link)
    }

    @Test("a node that never dialled its peer remembers the peer's advertised address, with each new carrier")
    func remembers() {
        let pair = MeshPair()
        let cluster = pair.cluster
        cluster.discover(pair.follower, by: pair.leader)
        #expect(cluster.drive(atMost: .seconds(1)) { pair.isUp })
        let leader = cluster.id(of: pair.leader)
        #expect(cluster.members[pair.follower].remembered[leader] == [cluster.endpoint(of: pair.leader)])
        cluster.members[pair.follower].remembered = [:]
        cluster.resetCarriers(0, 1)
        cluster.drive(for: .seconds(2))
        #expect(pair.isUp && cluster.counter(.linksDown, at: pair.follower) == 0)
        #expect(cluster.members[pair.follower].remembered[leader] == [cluster.endpoint(of: pair.leader)])
    }

    @Test("a repeated INVITE before the link is up does not change the keys")
    func inviteAgain() throws {
        let pair = MeshPair()
        var invite: [UInt8]?
        pair.cluster.dropsDatagram = { _, _, _ in true }
        pair.cluster.dropsFrame = { frame in
            if FrameKind(of: frame) == .invite { invite = frame }
            return false
        }
        pair.cluster.discover(pair.follower, by: pair.leader)
        #expect(pair.cluster.drive(atMost: .seconds(1)) { invite != nil })
        pair.cluster.drive(for: .milliseconds(5))
        let carrier = try #require(pair.cluster.firstCarrier(of: pair.follower))
        pair.cluster.input(pair.follower, .carrierFrame(carrier, try #require(invite)))
        #expect(pair.cluster.counter(.invitesStale, at: pair.follower) == 1)
        #expect(pair.cluster.drive(atMost: .seconds(1)) { pair.isUp })
    }

    @Test("both sides keep keys that are agreed at the last moment of an attempt")
    func lateAnswer() throws {
        let pair = MeshPair()
        let cluster = pair.cluster
        var acceptance: [UInt8]?
        var isSilent = true
        cluster.dropsFrame = { frame in
            if acceptance == nil, FrameKind(of: frame) == .accept {
                acceptance = frame
                return true
            }
            return isSilent && FrameKind(of: frame) == .datagram
        }
        cluster.dropsDatagram = { _, _, _ in isSilent }
        cluster.discover(pair.follower, by: pair.leader)
        #expect(cluster.drive(atMost: .seconds(1)) { acceptance != nil })
        cluster.drive(for: MeshLimits.negotiationMax - .milliseconds(20))
        let carrier = try #require(cluster.firstCarrier(of: pair.leader))
        cluster.input(pair.leader, .carrierFrame(carrier, try #require(acceptance)))
        cluster.drive(for: .milliseconds(300))
        isSilent = false
        #expect(cluster.drive(atMost: .milliseconds(600)) { pair.isUp })
        for node in [pair.leader, pair.follower] { #expect(cluster.counter(.attemptsFailed, at: node) == 0) }
    }

    @Test("when a link goes down while the next session lacks only its echo, that session takes over")
    func lostBesideAgreed() throws {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        var acceptance: [UInt8]?
        var invitationCount = 0
        var isSilent = false
        cluster.dropsFrame = { frame in
            if FrameKind(of: frame) == .invite { invitationCount += 1 }
            if acceptance == nil, FrameKind(of: frame) == .accept {
                acceptance = frame
                return true
            }
            return isSilent && FrameKind(of: frame) == .datagram
        }
        cluster.dropsDatagram = { _, _, _ in isSilent }
        cluster.resetCarriers(pair.leader, pair.follower)
        #expect(cluster.drive(atMost: .seconds(3)) { acceptance != nil })
        isSilent = true
        cluster.drive(for: .milliseconds(800))
        let carrier = try #require(cluster.firstCarrier(of: pair.leader))
        cluster.input(pair.leader, .carrierFrame(carrier, try #require(acceptance)))
        cluster.drive(for: .milliseconds(900))
        for node in [pair.leader, pair.follower] { #expect(cluster.counter(.linksDown, at: node) == 1) }
        isSilent = false
        #expect(cluster.drive(atMost: .milliseconds(600)) { pair.isUp })
        cluster.drive(for: .seconds(1))
        #expect(invitationCount == 1 && pair.isUp)
        #expect(cluster.peer(pair.follower, at: pair.leader)?.hasCarrier == true)
    }

    @Test("voice passes in both directions unchanged")
    func voice() {
        let pair = MeshPair.linked()
        pair.cluster.speak(pair.leader, to: pair.follower, [1, 2, 3])
        pair.cluster.speak(pair.follower, to: pair.leader, [4, 5])
        pair.cluster.drive(for: .milliseconds(10))
        #expect(pair.cluster.members[pair.follower].voices.map(\.payload) == [[1, 2, 3]])
        #expect(pair.cluster.members[pair.leader].voices.map(\.payload) == [[4, 5]])
    }

    @Test("if both nodes dial at once, exactly one link and one carrier remain")
    func bothDial() {
        let pair = MeshPair()
        pair.cluster.delay = .milliseconds(400)  // The follower's wait ends before the leader's dial arrives.
        pair.discoverEachOther()
        #expect(pair.cluster.drive(atMost: .seconds(8)) { pair.isUp })
        pair.cluster.drive(for: .seconds(5))
        #expect(pair.cluster.members[pair.leader].dials.count == 1)
        #expect(pair.cluster.members[pair.follower].dials.count == 1)
        #expect(pair.cluster.openCarriers(pair.leader) == 1)
        #expect(pair.cluster.openCarriers(pair.follower) == 1)
        let ups = pair.cluster.events(pair.leader).filter { if case .peerUp = $0 { true } else { false } }
        #expect(ups.count == 1)
    }
}
