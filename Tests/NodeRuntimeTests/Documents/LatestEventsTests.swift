import NodeRuntime
import Testing

@Suite("The latest events that a node keeps")
struct LatestEventsTests {
    private func event(_ number: Int, text: String = "x") -> EventDocument {
        EventDocument(
            json: """
                {"schema": "partyline.event/1", "station": "a", "sequence": \(number), "at_unix_s": 1, "uptime_s": 1,
                 "kind": "peer_up", "name": "b", "text": "\(text)", "details": {"instance": "1"}}
                """)
    }

    @Test("only so many are kept, the newest")
    func count() {
        var latest = LatestEvents()
        let most = EventLimits.keptMax
        for number in 1...(most + 7) { latest.add(event(number), of: .peerUp) }
        #expect(latest.events.map(\.sequence) == (8...UInt64(most + 7)).map { $0 })
    }

    @Test("events with long texts displace more of the older ones; one that is too long is not kept")
    func bytes() {
        var latest = LatestEvents()
        let half = String(repeating: "x", count: EventLimits.keptTextBytesMax / 2 - 20)
        for number in 1...3 { latest.add(event(number, text: half), of: .peerUp) }
        #expect(latest.events.map(\.sequence) == [2, 3])
        latest.add(event(4, text: half + half + half), of: .peerUp)
        #expect(latest.events.isEmpty)
        latest.add(event(5), of: .peerUp)
        #expect(latest.events.map(\.sequence) == [5])
    }

    @Test(
        "events of talk and answers to pings are not kept",
        arguments: [EventKind.talking, .privateTalk, .talkToAll, .probeAnswered])
    func displacing(kind: EventKind) {
        var latest = LatestEvents()
        latest.add(event(1), of: .peerUp)
        latest.add(event(2), of: kind)
        #expect(latest.events.map(\.sequence) == [1])
    }
}
