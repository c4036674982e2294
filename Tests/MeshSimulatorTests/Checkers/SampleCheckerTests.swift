import Mesh
import MeshSimulator
import Primitives
import Testing
import Wire

/// Status snapshots, one a second, as the watch of a run takes them.
@Suite("Checkers of snapshots can fail")
struct SampleCheckerTests {
    private static let link = LinkID(
        leaderInstance: Instance(exactly: 1)!, followerInstance: Instance(exactly: 1)!, attempt: 1)

    /// Node 0 leads and shows the state `zero` of node 1, which shows the state `one` of node 0.
    private func snapshot(
        at second: Int64, _ zero: PeerStatus.State, _ one: PeerStatus.State, upFor: Interval = .seconds(60),
        failures: Int = 0, instanceOfOne: UInt64 = 1
    ) -> MeshSnapshot {
        func view(_ peer: Int, _ state: PeerStatus.State) -> MeshSnapshot.View {
            MeshSnapshot.View(
                peer: peer, state: state, isLeader: peer == 1, link: Self.link, upFor: state == .up ? upFor : nil,
                failures: failures)
        }
        return MeshSnapshot(
            at: .zero + .seconds(second),
            nodes: [
                MeshSnapshot.Node(index: 0, instance: Instance(exactly: 1)!, views: [view(1, zero)]),
                MeshSnapshot.Node(index: 1, instance: Instance(exactly: instanceOfOne)!, views: [view(0, one)]),
            ], peersMax: 1)
    }

    private func verdict(_ checker: some SampleChecker, _ snapshots: [MeshSnapshot]) -> String? {
        var checker = checker
        return snapshots.compactMap { checker.look(at: $0) }.first
    }

    @Test("EventsTellAll finds a path, a listener and a talker that no event has reported")
    func reported() {
        func judge(_ change: (inout MeshSnapshot.Reported) -> Void, _ state: PeerStatus.State = .up) -> [String?] {
            var unsaid = snapshot(at: 1, state, .up)
            change(&unsaid.nodes[0].views[0].shown)
            var stale = snapshot(at: 1, state, .up)
            change(&stale.nodes[0].views[0].reported)
            var both = unsaid
            change(&both.nodes[0].views[0].reported)
            return [unsaid, stale, both].map { verdict(EventsTellAll(), [$0]) }
        }
        let changes: [(inout MeshSnapshot.Reported) -> Void] = [
            { $0.path = .relay }, { $0.neighbour = NodeID(words: (1, 2, 3, 4)) }, { $0.listens = true },
            { $0.isTalking = true },
        ]
        for change in changes {
            #expect(judge(change).map { $0 == nil } == [false, false, true])
            // Of a link that is down no event needs to report anything.
            #expect(judge(change, .down).allSatisfy { $0 == nil })
        }
    }

    @Test("EventsTellAll finds a listener that is wrong in status and events, although the two agree")
    func listens() {
        let cases: [(truth: Bool?, reported: Bool, isFine: Bool)] = [
            (true, false, false), (false, true, false), (true, true, true), (nil, false, true),
        ]
        for (truth, reported, isFine) in cases {
            var snapshot = snapshot(at: 1, .up, .up)
            snapshot.nodes[0].views[0].shown.listens = reported
            snapshot.nodes[0].views[0].reported.listens = reported
            snapshot.nodes[0].views[0].listens = truth
            #expect((verdict(EventsTellAll(), [snapshot]) == nil) == isFine)
        }
    }

    @Test("LinksFollowInstances finds a link with an instance that ended seconds ago")
    func instances() {
        #expect(verdict(LinksFollowInstances(nodeCount: 2), [snapshot(at: 9, .up, .down)]) == nil)
        #expect(verdict(LinksFollowInstances(nodeCount: 2), [snapshot(at: 2, .up, .down, instanceOfOne: 2)]) == nil)
        #expect(verdict(LinksFollowInstances(nodeCount: 2), [snapshot(at: 9, .up, .down, instanceOfOne: 2)]) != nil)
        // The same holds for a boot whose counter was rolled back.
        var rolledBack = snapshot(at: 9, .up, .down)
        let link = LinkID(leaderInstance: Instance(exactly: 1)!, followerInstance: Instance(exactly: 4)!, attempt: 1)
        rolledBack.nodes[0].views[0].link = link
        #expect(verdict(LinksFollowInstances(nodeCount: 2), [rolledBack]) != nil)
    }

