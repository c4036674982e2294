import NodeRuntime
import Testing

@Suite("The latest events that a node keeps")
struct LatestEventsTests {
    private func event(_ number: Int, text: String = "x", of kind: EventKind = .peerUp) -> EventDocument {
        EventDocument(
            json: """
                {"schema": "partyline.event/1", "station": "a", "sequence": \(number), "at_unix_s": 1, "uptime_s": 1,
                 "kind": "\(kind.rawValue)", "name": "b", "text": "\(text)", "details": {"instance": "1"}}
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

    @Test("events of one kind that come without end displace older events of that kind, and no others")
    func flood() {
        var latest = LatestEvents()
        let most = EventLimits.keptMax
        let rare: [EventKind] = [.peerUp, .deviceLost, .deviceBack]
        for (number, kind) in rare.enumerated() { latest.add(event(number, of: kind), of: kind) }
        for number in 3...(3 * most) { latest.add(event(number, of: .refused), of: .refused) }
        let first = UInt64(2 * most + 4)
        #expect(latest.events.map(\.sequence) == [0, 1, 2] + (first...UInt64(3 * most)).map { $0 })
    }

    @Test("kinds that come without end share the places, in the order of the events; a rare kind stays whole")
    func severalFloods() {
        var latest = LatestEvents()
        latest.add(event(0, of: .deviceLost), of: .deviceLost)
        for number in 1...1_000 {
            let kind: EventKind = number % 4 == 0 ? .call : .refused
            latest.add(event(number, of: kind), of: kind)
        }
        let kinds = Dictionary(grouping: latest.events, by: \.kind).mapValues(\.count)
        #expect(latest.events.count == EventLimits.keptMax && latest.events.first?.sequence == 0)
        #expect(kinds["device_lost"] == 1 && 99 <= kinds["call"] ?? 0 && 99 <= kinds["refused"] ?? 0)
        #expect(zip(latest.events, latest.events.dropFirst()).allSatisfy { $0.sequence < $1.sequence })
    }

    @Test("long texts of one kind displace no events of other kinds")
    func longTexts() {
        var latest = LatestEvents()
        latest.add(event(1), of: .peerUp)
        let half = String(repeating: "x", count: EventLimits.keptTextBytesMax / 2 - 20)
        for number in 2...9 { latest.add(event(number, text: half, of: .call), of: .call) }
        #expect(latest.events.map(\.sequence) == [1, 8, 9])
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
