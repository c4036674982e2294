import Mesh
import MeshTestKit
import Primitives
import Testing

@Suite("Backoff and quarantine")
struct BackoffTests {
    @Test("the wait is called a quarantine from the fifth failure on, until the failures are forgotten")
    func fifth() {
        var backoff = Backoff()
        var random = SeededRandom(seed: 1)
        var called: [Bool] = []
        for _ in 0..<6 {
            _ = backoff.fail(now: .zero, random: &random)
            called.append(backoff.isQuarantine)
        }
        #expect(called == [false, false, false, false, true, true])
        backoff.clear()
        #expect(!backoff.isQuarantine)
        let until = backoff.fail(now: .zero, random: &random)
        #expect(until <= .zero + .milliseconds(500))
    }

    @Test("people are told of a quarantine once, until a link comes up or the failures are forgotten")
    func told() {
        var backoff = Backoff()
        var random = SeededRandom(seed: 1)
        func failures(_ count: Int) -> [Bool] {
            (0..<count).map { _ in
                _ = backoff.fail(now: .zero, random: &random)
                return backoff.tellsQuarantine()
            }
        }
        let first = failures(7)
        backoff.linkUp()
        let afterLink = failures(2)
        backoff.clear()
        let afterClear = failures(6)
        #expect(first == [false, false, false, false, true, false, false])
        #expect(afterLink == [true, false] && afterClear == [false, false, false, false, true, false])
    }

    @Test("a cooldown is cut short at most once in two seconds")
    func cut() {
        var backoff = Backoff()
        let start = Instant.zero
        let cuts = [0, 1_999, 2_000].map { backoff.cut(now: start + .milliseconds($0)) }
        #expect(cuts == [true, false, true])
    }

    @Test("failures quarantine that peer alone, and trials are 15 to 30 s apart in the end")
    func quarantine() {
        let cluster = MeshCluster()
        for seed in 1...3 { cluster.start(seed: UInt64(seed)) }
        cluster.discover(1, by: 0)
        cluster.drive(atMost: .seconds(1)) { cluster.isUp(0, 1) }
        cluster.kill(2)
        cluster.discover(2, by: 0)
        cluster.drive(for: .seconds(20))
        #expect(cluster.peer(2, at: 0)?.state == .quarantined)
        #expect(cluster.isUp(0, 1))
        let dials = cluster.members[0].dials.count
        #expect(dials - 1 <= 6)
        cluster.drive(for: .seconds(100))
        let times = cluster.members[0].dials.filter { $0.endpoint == cluster.endpoint(of: 2) }.map(\.at)
        let gaps = zip(times.dropFirst(), times).map { $0 - $1 }.suffix(2)
        #expect(gaps.count == 2 && gaps.allSatisfy { .seconds(15) <= $0 && $0 <= .seconds(31) }, "\(times)")
        #expect(!cluster.events(0).contains { if case .peerDown = $0 { true } else { false } })
    }

    @Test("no two dials of a failing peer come within a quarter second")
    func spacing() {
        let cluster = MeshCluster()
        cluster.start(seed: 1)
        cluster.start(seed: 2)
        cluster.kill(1)
        cluster.discover(1, by: 0)
        cluster.drive(for: .seconds(120))
        let times = cluster.members[0].dials.map(\.at)
        #expect(5 <= times.count)
        #expect(zip(times.dropFirst(), times).allSatisfy { .milliseconds(250) <= $0 - $1 })
    }

    @Test("15 s of a link that is up reset its failures")
    func stability() {
        let pair = MeshPair()
        pair.cluster.cuts = [.dials(from: 0, to: 1), .dials(from: 1, to: 0)]
        pair.discoverEachOther()
        pair.cluster.drive(for: .seconds(2))
        pair.cluster.cuts = []
        pair.cluster.drive(atMost: .seconds(6)) { pair.isUp }
        #expect(pair.isUp)
        #expect(0 < pair.cluster.peer(pair.follower, at: pair.leader)?.failures ?? 0)
        pair.cluster.drive(for: .seconds(16))
        #expect(pair.cluster.peer(pair.follower, at: pair.leader)?.failures == 0)
    }

    @Test("an address from the user is dialled for ever, at least every five seconds, and linked when it answers")
    func staticPeer() {
        let cluster = MeshCluster()
        let target = cluster.endpoint(of: 1)
        cluster.start(seed: 1, staticPeers: [target])
        cluster.drive(for: .seconds(120))
        let times = cluster.members[0].dials.map(\.at)
        #expect(zip(times.dropFirst(), times).allSatisfy { $0 - $1 <= .milliseconds(5_100) })
        cluster.start(seed: 2)
        #expect(cluster.drive(atMost: .seconds(6)) { cluster.isUp(0, 1) })
        let dials = cluster.members[0].dials.count
        cluster.drive(for: .seconds(60))
        #expect(cluster.members[0].dials.count == dials)
    }

    @Test("an address from the user that is the node's own is dialled once a minute, because another node may get it")
    func ownStaticAddress() {
        let cluster = MeshCluster()
        cluster.start(seed: 1, staticPeers: [cluster.endpoint(of: 0)])
        cluster.drive(for: .seconds(150))
        #expect(cluster.members[0].dials.count == 3)
        #expect(cluster.counter(.dialsToSelf, at: 0) == 3)
    }

    @Test("after repeated resets of a carrier the node dials three times at once, and then every ten seconds")
    func resetCarriers() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        let before = cluster.members[pair.leader].dials.count
        for _ in 0..<50 {
            cluster.resetCarriers(pair.leader, pair.follower)
            cluster.drive(for: .milliseconds(100))
        }
        #expect(cluster.members[pair.leader].dials.count - before == 3)
        for _ in 0..<50 {
            cluster.resetCarriers(pair.leader, pair.follower)
            cluster.drive(for: .seconds(1))
        }
        #expect((7...8).contains(cluster.members[pair.leader].dials.count - before))
        #expect(pair.isUp)
        #expect(cluster.counter(.linksDown, at: pair.leader) == 0)
        #expect(cluster.drive(atMost: .seconds(11)) { cluster.peer(1, at: 0)?.hasCarrier == true })
    }

    @Test("a flapping link does not dial for a carrier each time that it comes up")
    func flapping() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        let before = cluster.members[pair.leader].dials.count
        for _ in 0..<10 {
            cluster.separate(0, 1)
            cluster.resetCarriers(0, 1)
            cluster.drive(for: .seconds(3))
            cluster.separate(0, 1, false)
            cluster.cuts = [.dials(from: 0, to: 1), .dials(from: 1, to: 0)]
            cluster.drive(atMost: .seconds(3)) { pair.isUp }
        }
        #expect(cluster.members[pair.leader].dials.count - before <= 12)
    }
}