    @Test("HalfOpenLinksEnd finds a link that only one side keeps showing")
    func halfOpen() {
        let half = (0..<6).map { snapshot(at: $0, .up, .down) }
        #expect(verdict(HalfOpenLinksEnd(nodeCount: 2), half) != nil)
        #expect(verdict(HalfOpenLinksEnd(nodeCount: 2), Array(half.prefix(3))) == nil)
        let mended = Array(half.prefix(3)) + [snapshot(at: 3, .up, .up)] + (4..<7).map { snapshot(at: $0, .up, .down) }
        #expect(verdict(HalfOpenLinksEnd(nodeCount: 2), mended) == nil)
        let others = half.enumerated().map { number, snapshot in
            var snapshot = snapshot
            snapshot.nodes[0].views[0].link = LinkID(
                leaderInstance: Instance(exactly: 1)!, followerInstance: Instance(exactly: 1)!,
                attempt: UInt32(number / 2))
            return snapshot
        }
        #expect(verdict(HalfOpenLinksEnd(nodeCount: 2), others) == nil)
    }

    @Test("a link that came up again between two snapshots, or whose far end did, gets its time from then on")
    func anew() {
        func half(_ change: (inout MeshSnapshot, Int64) -> Void) -> [MeshSnapshot] {
            (0..<6).map { (second: Int64) in
                var snapshot = snapshot(at: second, .up, .down, upFor: .seconds(10))
                change(&snapshot, second)
                return snapshot
            }
        }
        #expect(verdict(HalfOpenLinksEnd(nodeCount: 2), half { _, _ in }) != nil)
        let up = half { $0.nodes[0].views[0].upFor = .milliseconds(1_500 + 100 * $1) }
        #expect(verdict(HalfOpenLinksEnd(nodeCount: 2), up) == nil)
        let boot = half { snapshot, second in if 3 <= second { snapshot.nodes[1].labelledAt = .zero + .seconds(3) } }
        #expect(verdict(HalfOpenLinksEnd(nodeCount: 2), boot) == nil)
    }

    @Test("a half-open link that was answered and cut again gets its time from the answer, once")
    func interrupted() {
        func half(_ trip: (Int64) -> Int64?) -> [MeshSnapshot] {
            (0..<7).map { (second: Int64) in
                var snapshot = snapshot(at: second, .up, .down)
                snapshot.nodes[0].views[0].interruptedTripAt = trip(second).map { .zero + .seconds($0) }
                return snapshot
            }
        }
        #expect(verdict(HalfOpenLinksEnd(nodeCount: 2), half { 3 <= $0 ? 3 : nil }) == nil)
        #expect(verdict(HalfOpenLinksEnd(nodeCount: 2), half { 1 <= $0 ? 1 : nil }) != nil)
    }

    @Test("a link is also half open if the other side does not know the peer")
    func unknown() {
        let half = (0..<6).map { (second: Int64) in
            var snapshot = snapshot(at: second, .up, .down)
            snapshot.nodes[1].views = []
            return snapshot
        }
        #expect(verdict(HalfOpenLinksEnd(nodeCount: 2), half) != nil)
    }

    @Test("a half-open link that had no snapshot in between starts again")
    func gone() {
        var absent = snapshot(at: 1, .up, .down)
        absent.nodes.removeFirst()
        let looks = [snapshot(at: 0, .up, .down), absent, snapshot(at: 6, .up, .down)]
        #expect(verdict(HalfOpenLinksEnd(nodeCount: 2), looks) == nil)
    }

    @Test("a hindered node gets its time from the end of the hindrance, and no more")
    func hindered() {
        func held(_ snapshots: [MeshSnapshot], until second: Int64) -> [MeshSnapshot] {
            snapshots.map { snapshot in
                var snapshot = snapshot
                snapshot.nodes[0].hinderedUntil = min(snapshot.at, .zero + .seconds(second))
                return snapshot
            }
        }
        let half = (0..<9).map { snapshot(at: $0, .up, .down) }
        #expect(verdict(HalfOpenLinksEnd(nodeCount: 2), held(half, until: 6)) == nil)
        #expect(verdict(HalfOpenLinksEnd(nodeCount: 2), held(half, until: 2)) != nil)
        let ghost = (5..<9).map { snapshot(at: $0, .up, .down, instanceOfOne: 2) }
        #expect(verdict(LinksFollowInstances(nodeCount: 2), held(ghost, until: 8)) == nil)
        #expect(verdict(LinksFollowInstances(nodeCount: 2), held(ghost, until: 4)) != nil)
    }

