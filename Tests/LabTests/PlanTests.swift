import ControlPlane
import Lab
import NodeRuntime
import Primitives
import Testing

@Suite("what a lab plans and watches")
struct PlanTests {
    private func plan(_ faults: [Fault]) -> LabPlan { LabPlan(nodes: 3, length: .seconds(12), faults: faults) }

    @Test("a place and a time are read", arguments: [("0@3", 0, 3_000), ("12@0.25", 12, 250)])
    func nodeAtTime(text: String, node: Int, milliseconds: Int64) throws {
        let read = try #require(NodeAtTime(argument: text))
        #expect(read.node == node)
        #expect(read.at == .milliseconds(milliseconds))
    }

    @Test(
        "what is no place and time is refused",
        arguments: ["", "1", "@2", "1@", "-1@2", "1@-2", "1@2@3", "a@2", "1@nan", "1@inf", "1@1e9"])
    func notNodeAtTime(text: String) {
        #expect(NodeAtTime(argument: text) == nil)
    }

    @Test("a pair and a time are read, and nothing else")
    func pairAtTime() throws {
        let read = try #require(PairAtTime(argument: "2-0@1.5"))
        #expect((read.first, read.second) == (2, 0))
        #expect(read.at == .milliseconds(1_500))
        for text in ["1-1@2", "1@2", "1-@2", "-1@2", "1-2", "1-2-3@4"] {
            #expect(PairAtTime(argument: text) == nil, "\(text)")
        }
    }

    @Test("nodes that a fault cuts off are started so that they can be, and no others")
    func cut() {
        let plan = self.plan([Fault(.block(0, 2), at: .seconds(3)), Fault(.kill(1), at: .seconds(4))])
        #expect([0, 1, 2].map(plan.cuts) == [true, false, true])
    }

    @Test("without faults every turn must be heard")
    func everyTurn() {
        let plan = self.plan([])
        #expect(plan.turnsExpected(from: 0, to: 2) == plan.schedule.turns(of: 0))
        #expect(plan.isAliveAtEnd(0))
    }

    @Test("nobody must hear the dead, nor the dead anybody; before, they must")
    func killed() {
        let plan = self.plan([Fault(.kill(1), at: .seconds(6))])
        for (from, to) in [(1, 0), (0, 1)] {
            let turns = plan.turnsExpected(from: from, to: to)
            #expect(!turns.isEmpty)
            #expect(turns.allSatisfy { $0.end < .seconds(6) })
        }
        #expect(plan.turnsExpected(from: 0, to: 2) == plan.schedule.turns(of: 0))
        #expect(!plan.isAliveAtEnd(1))
    }

    @Test("a node that starts again must be heard once it has had its time", arguments: [0, 1, 2])
    func restarted(node: Int) {
        let plan = self.plan([Fault(.restart(node), at: .seconds(3))])
        let turns = plan.turnsExpected(from: node, to: (node + 1) % 3)
        #expect(turns.contains { .seconds(6) <= $0.start })
        #expect(!turns.contains { .seconds(3) <= $0.start && $0.start < .seconds(6) })
        #expect(plan.isAliveAtEnd(node))
    }

    @Test("a killed node need not run, nor be cut off, until it is started again")
    func alive() {
        let plan = self.plan([Fault(.restart(1), at: .seconds(4)), Fault(.kill(1), at: .seconds(2))])
        #expect((0...2).map { plan.isAlive(1, after: $0) } == [true, false, true])
        #expect((0...2).allSatisfy { plan.isAlive(0, after: $0) })
    }

    @Test("nobody must hear a node that is starting again, so it need not take its talk key; others must be heard")
    func turnsOfRestarted() {
        let plan = self.plan([Fault(.restart(1), at: .seconds(3))])
        for turn in plan.schedule.turns {
            let isStarting = turn.start < .seconds(6) && .seconds(3) <= turn.end + .milliseconds(1_200)
            #expect(plan.mustBeHeard(turn) == (turn.speaker != 1 || !isStarting), "\(turn)")
        }
    }

    @Test("a cut pair must hear again, by another way, once it has had its time")
    func blocked() {
        let plan = self.plan([Fault(.block(0, 2), at: .seconds(3))])
        #expect(plan.turnsExpected(from: 2, to: 0).contains { .seconds(6) <= $0.start })
        #expect(!plan.turnsExpected(from: 2, to: 0).contains { .seconds(3) <= $0.start && $0.start < .seconds(6) })
        #expect(plan.turnsExpected(from: 1, to: 0) == plan.schedule.turns(of: 1))
    }

