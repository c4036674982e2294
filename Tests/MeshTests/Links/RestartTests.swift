import Mesh
import MeshTestKit
import Primitives
import TestKit
import Testing
import Wire

@Suite("Restarts, ghosts and duplicates")
struct RestartTests {
    /// Another node with the follower's identity, as from a copied state folder.
    private func startDuplicate(of pair: MeshPair, instance: UInt64) -> Int {
        let duplicateNode = pair.cluster.start(seed: pair.follower == 1 ? 2 : 1)
        pair.cluster.restart(duplicateNode, instance: instance, bootNonce: 999)
        return duplicateNode
    }

    private func isDuplicateReported(_ cluster: MeshCluster, _ index: Int) -> Bool {
        cluster.events(index).contains { if case .duplicateIdentity = $0 { true } else { false } }
    }

    @Test("a restart after a power loss replaces the link, and datagrams of the old boot are counted")
    func restart() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        var old: [[UInt8]] = []
        cluster.tap = { from, _, bytes in if from == pair.follower { old.append(bytes) } }
        cluster.drive(for: .seconds(1))
        cluster.tap = { _, _, _ in }
        cluster.powerOff(pair.follower)
        cluster.restart(pair.follower, instance: 2)
        cluster.discover(pair.leader, by: pair.follower)
        #expect(cluster.drive(atMost: .milliseconds(2_500)) { pair.isUp })
        #expect(cluster.peer(pair.follower, at: pair.leader)?.instance == Instance(exactly: 2))
        #expect(
            cluster.events(pair.leader).contains {
                if case .peerDown(_, _, Instance(exactly: 1), .silent) = $0 { true } else { false }
            })
        cluster.drive(for: .seconds(10))
        let before = cluster.counter(.datagramsUnknownKey, at: pair.leader)
        for bytes in old { cluster.inject(bytes, to: pair.leader, from: cluster.endpoint(of: pair.follower)) }
        #expect(cluster.counter(.datagramsUnknownKey, at: pair.leader) == before + UInt64(old.count))
    }

    @Test("a peer that connects again just before the verdict on its old boot keeps its connection")
    func restartBeforeVerdict() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        cluster.delay = .milliseconds(20)
        cluster.drive(for: .seconds(2))
        cluster.powerOff(pair.leader)
        cluster.drive(atMost: .seconds(3)) { cluster.peer(pair.leader, at: pair.follower)?.state == .verifying }
        // A dial opens after 60 ms, and HELLO follows 20 ms later: 10 ms before and 10 ms after the verdict.
        cluster.drive(for: MeshLimits.verificationMax - .milliseconds(70))
        cluster.restart(pair.leader, instance: 2)
        let dials = cluster.members[pair.leader].dials.count
        cluster.discover(pair.follower, by: pair.leader)
        #expect(cluster.drive(atMost: .milliseconds(240)) { pair.isUp })
        #expect(cluster.members[pair.leader].dials.count == dials + 1)
    }

    @Test("a restart after a crash, with closed carriers, replaces the link at once")
    func restartAfterCrash() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        cluster.kill(pair.leader)
        cluster.drive(for: .milliseconds(50))
        cluster.restart(pair.leader, instance: 2)
        cluster.discover(pair.follower, by: pair.leader)
        #expect(cluster.drive(atMost: .milliseconds(100)) { pair.isUp })
        #expect(
            cluster.events(pair.follower).contains {
                if case .peerDown(_, _, Instance(exactly: 1), .newerInstance) = $0 { true } else { false }
            })
    }

    @Test("a boot with a lower instance is refused and counted, advances past the higher one, and links")
    func rolledBack() {
        let pair = MeshPair.rolledBack(from: 5, to: 2)
        let cluster = pair.cluster
        cluster.drive(atMost: MeshLimits.advanceWait) { pair.isUp }
        #expect(!pair.isUp)
        #expect(1 <= cluster.counter(.ghostHellos, at: pair.leader))
        #expect(
            cluster.events(pair.leader).contains {
                if case .ghostDropped(_, Instance(exactly: 2)) = $0 { true } else { false }
            })
        #expect(1 <= cluster.counter(.ownInstanceRolledBack, at: pair.follower))
        #expect(cluster.drive(atMost: .seconds(2)) { pair.isUp })
        #expect(cluster.peer(pair.follower, at: pair.leader)?.instance == Instance(exactly: 6))
        #expect(cluster.counter(.instanceAdvances, at: pair.follower) == 1)
    }

    @Test("two nodes that were both rolled back, without other neighbours, inform each other and link")
    func bothRolledBack() {
        let pair = MeshPair()
        let cluster = pair.cluster
        cluster.remember(instance: 5, of: pair.leader, at: pair.follower)
        cluster.remember(instance: 5, of: pair.follower, at: pair.leader)
        #expect(cluster.drive(atMost: MeshLimits.advanceWait + .seconds(1)) { pair.isUp })
        for node in [pair.leader, pair.follower] {
            #expect(cluster.status(node).instance == Instance(exactly: 6))
            #expect(1 <= cluster.counter(.ghostHellos, at: node))
        }
    }

    @Test("a ghost that learns nothing from the first HELLO learns of its rollback from the next, a second later")
    func rolledBackWithoutWord() {
        let pair = MeshPair()
        let cluster = pair.cluster
        pair.discoverEachOther()
        cluster.drive(atMost: .seconds(1)) { 1 <= cluster.openCarriers(pair.leader) }
        cluster.remember(instance: 5, of: pair.follower, at: pair.leader)
        #expect(cluster.drive(atMost: MeshLimits.advanceWait + .seconds(2)) { pair.isUp })
        #expect(1 <= cluster.counter(.ghostHellos, at: pair.leader))
        #expect(cluster.status(pair.follower).instance == Instance(exactly: 6))
    }

    @Test("a boot that has advanced past the instance of one neighbour advances again past another's higher one")
    func secondAdvance() {
        let pair = MeshPair.rolledBack(from: 5, to: 2)
        let cluster = pair.cluster
        let stranger = cluster.start(seed: 7)
        cluster.drive(atMost: .seconds(5)) { pair.isUp }
        #expect(cluster.peer(pair.follower, at: pair.leader)?.instance == Instance(exactly: 6))
        cluster.remember(instance: 20, of: pair.follower, at: stranger)
        cluster.discover(pair.follower, by: stranger)
        #expect(cluster.drive(atMost: MeshLimits.advanceWait + .seconds(2)) { cluster.isUp(stranger, pair.follower) })
        #expect(cluster.peer(pair.follower, at: stranger)?.instance == Instance(exactly: 21))
        #expect(cluster.drive(atMost: .seconds(1)) { cluster.isUp(pair.leader, pair.follower) })
        #expect(cluster.peer(pair.follower, at: pair.leader)?.instance == Instance(exactly: 21))
        #expect(cluster.counter(.linksDown, at: pair.leader) <= 2)
    }

    @Test("a boot advances four times at once; the fifth advance waits until the first is a minute old")
    func meteredAdvances() {
        let pair = MeshPair.rolledBack(from: 5, to: 2)
        let cluster = pair.cluster
        cluster.drive(atMost: .seconds(5)) { cluster.counter(.instanceAdvances, at: pair.follower) == 1 }
        for count in 2...4 {
            let stranger = cluster.start(seed: UInt64(count + 5))
            cluster.remember(instance: UInt64(count * 10), of: pair.follower, at: stranger)
            cluster.discover(pair.follower, by: stranger)
            #expect(cluster.drive(atMost: .seconds(5)) { cluster.isUp(stranger, pair.follower) })
            #expect(cluster.counter(.instanceAdvances, at: pair.follower) == count)
        }
        let last = cluster.start(seed: 20)
        cluster.remember(instance: 90, of: pair.follower, at: last)
        cluster.discover(pair.follower, by: last)
        cluster.drive(for: .seconds(30))
        #expect(cluster.counter(.instanceAdvances, at: pair.follower) == 4)
        #expect(cluster.drive(atMost: MeshLimits.advanceInterval) { cluster.isUp(last, pair.follower) })
        #expect(cluster.peer(pair.follower, at: last)?.instance == Instance(exactly: 91))
    }

    @Test("an invitation from before an advance is stale after it")
    func invitationBeforeAdvance() throws {
        let pair = MeshPair.rolledBack(from: 5, to: 2)
        let cluster = pair.cluster
        let advancing = pair.follower
        let seed = try #require((3...40).first { TestIdentity.nodeID(seed: $0) < cluster.id(of: advancing) })
        let invited = cluster.start(seed: seed)
        var invitations: [[UInt8]] = []
        cluster.dropsFrame = { frame in
            if FrameKind(of: frame) == .invite { invitations.append(frame) }
            return false
        }
        cluster.discover(invited, by: advancing)
        #expect(cluster.drive(atMost: .seconds(1)) { cluster.isUp(advancing, invited) })
        let invitation = try #require(invitations.first)
        let carrier = try #require(cluster.firstCarrier(of: invited))
        #expect(cluster.drive(atMost: .seconds(4)) { cluster.counter(.instanceAdvances, at: advancing) == 1 })
        cluster.drive(for: .seconds(1))
        #expect(cluster.peer(advancing, at: invited)?.instance == Instance(exactly: 6))
        let stale = cluster.counter(.invitesStale, at: invited)
        cluster.input(invited, .carrierFrame(carrier, invitation))
        #expect(cluster.counter(.invitesStale, at: invited) == stale + 1)
    }

    @Test("an invitation of an older boot is not accepted, and the next boot is dialled")
    func invitationOfGhost() throws {
        let pair = MeshPair()
        let cluster = pair.cluster
        var invitation: [UInt8]?
        var acceptanceCount = 0
        cluster.dropsFrame = { frame in
            if FrameKind(of: frame) == .invite { invitation = frame }
            if FrameKind(of: frame) == .accept { acceptanceCount += 1 }
            return FrameKind(of: frame) == .datagram
        }
        cluster.dropsDatagram = { _, _, _ in true }
        cluster.discover(pair.leader, by: pair.follower)
        #expect(cluster.drive(atMost: .seconds(1)) { acceptanceCount == 1 })
        let carrier = try #require(cluster.firstCarrier(of: pair.follower))
        cluster.powerOff(pair.leader)
        cluster.restart(pair.leader, instance: 2)
        let leader = cluster.members[pair.leader]
        let beacon = Beacon(
            mesh: leader.configuration.mesh, record: OwnRecord(leader.configuration, sealing: leader.sealing).signed)
        let dials = cluster.members[pair.follower].dials.count
        cluster.input(pair.follower, .beacon(beacon.encoded(), from: cluster.endpoint(of: pair.leader)))
        cluster.input(pair.follower, .carrierFrame(carrier, try #require(invitation)))
        #expect(acceptanceCount == 1)
        cluster.drive(for: .milliseconds(700))
        #expect(dials < cluster.members[pair.follower].dials.count)
        cluster.dropsDatagram = { _, _, _ in false }
        #expect(cluster.drive(atMost: .seconds(1)) { pair.isUp })
    }

    @Test("a boot that advances keeps its links, under a new label on both sides")
    func advancedInPlace() throws {
        let pair = MeshPair.rolledBack(from: 5, to: 2)
        let cluster = pair.cluster
        // A node that has never seen the higher instance.
        let stranger = cluster.start(seed: 7)
        cluster.discover(pair.follower, by: stranger)
        cluster.discover(stranger, by: pair.follower)
        #expect(cluster.drive(atMost: .seconds(1)) { cluster.isUp(stranger, pair.follower) })
        #expect(cluster.peer(pair.follower, at: stranger)?.instance == Instance(exactly: 2))
        let link = try #require(cluster.peer(stranger, at: pair.follower)?.link)
        cluster.drive(for: .seconds(4))
        #expect(pair.isUp && cluster.isUp(stranger, pair.follower))
        let advanced = try #require(cluster.peer(stranger, at: pair.follower)?.link)
        #expect(advanced.attempt == link.attempt && advanced != link)
        #expect(cluster.peer(pair.follower, at: stranger)?.link == advanced)
        #expect(cluster.peer(pair.follower, at: stranger)?.instance == Instance(exactly: 6))
        #expect(cluster.counter(.linksDown, at: stranger) == 0)
        cluster.speak(pair.follower, to: stranger, [1, 2, 3])
        cluster.drive(for: .milliseconds(50))
        #expect(cluster.members[stranger].voices.map(\.payload) == [[1, 2, 3]])
    }

    @Test("an advance that becomes known before the first echo is in the label of the new link")
    func advancedBeforeEcho() throws {
        let pair = MeshPair.rolledBack(from: 5, to: 2)
        let cluster = pair.cluster
        let advancing = pair.follower
        let seed = try #require((3...40).first { TestIdentity.nodeID(seed: $0) < cluster.id(of: advancing) })
        let invited = cluster.start(seed: seed)
        cluster.drive(for: MeshLimits.advanceWait - .milliseconds(300))
        // The advanced node gets its echo with the first datagram. The other node's echo is held back.
        var count = 0
        cluster.dropsDatagram = { from, to, _ in
            guard (from, to) == (advancing, invited) else { return false }
            count += 1
            return 1 < count
        }
        cluster.dropsFrame = { FrameKind(of: $0) == .datagram }
        cluster.discover(invited, by: advancing)
        #expect(cluster.drive(atMost: .milliseconds(900)) { cluster.counter(.instanceAdvances, at: advancing) == 1 })
        #expect(cluster.peer(invited, at: advancing)?.state == .up)
        cluster.drive(for: .milliseconds(100))
        #expect(cluster.peer(advancing, at: invited)?.state != .up)
        cluster.dropsDatagram = { _, _, _ in false }
        cluster.dropsFrame = { _ in false }
        #expect(cluster.drive(atMost: .milliseconds(700)) { cluster.peer(advancing, at: invited)?.state == .up })
        #expect(cluster.peer(advancing, at: invited)?.instance == Instance(exactly: 6))
        #expect(cluster.peer(advancing, at: invited)?.link == cluster.peer(invited, at: advancing)?.link)
        #expect(cluster.counter(.linksDown, at: invited) == 0)
    }

    @Test("a linked boot is not taken for a duplicate of itself when a record of its higher instance arrives")
    func noDuplicateOfItself() {
        let pair = MeshPair.rolledBack(from: 5, to: 2)
        let cluster = pair.cluster
        let stranger = cluster.start(seed: 7)
        cluster.discover(pair.follower, by: stranger)
        cluster.discover(stranger, by: pair.follower)
        #expect(cluster.drive(atMost: .seconds(1)) { cluster.isUp(stranger, pair.follower) })
        // The leader has seen instance 5. It links with the stranger, and loses power before it is asked again.
        cluster.discover(pair.leader, by: stranger)
        #expect(cluster.drive(atMost: .milliseconds(800)) { cluster.isUp(stranger, pair.leader) })
        cluster.drive(for: .milliseconds(100))
        cluster.powerOff(pair.leader)
        cluster.resetCarriers(stranger, pair.follower)
        cluster.drive(for: .seconds(8))
        #expect(!isDuplicateReported(cluster, stranger) && !isDuplicateReported(cluster, pair.follower))
        #expect(cluster.counter(.instanceAdvances, at: pair.follower) == 1)
        #expect(cluster.peer(pair.follower, at: stranger)?.instance == Instance(exactly: 6))
        #expect(cluster.peer(stranger, at: pair.follower)?.hasCarrier == true)
        #expect(cluster.counter(.linksDown, at: stranger) <= 1)
    }

    @Test("a claim of a higher instance without the own signature does not advance the counter")
    func wordAlone() throws {
        let pair = MeshPair()
        let cluster = pair.cluster
        let liar = cluster.members[pair.follower]
        let carrier = CarrierID(number: 9_999)
        let hello = Hello(
            versionMin: WireLimits.version, versionMax: WireLimits.version, mesh: liar.configuration.mesh,
            meshID: TestMesh.id, record: OwnRecord(liar.configuration, sealing: liar.sealing).signed, yourRecord: nil,
            nonce: [UInt8](repeating: 7, count: WireSizes.nonceBytes), bootNonce: liar.configuration.bootNonce,
            mediaPort: 7400, yourInstanceSeen: Instance(exactly: 99))
        cluster.input(
            pair.leader,
            .carrierOpened(
                carrier, peer: cluster.id(of: pair.follower), dial: nil, remote: cluster.endpoint(of: pair.follower)))
        cluster.input(pair.leader, .carrierFrame(carrier, TestProof.open().encoded()))
        cluster.input(pair.leader, .carrierFrame(carrier, CarrierMessage.hello(hello).encoded()))
        cluster.drive(for: .seconds(10))
        #expect(cluster.counter(.ownInstanceRolledBack, at: pair.leader) == 1)
        #expect(cluster.counter(.instanceAdvances, at: pair.leader) == 0)
        #expect(cluster.status(pair.leader).instance == Instance(exactly: 1))
    }

    @Test("an advance that the node did not ask for changes nothing")
    func unaskedAdvance() {
        let pair = MeshPair.linked()
        pair.cluster.input(pair.leader, .instanceAdvanced(.max))
        #expect(pair.cluster.status(pair.leader).instance == Instance(exactly: 1))
        #expect(pair.isUp)
    }

    @Test("a start from a copied state folder is refused while the older node answers, and admitted when it is gone")
    func copiedFolder() {
        let pair = MeshPair()
        let cluster = pair.cluster
        let duplicateNode = startDuplicate(of: pair, instance: 2)
        pair.discoverEachOther()
        cluster.drive(for: .seconds(2))
        cluster.discover(pair.leader, by: duplicateNode)
        cluster.drive(for: .seconds(4))
        #expect(pair.isUp)
        #expect(cluster.counter(.linksDown, at: pair.leader) == 0)
        #expect(isDuplicateReported(cluster, duplicateNode))
        cluster.kill(pair.follower)
        #expect(
            cluster.drive(atMost: MeshLimits.duplicateRetry + .seconds(1)) {
                cluster.peer(pair.leader, at: duplicateNode)?.state == .up
            })
        #expect(cluster.peer(pair.follower, at: pair.leader)?.instance == Instance(exactly: 2))
    }

    @Test("after a copy of its state folder has run, the original advances its counter when the copy is gone")
    func originalAfterCopy() {
        let pair = MeshPair()
        let cluster = pair.cluster
        let duplicateNode = startDuplicate(of: pair, instance: 2)
        cluster.discover(pair.leader, by: duplicateNode)
        cluster.drive(for: .seconds(1))
        #expect(cluster.peer(pair.leader, at: duplicateNode)?.state == .up)
        cluster.discover(pair.leader, by: pair.follower)
        cluster.drive(for: .seconds(8))
        #expect(!pair.isUp)
        #expect(cluster.counter(.instanceAdvances, at: pair.follower) == 0)
        cluster.kill(duplicateNode)
        #expect(cluster.drive(atMost: .seconds(10)) { pair.isUp })
        #expect(cluster.peer(pair.follower, at: pair.leader)?.instance == Instance(exactly: 3))
    }

    @Test("a living duplicate is refused, the older link stays, and both sides report the duplicate")
    func duplicateNode() {
        let pair = MeshPair()
        let cluster = pair.cluster
        let duplicateNode = startDuplicate(of: pair, instance: 1)
        pair.discoverEachOther()
        cluster.drive(atMost: .seconds(1)) { pair.isUp }
        cluster.drive(for: .seconds(1))
        cluster.discover(pair.leader, by: duplicateNode)
        cluster.drive(for: .seconds(3))
        #expect(pair.isUp)
        #expect(isDuplicateReported(cluster, pair.leader))
        #expect(isDuplicateReported(cluster, duplicateNode))
        #expect(cluster.peer(pair.leader, at: duplicateNode)?.state != .up)
    }

    @Test("a boot with the same instance and another nonce takes over when the older boot is gone")
    func replacement() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        cluster.kill(pair.follower)
        cluster.restart(pair.follower, instance: 1)
        cluster.discover(pair.leader, by: pair.follower)
        #expect(cluster.drive(atMost: .seconds(5)) { pair.isUp })
    }
}