    @Test("the report of an advance gets its time from when bytes arrive again; a restart is noticed by silence")
    func advanced() {
        func ghosts(isAdvanced: Bool = true, isReportedSince: (Int64) -> Instant?) -> [MeshSnapshot] {
            (5..<10).map { (second: Int64) in
                var snapshot = snapshot(at: second, .up, .down, instanceOfOne: 2)
                if isAdvanced { snapshot.nodes[1].advancedFrom = Instance(exactly: 1) }
                snapshot.nodes[0].views[0].isReportedSince = isReportedSince(second)
                return snapshot
            }
        }
        func judge(_ snapshots: [MeshSnapshot]) -> String? { verdict(LinksFollowInstances(nodeCount: 2), snapshots) }
        let late = Instant.zero + .seconds(4)
        #expect(judge(Array(ghosts { _ in late }.prefix(3))) == nil)
        #expect(judge(ghosts { _ in late }) != nil)
        #expect(judge(ghosts { _ in nil }) == nil)
        #expect(judge(ghosts(isAdvanced: false) { _ in nil }) != nil)
        // A later loss does not excuse a report that has already come.
        #expect(judge(ghosts { $0 == 5 ? late : nil }) != nil)
    }

    @Test("a node in a receive outage gets more time, but not without limit")
    func receiveOutage() {
        let half = (0..<16).map { (second: Int64) in
            var snapshot = snapshot(at: second, .up, .down)
            snapshot.nodes[0].receiveOutageUntil = snapshot.at
            return snapshot
        }
        #expect(verdict(HalfOpenLinksEnd(nodeCount: 2), Array(half.prefix(10))) == nil)
        #expect(verdict(HalfOpenLinksEnd(nodeCount: 2), half) != nil)
    }

    @Test("the time of a node in a receive outage starts when it receives again")
    func heardAgain() {
        func held(until second: Int64) -> [MeshSnapshot] {
            (0..<12).map { (at: Int64) in
                var snapshot = snapshot(at: at, .up, .down)
                if second <= at { snapshot.nodes[0].beganAnewAt = .zero + .seconds(second) }
                return snapshot
            }
        }
        #expect(verdict(HalfOpenLinksEnd(nodeCount: 2), Array(held(until: 3).prefix(7))) == nil)
        #expect(verdict(HalfOpenLinksEnd(nodeCount: 2), held(until: 3)) != nil)
    }

    @Test("TablesAreBounded finds a repeated peer, the node itself, and too many peers")
    func tables() {
        var snapshot = snapshot(at: 1, .up, .up)
        #expect(verdict(TablesAreBounded(nodeCount: 2), [snapshot]) == nil)
        snapshot.nodes[0].views.append(snapshot.nodes[0].views[0])
        #expect(verdict(TablesAreBounded(nodeCount: 2), [snapshot]) != nil)
        snapshot.nodes[0].views = [snapshot.nodes[1].views[0]]
        #expect(verdict(TablesAreBounded(nodeCount: 2), [snapshot]) != nil)
        snapshot.nodes[0].views = []
        snapshot.nodes[0].peersShown = 2
        #expect(verdict(TablesAreBounded(nodeCount: 2), [snapshot]) != nil)
    }

    @Test("StabilityIsEarned finds failures that are cleared too soon, or never")
    func stability() {
        let failing = snapshot(at: 1, .up, .up, upFor: .seconds(3), failures: 3)
        let cleared = snapshot(at: 2, .up, .up, upFor: .seconds(3))
        #expect(verdict(StabilityIsEarned(nodeCount: 2), [failing, cleared]) != nil)
        func withFullTables(_ snapshot: MeshSnapshot) -> MeshSnapshot {
            var full = snapshot
            for node in full.nodes.indices { full.nodes[node].peersShown = MeshScale.peersMax }
            return full
        }
        for looks in [[withFullTables(failing), cleared], [failing, withFullTables(cleared)]] {
            #expect(
                verdict(StabilityIsEarned(nodeCount: 2), looks) == nil, "a newcomer may have had the slot in between")
        }
        let stood = snapshot(at: 17, .up, .up, upFor: .seconds(17))
        #expect(verdict(StabilityIsEarned(nodeCount: 2), [failing, stood]) == nil)
        let overdue = (17..<20).map { snapshot(at: $0, .up, .up, upFor: .seconds($0), failures: 3) }
        #expect(verdict(StabilityIsEarned(nodeCount: 2), [failing] + overdue) != nil)
    }
}
