import Mesh
import Primitives
import Testing
import Wire

@Suite("When link states and versions are sent")
struct LinkStatesScheduleTests {
    private let start = Instant.zero + .seconds(1_000)

    private func advertised(_ instant: Instant) -> LinkStatesSchedule {
        var schedule = LinkStatesSchedule()
        schedule.compared(isAnySent: true, linkCount: 1, now: instant)
        return schedule
    }

    @Test(
        "the first change is advertised after 50 ms, and the change of a flapping link after four seconds",
        arguments: [
            (LinkNews.link, 50), (.path, 50), (.flap, 4_000),
        ] as [(LinkNews, Int64)])
    func first(_ news: LinkNews, milliseconds: Int64) {
        var schedule = LinkStatesSchedule()
        schedule.change(news, now: start)
        #expect(schedule.dueAt == start + .milliseconds(milliseconds))
        let comparedAt = schedule.dueAt
        schedule.compared(isAnySent: true, linkCount: 0, now: comparedAt)
        #expect(schedule.dueAt == .distantFuture)
    }

    @Test(
        "a change follows the last advertisement by at least one second for a link, and by four for a path",
        arguments: [
            (LinkNews.link, 100, 1_000), (.link, 2_000, 2_050), (.path, 100, 4_000), (.path, 5_000, 5_050),
            (.flap, 100, 4_100),
        ] as [(LinkNews, Int64, Int64)])
    func apart(_ news: LinkNews, after: Int64, due: Int64) {
        var schedule = advertised(start)
        schedule.change(news, now: start + .milliseconds(after))
        #expect(schedule.dueAt == start + .milliseconds(due))
    }

    @Test("a comparison that sent nothing delays no later one, and an earlier due time stays")
    func compared() {
        var schedule = advertised(start)
        schedule.compared(isAnySent: false, linkCount: 1, now: start + .seconds(9))
        schedule.change(.path, now: start + .milliseconds(9_200))
        #expect(schedule.dueAt == start + .milliseconds(9_250))
        schedule.change(.flap, now: start + .milliseconds(9_230))
        #expect(schedule.dueAt == start + .milliseconds(9_250))
    }

    @Test("after classes alone were sent, classes wait five seconds for each link, and a changed link does not wait")
    func classesAlone() {
        var schedule = advertised(start)
        #expect(schedule.dueAt == start + .seconds(10))
        for number in [1, 2] as [Int64] {
            // The second comparison comes later, because the first one sent classes.
            let now = schedule.dueAt
            #expect(now == start + .seconds(number == 1 ? 10 : 75))
            schedule.compared(isAnySent: true, linkCount: 11, now: now)
            #expect(schedule.dueAt == now + .seconds(65))
        }
        var idle = schedule
        idle.compared(isAnySent: false, linkCount: 11, now: schedule.dueAt)
        #expect(idle.dueAt == schedule.dueAt + .seconds(10))
        let changedAt = start + .seconds(100)
        schedule.change(now: changedAt)
        #expect(schedule.dueAt == changedAt + .milliseconds(50))
        schedule.compared(isAnySent: true, linkCount: 11, now: schedule.dueAt)
        #expect(schedule.dueAt == changedAt + .milliseconds(10_050))
    }

    private func entry(_ rtt: UInt8, _ loss: UInt8, _ path: PathKind = .direct, instance: UInt64 = 1) -> AdvertisedLink
    {
        ScriptedMesh.entry(NodeID(words: (1, 0, 0, 0)), path, rtt: rtt, loss: loss, instance: instance)
    }

    @Test("a change by one class of delay or loss is not advertised; by two classes, of path or of boot it is")
    func settling() {
        let advertised = LinkStates([entry(4, 3)])
        for same in [entry(3, 3), entry(5, 3), entry(4, 2), entry(4, 4), entry(5, 4)] {
            #expect(LinkStates([same], settledAfter: advertised) == advertised)
        }
        for news in [
            entry(2, 3), entry(6, 3), entry(4, 1), entry(4, 5), entry(4, 3, .relay), entry(4, 3, instance: 2),
        ] {
            #expect(LinkStates([news], settledAfter: advertised) == LinkStates([news]))
        }
        let other = ScriptedMesh.entry(NodeID(words: (2, 0, 0, 0)), rtt: 4, loss: 3)
        #expect(LinkStates([other], settledAfter: advertised) == LinkStates([other]))
    }
}