    @Test(
        "however late a fault comes, there is time to hear everyone that lives afterwards",
        arguments: [2, 3, 8, 9, 20], [0, 5, 11, 40])
    func timeAfterFaults(nodes: Int, second: Int64) {
        for act in [Fault.Act.restart(1), .block(0, 1), .kill(0)] {
            let plan = LabPlan(nodes: nodes, length: .seconds(12), faults: [Fault(act, at: .seconds(second))])
            let alive = (0..<nodes).filter(plan.isAliveAtEnd)
            for from in alive {
                for to in alive where to != from {
                    let last = plan.turnsExpected(from: from, to: to).last
                    #expect(last.map { .seconds(second) <= $0.start } == true, "\(from) to \(to), \(act)")
                }
            }
        }
    }

    private func peer(_ state: String, instance: UInt64) -> StatusDocument.Peer {
        let text = #"""
            {
              "name": "node 1", "profile": {}, "id": "X", "short_id": "x", "instance": \#(instance),
              "state": "\#(state)",
              "flapping": false, "leader": true, "talking": false, "recording": false, "muted": false, "gain_db": 0,
              "quality": 0, "failures": 0, "blocked": false
            }
            """#
        return try! DocumentJSON.document(StatusDocument.Peer.self, in: Array(text.utf8))
    }

    private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

    @Test("down and back are seen once each, by each observer for itself")
    func sightings() throws {
        var seen = PeerSightings(struck: 1, struckAt: at(1_000), instanceBefore: 4, observers: 3)
        seen.see(peer("up", instance: 4), by: 0, at: at(1_100))
        #expect(seen.downSeconds(by: 0) == nil)
        // Still being verified is not yet down.
        seen.see(peer("verifying", instance: 4), by: 0, at: at(2_000))
        #expect(seen.downSeconds(by: 0) == nil)
        seen.see(peer("down", instance: 4), by: 0, at: at(2_500))
        seen.see(peer("connecting", instance: 4), by: 0, at: at(2_600))
        #expect(seen.downSeconds(by: 0) == 1.5)
        #expect(seen.back(by: 0) == nil)
        seen.see(peer("up", instance: 5), by: 0, at: at(3_000))
        seen.see(peer("up", instance: 5), by: 0, at: at(9_000))
        let back = try #require(seen.back(by: 0))
        #expect(back == (2.0, 5))
        #expect(seen.downSeconds(by: 2) == nil)
    }

    @Test("a node that was killed itself is no observer of a later kill, but of an earlier one that it saw")
    func deadObserver() {
        let plan = self.plan([Fault(.kill(2), at: .seconds(3)), Fault(.restart(1), at: .seconds(6))])
        var seen = PeerSightings(struck: 1, struckAt: at(6_000), instanceBefore: 4, observers: 3)
        seen.see(nil, by: 0, at: at(6_500))
        #expect(LabReport.seen(seen, in: plan).map(\.by) == [0])
        seen.see(nil, by: 2, at: at(6_600))
        #expect(LabReport.seen(seen, in: plan).map(\.by) == [0, 2])
        #expect(LabReport.seen(seen, in: plan).map(\.downSeenS) == [0.5, 0.6])
    }

    @Test("the same instance up again is not back; no longer listed is down")
    func falseReturn() {
        var seen = PeerSightings(struck: 1, struckAt: at(0), instanceBefore: 4, observers: 1)
        seen.see(nil, by: 0, at: at(700))
        seen.see(peer("up", instance: 4), by: 0, at: at(900))
        #expect(seen.downSeconds(by: 0) == 0.7)
        #expect(seen.back(by: 0) == nil)
    }

    @Test("the kernel's line of a process is read, also with a name that holds spaces")
    func gauge() throws {
        let stat = "42 (a b) c) S 1 42 42 0 -1 4194304 100 0 0 0 150 50 0 0 20 0 4 0 1234 9999 2560 1 1"
        let gauge = try #require(ProcessGauge(stat: stat, ticksPerSecond: 100, pageBytes: 4_096))
        #expect(gauge.cpuSeconds == 2)
        #expect(gauge.residentMebibytes == 10)
        #expect(ProcessGauge(stat: "42 (x) S 1", ticksPerSecond: 100, pageBytes: 4_096) == nil)
        #expect(ProcessGauge(stat: "", ticksPerSecond: 100, pageBytes: 4_096) == nil)
    }

    @Test("a spread is the median and the largest")
    func spread() throws {
        let spread = try #require(LabReport.Spread([3, 1, 2.004]))
        #expect(spread.median == 2)
        #expect(spread.max == 3)
        #expect(LabReport.Spread([]) == nil)
    }
}
