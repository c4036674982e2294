import Mesh
import MeshTestKit
import Primitives
import TestKit
import Testing
import Trust
import Wire

@Suite("Refusals are not failures")
struct RefusalTests {
    private func isRefused(_ cluster: MeshCluster, _ index: Int, _ reason: RefusalReason) -> Bool {
        cluster.events(index).contains { if case .refused(_, reason) = $0 { true } else { false } }
    }

    private func asks(_ cluster: MeshCluster, _ index: Int) -> Int {
        cluster.events(index).count { if case .admissionAsked = $0 { true } else { false } }
    }

    enum Asker: CaseIterable { case leader, follower }

    @Test("with the policy to ask, the user is asked once, and an acceptance links at once", arguments: Asker.allCases)
    func askYes(_ asker: Asker) {
        let pair = MeshPair(
            leaderPolicy: asker == .leader ? .ask(known: []) : .open,
            followerPolicy: asker == .follower ? .ask(known: []) : .open)
        let cluster = pair.cluster
        let (asking, other) = asker == .leader ? (pair.leader, pair.follower) : (pair.follower, pair.leader)
        pair.discoverEachOther()
        // Each attempt opens a carrier. If carriers were kept, the fifth would be closed, which looks like a death.
        cluster.drive(for: .seconds(900))
        #expect(asks(cluster, asking) == 1)
        for node in 0...1 {
            #expect(cluster.openCarriers(node) == 1)
            #expect(!cluster.events(node).contains { if case .peerDead = $0 { true } else { false } })
        }
        #expect(!pair.isUp)
        #expect(cluster.peer(asking, at: other)?.failures == 0)
        #expect(cluster.peer(other, at: asking)?.failures == 0)
        cluster.command(asking, .decideAdmission(cluster.id(of: other), isAccepted: true))
        #expect(cluster.drive(atMost: .seconds(2)) { pair.isUp })
    }

    @Test("a rejection by the user stays until the user changes it")
    func askNo() {
        let pair = MeshPair(leaderPolicy: .ask(known: []))
        let cluster = pair.cluster
        pair.discoverEachOther()
        cluster.drive(for: .seconds(1))
        cluster.command(pair.leader, .decideAdmission(cluster.id(of: pair.follower), isAccepted: false))
        cluster.drive(for: .seconds(60))
        #expect(!pair.isUp)
        #expect(asks(cluster, pair.leader) == 1)
        #expect(isRefused(cluster, pair.follower, .notAllowed))
    }

    @Test("a request of a peer that is blocked meanwhile is shown no more")
    func blockedRequest() {
        let pair = MeshPair(leaderPolicy: .ask(known: []))
        let cluster = pair.cluster
        pair.discoverEachOther()
        cluster.drive(for: .seconds(10))
        #expect(cluster.peer(pair.follower, at: pair.leader)?.request != nil)
        cluster.command(pair.leader, .block(cluster.id(of: pair.follower)))
        #expect(cluster.peer(pair.follower, at: pair.leader)?.request == nil)
    }

    @Test(
        "a request shows since when the peer waits and whether it is connected; neither it nor a no is a missing link")
    func request() {
        let pair = MeshPair(leaderPolicy: .ask(known: []))
        let cluster = pair.cluster
        pair.discoverEachOther()
        cluster.drive(for: .seconds(2))
        #expect(cluster.status(pair.leader).peersKnown == 0)
        cluster.drive(for: .seconds(98))
        let request = cluster.peer(pair.follower, at: pair.leader)?.request
        #expect(request.map { cluster.now - $0.since > .seconds(90) } == true && request?.isConnected == true)
        #expect(cluster.peer(pair.leader, at: pair.follower)?.request == nil)
        cluster.command(pair.leader, .decideAdmission(cluster.id(of: pair.follower), isAccepted: false))
        #expect(cluster.peer(pair.follower, at: pair.leader)?.request == nil)
        #expect(cluster.status(pair.leader).peersKnown == 0)
        cluster.command(pair.leader, .decideAdmission(cluster.id(of: pair.follower), isAccepted: true))
        cluster.drive(for: .seconds(60))
        #expect(pair.isUp && cluster.status(pair.leader).peersKnown == 1)
    }

