import Mesh
import Primitives
import Testing
import Wire

@Suite("When rows and versions are told")
struct LinkAdvertisementScheduleTests {
    private let start = Instant.zero + .seconds(1_000)

    private func advertised(_ instant: Instant) -> LinkAdvertisementSchedule {
        var rows = LinkAdvertisementSchedule()
        rows.checked(now: instant, nextCheckAt: .distantFuture)
        rows.advertise([], now: instant)
        return rows
    }

    @Test(
        "the first change is told after 50 ms, a flapper's after four seconds",
        arguments: [
            (LinkNews.link, 50), (.path, 50), (.flap, 4_000),
        ] as [(LinkNews, Int64)])
    func first(_ news: LinkNews, milliseconds: Int64) {
        var rows = LinkAdvertisementSchedule()
        rows.change(news, now: start)
        #expect(rows.dueAt == start + .milliseconds(milliseconds))
        rows.checked(now: rows.dueAt, nextCheckAt: start + .seconds(60))
        #expect(rows.dueAt == start + .seconds(60))
    }

    @Test(
        "after a telling a link waits for the second to end, a path for four, and neither where that is over",
        arguments: [
            (LinkNews.link, 100, 1_000), (.link, 2_000, 2_050), (.path, 100, 4_000), (.path, 5_000, 5_050),
            (.flap, 100, 4_100),
        ] as [(LinkNews, Int64, Int64)])
    func apart(_ news: LinkNews, after: Int64, due: Int64) {
        var rows = advertised(start)
        rows.change(news, now: start + .milliseconds(after))
        #expect(rows.dueAt == start + .milliseconds(due))
    }

    @Test("who looked in vain a moment ago looks again a second later, and what is due earlier stays so")
    func looked() {
        var rows = advertised(start)
        rows.checked(now: start + .seconds(9), nextCheckAt: .distantFuture)
        rows.change(.path, now: start + .milliseconds(9_200))
        #expect(rows.dueAt == start + .seconds(10))
        rows.change(.flap, now: start + .milliseconds(9_300))
        #expect(rows.dueAt == start + .seconds(10))
    }

    @Test("tellings are counted, and the last is kept")
    func tellings() {
        var rows = LinkAdvertisementSchedule()
        #expect(rows.number == 0 && rows.advertised.isEmpty)
        let row = [ScriptedMesh.entry(NodeID(words: (1, 0, 0, 0)))]
        rows.advertise(row, now: start)
        #expect(rows.number == 1 && rows.advertised == row)
    }

    private func entry(_ rtt: UInt8, _ loss: UInt8, _ path: PathKind = .direct, instance: UInt64 = 1) -> AdvertisedLink
    {
        ScriptedMesh.entry(NodeID(words: (1, 0, 0, 0)), path, rtt: rtt, loss: loss, instance: instance)
    }

    @Test("one class more or less of delay or loss is no news; two are, and another path or boot")
    func settling() {
        let advertised = [entry(4, 3)]
        for same in [entry(3, 3), entry(5, 3), entry(4, 2), entry(4, 4), entry(5, 4)] {
            #expect([same].settled(after: advertised) == advertised)
        }
        for news in [
            entry(2, 3), entry(6, 3), entry(4, 1), entry(4, 5), entry(4, 3, .relay), entry(4, 3, instance: 2),
        ] {
            #expect([news].settled(after: advertised) == [news])
        }
        let other = ScriptedMesh.entry(NodeID(words: (2, 0, 0, 0)), rtt: 4, loss: 3)
        #expect([other].settled(after: advertised) == [other])
    }

    @Test("changes name the lost first, then what is new, and nothing that is the same")
    func changes() {
        let names = (1...4 as ClosedRange<UInt64>).map { NodeID(words: ($0, 0, 0, 0)) }
        let entries = names.map { ScriptedMesh.entry($0) }
        let slow = ScriptedMesh.entry(names[1], rtt: 9)
        let changes = [entries[0], slow, entries[3]].changes(since: Array(entries[0..<3]))
        #expect(changes == [.lost(names[2]), .advertised(slow), .advertised(entries[3])])
        #expect(Array(entries[0..<3]).applying(changes) == [entries[0], slow, entries[3]])
        #expect([entries[0]].applying([.advertised(entries[1]), .lost(names[0])]) == [entries[1]])
    }

    @Test(
        "versions are compared 600 ms after a difference, and a second after the last exchange",
        arguments: [
            (0, 1_000), (399, 1_000), (400, 1_000), (401, 1_001), (900, 1_500),
        ] as [(Int64, Int64)])
    func versions(_ after: Int64, due: Int64) {
        var versions = VersionsSchedule()
        versions.sent(own: 1, peer: 2, now: start)
        #expect(versions.sentAt == start && versions.dueAt == .distantFuture)
        versions.differ(own: 5, peer: 2, now: start + .milliseconds(after))
        #expect(versions.dueAt == start + .milliseconds(due))
        // What is due earlier stays due.
        versions.differ(own: 5, peer: 2, now: start + .milliseconds(after + 300))
        #expect(versions.dueAt == start + .milliseconds(due))
    }

    @Test("a difference that an exchange has healed begins the waits anew")
    func healed() {
        var versions = VersionsSchedule()
        for _ in 0..<5 { versions.sent(own: 1, peer: 2, now: start) }
        versions.sent(own: 1, peer: 3, now: start)
        versions.differ(own: 1, peer: 3, now: start)
        #expect(versions.dueAt == start + .seconds(1))
        versions.sent(own: 1, peer: 3, now: start)
        versions.differ(own: 1, peer: 3, now: start)
        #expect(versions.dueAt == start + .seconds(2))
    }
}
