import Mesh
import Primitives
import Testing

@Suite("When versions are compared")
struct VersionsScheduleTests {
    private let start = Instant.zero + .seconds(1_000)

    @Test("the first comparison comes soon, and the waits double from 1 s to 60 s while nothing changes")
    func doubling() {
        var versions = VersionsSchedule()
        versions.differ(own: 1, peer: 2, now: start)
        #expect(versions.dueAt == start + MeshLimits.antiEntropyDelay)
        var now = versions.dueAt
        var waits: [Interval] = []
        for _ in 0..<9 {
            versions.sent(own: 1, peer: 2, now: now)
            versions.differ(own: 1, peer: 2, now: now)
            waits.append(versions.dueAt - now)
            now = versions.dueAt
        }
        #expect(waits.map { $0.milliseconds / 1_000 } == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    }

    @Test("a changed digest on either side ends the wait")
    func change() {
        for (own, peer) in [(9, 2), (1, 9)] as [(UInt32, UInt32)] {
            var versions = VersionsSchedule()
            for second in 0..<4 { versions.sent(own: 1, peer: 2, now: start + .seconds(Int64(second) * 10)) }
            let now = start + .seconds(31)
            versions.differ(own: 1, peer: 2, now: now)
            #expect(now + .seconds(2) < versions.dueAt)
            versions.differ(own: own, peer: peer, now: now)
            #expect(versions.dueAt == now + MeshLimits.antiEntropyDelay)
        }
    }

    @Test("a new session compares at once; after its end nothing is due")
    func ends() {
        var versions = VersionsSchedule()
        versions.sent(own: 1, peer: 2, now: start)
        versions.begin(now: start)
        #expect(versions.dueAt == start)
        versions.end()
        #expect(versions.dueAt == .distantFuture)
    }
}