    @Test("an allow-list admits the peers that it names, and no others", arguments: [true, false])
    func allowList(_ isNamed: Bool) {
        let pair = MeshPair()
        let cluster = pair.cluster
        let allowed = isNamed ? [cluster.id(of: pair.follower)] : []
        cluster.command(pair.leader, .setAdmissionPolicy(.allowList(allowed)))
        pair.discoverEachOther()
        cluster.drive(for: .seconds(2))
        #expect(pair.isUp == isNamed)
        #expect(isRefused(cluster, pair.follower, .notAllowed) == !isNamed)
    }

    @Test(
        "a peer that was refused is linked within a second once it is allowed, also after a further refusal",
        arguments: [true, false], [Interval.seconds(2), .seconds(20), .seconds(50)])
    func allowedLater(_ leaderRefuses: Bool, after wait: Interval) {
        let pair = MeshPair()
        let cluster = pair.cluster
        let (refusing, refused) = leaderRefuses ? (pair.leader, pair.follower) : (pair.follower, pair.leader)
        cluster.command(refusing, .setAdmissionPolicy(.allowList([])))
        pair.discoverEachOther()
        cluster.drive(for: wait)
        #expect(!pair.isUp && isRefused(cluster, refused, .notAllowed))
        cluster.command(refusing, .setAdmissionPolicy(.allowList([cluster.id(of: refused)])))
        #expect(cluster.drive(atMost: .seconds(1)) { pair.isUp })
    }

    @Test(
        "a peer that the person has denied is linked within a second once the person accepts it",
        arguments: [true, false], [Interval.seconds(2), .seconds(50)])
    func acceptedLater(_ leaderAsks: Bool, after wait: Interval) {
        let asking = AdmissionPolicy.ask(known: [])
        let pair = MeshPair(leaderPolicy: leaderAsks ? asking : .open, followerPolicy: leaderAsks ? .open : asking)
        let cluster = pair.cluster
        let (asked, other) = leaderAsks ? (pair.leader, pair.follower) : (pair.follower, pair.leader)
        pair.discoverEachOther()
        cluster.drive(for: .seconds(2))
        cluster.command(asked, .decideAdmission(cluster.id(of: other), isAccepted: false))
        cluster.drive(for: wait)
        #expect(!pair.isUp)
        cluster.command(asked, .decideAdmission(cluster.id(of: other), isAccepted: true))
        #expect(cluster.drive(atMost: .seconds(1)) { pair.isUp })
    }

    @Test("a new policy dials no peer that is blocked")
    func allowedButBlocked() {
        let pair = MeshPair()
        let cluster = pair.cluster
        cluster.command(pair.leader, .setAdmissionPolicy(.allowList([])))
        cluster.command(pair.leader, .block(cluster.id(of: pair.follower)))
        pair.discoverEachOther()
        cluster.drive(for: .seconds(2))
        let dials = cluster.members[pair.leader].dials.count
        cluster.command(pair.leader, .setAdmissionPolicy(.open))
        cluster.drive(for: .seconds(10))
        #expect(!pair.isUp && cluster.members[pair.leader].dials.count == dials)
    }

