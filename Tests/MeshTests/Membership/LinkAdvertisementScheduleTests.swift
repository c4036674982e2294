import Mesh
import Primitives
import Testing
import Wire

@Suite("When link states and versions are sent")
struct LinkAdvertisementScheduleTests {
    private let start = Instant.zero + .seconds(1_000)

    private func advertised(_ instant: Instant) -> LinkAdvertisementSchedule {
        var rows = LinkAdvertisementSchedule()
        rows.checked(now: instant, nextCheckAt: .distantFuture)
        rows.advertise([], now: instant)
        return rows
    }

    @Test(
        "the first change is advertised after 50 ms, and the change of a flapping link after four seconds",
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
        "a change follows the last advertisement by at least one second for a link, and by four for a path",
        arguments: [
            (LinkNews.link, 100, 1_000), (.link, 2_000, 2_050), (.path, 100, 4_000), (.path, 5_000, 5_050),
            (.flap, 100, 4_100),
        ] as [(LinkNews, Int64, Int64)])
    func apart(_ news: LinkNews, after: Int64, due: Int64) {
        var rows = advertised(start)
        rows.change(news, now: start + .milliseconds(after))
        #expect(rows.dueAt == start + .milliseconds(due))
    }

    @Test("a change waits a second after a check that found nothing, and an earlier due time stays")
    func looked() {
        var rows = advertised(start)
        rows.checked(now: start + .seconds(9), nextCheckAt: .distantFuture)
        rows.change(.path, now: start + .milliseconds(9_200))
        #expect(rows.dueAt == start + .seconds(10))
        rows.change(.flap, now: start + .milliseconds(9_300))
        #expect(rows.dueAt == start + .seconds(10))
    }

    @Test("the schedule counts advertisements, and keeps the last one")
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

    @Test("a change by one class of delay or loss is not advertised; by two classes, of path or of boot it is")
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

    @Test("changes list lost links first, then new and changed ones, and no unchanged link")
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
        "versions are compared 600 ms after a difference, and at least a second after the last exchange",
        arguments: [
            (0, 1_000), (399, 1_000), (400, 1_000), (401, 1_001), (900, 1_500),
        ] as [(Int64, Int64)])
    func versions(_ after: Int64, due: Int64) {
        var versions = VersionsSchedule()
        versions.sent(own: 1, peer: 2, now: start)
        #expect(versions.sentAt == start && versions.dueAt == .distantFuture)
        versions.differ(own: 5, peer: 2, now: start + .milliseconds(after))
        #expect(versions.dueAt == start + .milliseconds(due))
        // An earlier due time stays.
        versions.differ(own: 5, peer: 2, now: start + .milliseconds(after + 300))
        #expect(versions.dueAt == start + .milliseconds(due))
    }

    @Test("when an exchange has changed a digest, the waits start again at one second")
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
