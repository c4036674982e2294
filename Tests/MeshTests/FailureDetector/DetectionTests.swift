import Mesh
import MeshTestKit
import Primitives
import Testing
import Wire

@Suite("Detection of a silent peer")
struct DetectionTests {
    private func isDown(_ pair: MeshPair) -> Bool {
        pair.cluster.isDown(pair.follower, at: pair.leader)
    }

    @Test("the power loss of a peer is detected within two seconds", arguments: UInt64(0)..<8)
    func powerOff(_ phase: UInt64) {
        let pair = MeshPair.linked()
        pair.cluster.drive(for: .milliseconds(Int64(phase) * 61))
        let died = pair.cluster.now
        pair.cluster.powerOff(pair.follower)
        #expect(pair.cluster.drive(atMost: .seconds(3)) { isDown(pair) })
        let detection = pair.cluster.now - died
        #expect(detection < .seconds(2))
        #expect(.milliseconds(900) < detection, "a verdict this fast would be false under loss")
    }

    @Test("a killed process closes its carriers, and its link goes down within 600 ms")
    func kill() {
        let pair = MeshPair.linked()
        let died = pair.cluster.now
        pair.cluster.kill(pair.follower)
        #expect(pair.cluster.drive(atMost: .seconds(3)) { isDown(pair) })
        #expect(pair.cluster.now - died < .milliseconds(600))
        #expect(
            pair.cluster.events(pair.leader).contains {
                if case .peerDown(_, _, _, .silent) = $0 { true } else { false }
            })
    }

    @Test("a node sends exactly three probes while it verifies a link")
    func probes() {
        let pair = MeshPair.linked()
        pair.cluster.separate(pair.leader, pair.follower)
        pair.cluster.drive(atMost: .seconds(2)) {
            pair.cluster.peer(pair.follower, at: pair.leader)?.state == .verifying
        }
        var probes: [Instant] = [pair.cluster.now]
        let regular = pair.cluster.counter(.controlBlocksSent, at: pair.leader)
        pair.cluster.tap = { from, _, _ in if from == pair.leader { probes.append(pair.cluster.now) } }
        #expect(pair.cluster.drive(atMost: .milliseconds(510)) { isDown(pair) })
        let beats = Int(pair.cluster.counter(.controlBlocksSent, at: pair.leader) - regular)
        #expect(probes.count - beats == 3)
        #expect(beats <= 2)
    }

    @Test(
        "a node with poor local health keeps probing, and finds a restored path within one slow probe interval",
        arguments: UInt64(0)..<6)
    func probesGoOn(_ phase: UInt64) {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        for _ in 0..<4 {
            cluster.pause(pair.leader, for: .milliseconds(1_200))
            cluster.drive(for: .milliseconds(100))
        }
        #expect(3 <= cluster.status(pair.leader).localHealth)
        cluster.separate(pair.leader, pair.follower)
        cluster.drive(atMost: .seconds(2)) { cluster.peer(pair.follower, at: pair.leader)?.state == .verifying }
        cluster.drive(for: .milliseconds(700 + Int64(phase) * 90))
        #expect(cluster.peer(pair.follower, at: pair.leader)?.state == .verifying)
        cluster.separate(pair.leader, pair.follower, false)
        #expect(
            cluster.drive(atMost: MeshLimits.probeSlowInterval.upperBound + .milliseconds(10)) {
                cluster.peer(pair.follower, at: pair.leader)?.state == .up
            })
    }

    @Test("an outage of 1.15 s does not take the link down")
    func shortOutage() {
        let pair = MeshPair.linked()
        pair.cluster.separate(pair.leader, pair.follower)
        pair.cluster.drive(for: .milliseconds(1_150))
        pair.cluster.separate(pair.leader, pair.follower, false)
        pair.cluster.drive(for: .seconds(1))
        #expect(pair.isUp)
        #expect(!pair.cluster.events(pair.leader).contains { if case .peerDown = $0 { true } else { false } })
    }

    @Test("after a two-second outage the same session comes up again, without another handshake")
    func wakes() throws {
        let pair = MeshPair.linked()
        let link = try #require(pair.cluster.peer(pair.follower, at: pair.leader)?.link)
        pair.cluster.separate(pair.leader, pair.follower)
        pair.cluster.drive(for: .milliseconds(2_000))
        #expect(isDown(pair))
        for cut in [MeshCluster.Cut.datagrams(from: 0, to: 1), .datagrams(from: 1, to: 0)] {
            pair.cluster.cuts.remove(cut)
        }
        #expect(pair.cluster.drive(atMost: .milliseconds(1_500)) { pair.isUp })
        #expect(pair.cluster.peer(pair.follower, at: pair.leader)?.link == link)
    }

    @Test("after a pause of a peer the node reports the peer's channels again")
    func channelsAfterPause() {
        let pair = MeshPair.linked()
        let channel = ChannelID(high: 1, low: 2)
        pair.cluster.command(pair.follower, .setChannels([channel]))
        pair.cluster.drive(for: .seconds(1))
        pair.cluster.pause(pair.follower, for: .seconds(3))
        #expect(isDown(pair))
        pair.cluster.input(pair.follower, .resumed(gap: .seconds(3)))
        #expect(pair.cluster.drive(atMost: .seconds(2)) { pair.isUp })
        let events = pair.cluster.events(pair.leader)
        let up = events.lastIndex { if case .peerUp = $0 { true } else { false } }
        let reported = events.lastIndex { if case .peerChannels(_, _, [channel]) = $0 { true } else { false } }
        #expect(up != nil)
        #expect((up ?? 0) < (reported ?? -1))
    }

    @Test("a link that works in one direction goes down at both ends, and stays down if carriers fail too")
    func oneWay() {
        let pair = MeshPair.linked()
        pair.cluster.cuts = [
            .datagrams(from: pair.leader, to: pair.follower), .carriers(0, 1), .carriers(1, 0),
            .dials(from: 0, to: 1), .dials(from: 1, to: 0),
        ]
        // A block from before the cut may be echoed half a second later. Only the time at which it was sent counts.
        #expect(pair.cluster.drive(atMost: .seconds(2)) { isDown(pair) })
        #expect(
            pair.cluster.drive(atMost: .seconds(2)) {
                pair.cluster.peer(pair.leader, at: pair.follower)?.state != .up
            })
        pair.cluster.drive(for: .seconds(3))
        #expect(isDown(pair))
    }

    @Test("a late echo does not revive a link")
    func lateEcho() {
        var sent = SentControlBlocks()
        let start = Instant.zero
        sent.add(SentControlBlocks.Block(sequence: 7, at: start, route: .carrier))
        let late = sent.take(7, now: start + MeshLimits.echoSilenceMax + .milliseconds(1))
        #expect(late == nil)
        sent.add(SentControlBlocks.Block(sequence: 8, at: start, route: .carrier))
        let inTime = sent.take(8, now: start + .milliseconds(2))
        let again = sent.take(8, now: start + .milliseconds(3))
        let unknown = sent.take(9, now: start)
        #expect(inTime != nil)
        #expect(again == nil, "an echo counts once")
        #expect(unknown == nil, "no node sent that")
    }

    @Test("a node that was paused takes no link down")
    func ownPause() {
        let pair = MeshPair.linked()
        pair.cluster.pause(pair.leader, for: .milliseconds(1_400))
        pair.cluster.drive(for: .milliseconds(400))
        #expect(pair.cluster.counter(.ownPauses, at: pair.leader) == 1)
        #expect(!pair.cluster.events(pair.leader).contains { if case .peerDown = $0 { true } else { false } })
        #expect(pair.isUp)
    }

    @Test("one pause counts as one sign of poor local health, however the node detects it", arguments: [2, 5])
    func onePause(_ count: Int) {
        let cluster = MeshCluster()
        for seed in 1...UInt64(count) { cluster.start(seed: seed) }
        for a in 0..<count { for b in 0..<count where a != b { cluster.discover(b, by: a) } }
        #expect(cluster.drive(atMost: .seconds(5)) { cluster.status(0).isCliqueComplete })
        cluster.drive(for: .seconds(3))
        cluster.pause(0, for: .milliseconds(1_900))
        cluster.input(0, .resumed(gap: .milliseconds(1_900)))
        #expect(cluster.status(0).localHealth == 1)
        cluster.drive(for: .milliseconds(100))
        #expect(cluster.status(0).localHealth <= 1)
        let signs = cluster.counter(.ownPauses, at: 0) + cluster.counter(.receiveOutages, at: 0)
        #expect(signs == 1)
    }

    @Test(
        "after a resume the node dials at once for links that its peers gave up, as leader and as follower",
        arguments: [true, false])
    func resumed(isLeader: Bool) {
        let pair = MeshPair.linked()
        let sleeper = isLeader ? pair.leader : pair.follower
        pair.cluster.pause(sleeper, for: .seconds(20))
        pair.cluster.input(sleeper, .resumed(gap: .seconds(20)))
        #expect(pair.cluster.drive(atMost: .milliseconds(200)) { pair.isUp })
    }

    @Test("during speech control blocks ride on voice packets, and none is sent alone")
    func riding() {
        let pair = MeshPair.linked()
        let alone = pair.cluster.counter(.controlBlocksSent, at: pair.leader)
        for _ in 0..<500 {
            pair.cluster.speak(pair.leader, to: pair.follower, [9])
            pair.cluster.drive(for: .milliseconds(10))
        }
        #expect(pair.cluster.counter(.controlBlocksSent, at: pair.leader) == alone)
        #expect(10 <= pair.cluster.counter(.controlBlocksRiding, at: pair.leader))
        #expect(pair.cluster.members[pair.follower].voices.count == 500)
        #expect(pair.isUp)
    }
}