    @Test("a block ends the link on both sides and keeps it down; an unblock lets it come back")
    func block() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        cluster.command(pair.leader, .block(cluster.id(of: pair.follower)))
        cluster.drive(for: .milliseconds(100))
        #expect(
            cluster.events(pair.leader).contains { if case .peerDown(_, _, _, .blocked) = $0 { true } else { false } })
        #expect(
            cluster.events(pair.follower).contains {
                if case .peerDown(_, _, _, .declined) = $0 { true } else { false }
            })
        cluster.discover(pair.leader, by: pair.follower)
        cluster.drive(for: .seconds(60))
        #expect(!pair.isUp)
        cluster.command(pair.leader, .unblock(cluster.id(of: pair.follower)))
        #expect(cluster.drive(atMost: .seconds(3)) { pair.isUp })
    }

    @Test("an unblock links at once with a peer that started again during the block", arguments: [true, false])
    func unblockAfterRefusal(_ leaderBlocks: Bool) {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        let (blocking, blocked) = leaderBlocks ? (pair.leader, pair.follower) : (pair.follower, pair.leader)
        cluster.command(blocking, .block(cluster.id(of: blocked)))
        cluster.drive(for: .seconds(1))
        cluster.kill(blocked)
        cluster.restart(blocked, instance: 2)
        cluster.discover(blocking, by: blocked)
        cluster.drive(for: .seconds(5))
        #expect(!pair.isUp && cluster.peer(blocked, at: blocking)?.failure == .refused(.blocked))
        cluster.command(blocking, .unblock(cluster.id(of: blocked)))
        #expect(cluster.peer(blocked, at: blocking)?.failure == nil)
        #expect(cluster.drive(atMost: .seconds(3)) { pair.isUp })
    }

    @Test("nodes of different meshes never link")
    func otherMesh() {
        let cluster = MeshCluster()
        cluster.start(seed: 1, mesh: "a")
        cluster.start(seed: 2, mesh: "b")
        cluster.discover(1, by: 0)
        cluster.discover(0, by: 1)
        cluster.drive(for: .seconds(10))
        #expect(!cluster.isUp(0, 1))
        #expect(isRefused(cluster, 0, .otherMesh) || isRefused(cluster, 1, .otherMesh))
        #expect(cluster.members[0].dials.count + cluster.members[1].dials.count <= 2)
        #expect(cluster.peer(1, at: 0)?.failures == 0)
    }

    @Test(
        "a HELLO of a future version is refused with a reason, unless its range includes the node's version",
        arguments: [WireLimits.version + 1, WireLimits.version])
    func version(_ least: UInt32) throws {
        let cluster = MeshCluster()
        cluster.start(seed: 1)
        let stranger = TransparentSealing(seed: 2)
        let carrier = CarrierID(number: 900)
        cluster.input(
            0, .carrierOpened(carrier, peer: stranger.nodeID, dial: nil, remote: cluster.endpoint(of: 1)))
        let record = NodeRecord(
            node: stranger.nodeID, instance: try #require(Instance(exactly: 1)), bootNonce: BootNonce(number: 5),
            sequence: 1,
            endpoints: [cluster.endpoint(of: 1)], profile: NodeProfile(name: SafeText("new")), isLeaving: false
        )
        let hello = Hello(
            versionMin: least, versionMax: WireLimits.version + 2, mesh: TestMesh.name, meshID: TestMesh.id,
            record: SignedRecord(signing: record, with: stranger), yourRecord: nil,
            nonce: Array(repeating: 1, count: 32), bootNonce: BootNonce(number: 5), mediaPort: 7400,
            yourInstanceSeen: nil)
        cluster.input(0, .carrierFrame(carrier, TestProof.open().encoded()))
        cluster.input(0, .carrierFrame(carrier, CarrierMessage.hello(hello).encoded()))
        let isGreeted = cluster.status(0).peersKnown == 1
        #expect(isGreeted == (least == WireLimits.version))
        #expect((cluster.counter(.refusalsSent, at: 0) == 1) == (least != WireLimits.version))
    }

    @Test("the 65th peer is refused before HELLO, counts no failure, and links when a slot is free")
    func full() {
        let pair = MeshPair()
        let cluster = pair.cluster
        for place in 0..<UInt64(MeshScale.peersMax) {
            // These peers have sent HELLO, so none of them gives up its slot.
            let seed = 5_000 + place
            let remote = Endpoint(address: IPAddress(v4: 10, 0, 0, UInt8(100 + place)), port: 7400)
            let hello = Hello(
                versionMin: WireLimits.version, versionMax: WireLimits.version, mesh: TestMesh.name,
                meshID: TestMesh.id, record: TestIdentity.record(seed: seed), yourRecord: nil,
                nonce: Array(repeating: 1, count: 32), bootNonce: BootNonce(number: 1), mediaPort: 7400,
                yourInstanceSeen: nil)
            let carrier = CarrierID(number: seed)
            cluster.input(
                pair.leader,
                .carrierOpened(carrier, peer: TestIdentity.nodeID(seed: seed), dial: nil, remote: remote))
            cluster.input(pair.leader, .carrierFrame(carrier, TestProof.open().encoded()))
            cluster.input(pair.leader, .carrierFrame(carrier, CarrierMessage.hello(hello).encoded()))
        }
        cluster.discover(pair.leader, by: pair.follower)
        cluster.drive(for: .seconds(3))
        #expect(!pair.isUp)
        #expect(0 < cluster.counter(.peersTableFull, at: pair.leader))
        #expect(isRefused(cluster, pair.follower, .full))
        #expect(cluster.peer(pair.leader, at: pair.follower)?.failures == 0)
        // None of them links. The newcomer has kept trying.
        #expect(cluster.drive(atMost: MeshLimits.refusalRetry + .seconds(5)) { pair.isUp })
    }

    @Test("a node that a change of the code leaves behind is not refused as blocked while the change is being stored")
    func leavingIsNotBlocked() throws {
        let secret = try #require(EpochSecret(number: 1, bytes: [UInt8](repeating: 3, count: EpochSecret.byteCount)))
        let mesh = ClosedMesh(
            id: MeshID(high: 1, low: 0), name: "crew", secrets: [secret], codeKey: nil,
            with: TransparentSealing(seed: 1))
        for maker in 0...1 {
            let cluster = MeshCluster()
            let left = 1 - maker
            for seed in 1...2 as ClosedRange<UInt64> { cluster.start(seed: seed, standing: .member(mesh)) }
            cluster.discover(1, by: 0)
            cluster.discover(0, by: 1)
            let isUp = cluster.drive(atMost: .seconds(5)) { cluster.isUp(0, 1) }
            cluster.diskDelay = .seconds(5)
            let codeKey = [UInt8](repeating: 5, count: CodeSizes.codeKeyBytes)
            cluster.command(maker, .changeCode(leaving: [cluster.id(of: left)], codeKey: codeKey))
            cluster.resetCarriers(0, 1)
            cluster.drive(for: .seconds(4))
            #expect(isUp && isRefused(cluster, left, .coolingDown) && !isRefused(cluster, left, .blocked))
            // Until the epoch is in use, the disk may refuse it.
            #expect(!cluster.status(left).isLeftBehind)
            cluster.drive(for: .seconds(20))
            #expect(cluster.status(left).isLeftBehind && !isRefused(cluster, left, .blocked))
        }
    }

    @Test("bytes of strangers are counted and never stop the node")
    func garbage() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        var random = SeededRandom(seed: 3)
        for count in 0..<300 {
            let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            cluster.inject(bytes, to: 0, from: cluster.endpoint(of: 1))
            cluster.input(0, .beacon(bytes, from: cluster.endpoint(of: 1)))
            cluster.input(0, .carrierFrame(CarrierID(number: 5_000), bytes))
            cluster.input(0, .dialFailed(DialID(number: 5_000), .refused))
            cluster.input(0, .carrierClosed(CarrierID(number: 5_000), .reset))
        }
        #expect(cluster.counter(.beaconsMalformed, at: 0) == 300)
        #expect(cluster.counter(.framesOfUnknownCarrier, at: 0) == 300)
        let dropped = cluster.counter(.datagramsMalformed, at: 0) + cluster.counter(.datagramsUnknownKey, at: 0)
        #expect(dropped + cluster.counter(.datagramsForged, at: 0) == 300)
        cluster.drive(for: .seconds(1))
        #expect(pair.isUp)
    }
}
