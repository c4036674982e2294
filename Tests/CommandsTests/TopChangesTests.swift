import Commands
import NodeRuntime
import Testing

@Suite("The events and changes that partyline top tells")
struct TopChangesTests {
    private func event(_ kind: String, _ number: Int, details: String = "{}") -> EventDocument {
        EventDocument(
            json: """
                {"schema": "partyline.event/1", "station": "a", "sequence": \(number), "at_unix_s": 1, "uptime_s": 1,
                 "kind": "\(kind)", "text": "event \(number)", "details": \(details)}
                """)
    }

    @Test("the latest are kept, those about talking are not shown, and a gap in their numbers is counted")
    func add() {
        var view = TopScreenTests.alone
        view.add([event("peer_up", 1)] + (9...107).map { event("peer_up", $0) }) { _ in "now" }
        view.add([event("talking", 108), event("peer_up", 108), event("peer_up", 2)]) { _ in "now" }
        #expect(view.events.count == TopView.eventsMax && view.events.last?.text == "event 2")
        #expect(view.eventCount == 102 && view.eventsLeftOut == 7)
        let said = TopChanges.between(TopScreenTests.alone, view)
        #expect(said.count == TopView.eventsMax + 1 && said.last == "7 more events came too fast to be shown")
    }

    @Test("a change of the own name, of a channel here or of how others are heard is said, which is no event")
    func ownChanges() {
        let before = TopScreenTests.view
        var after = before
        after.status.node.profile = ProfileWords(nick: "LXX")
        after.channels.channels[0].levelDb = -7
        after.channels.channels[1].ear = "right"
        after.channels.channels[2].joined = false
        (after.status.audio.dimDb, after.status.peers[0].muted) = (10, true)
        #expect(
            TopChanges.between(before, after) == [
                "the nick is LXX now", "parted paging",
                "channel lights: listens and talks, -7.0 dB, left ear, a talk key speaks there",
                "channel stage: listens, +1.5 dB, right ear", "everything is lowered by 10.0 dB", "LX-DESK: muted",
            ])
        let back = TopChanges.between(after, before)
        for line in ["joined paging: talks", "nothing is lowered", "LX-DESK: heard as it comes"] {
            #expect(back.contains(line), "\(back)")
        }
    }

    @Test("another spelling of a channel, and a renaming, is said as a new name, and not as a parting")
    func newName() {
        let view = TopScreenTests.view
        var (spelled, renamed) = (view, view)
        spelled.channels.channels[0].name = "LIGHTS"
        (renamed.channels.channels[0].name, renamed.channels.channels[0].formerNames) = ("beams", ["dark", "Lights"])
        for after in [spelled, renamed] {
            let lines = TopChanges.between(view, after)
            #expect(lines.contains("channel lights is called \(after.channels.channels[0].name) now"), "\(lines)")
            #expect(!lines.contains { $0.hasPrefix("parted") || $0.hasPrefix("joined") }, "\(lines)")
        }
        spelled.add([event("channel_deleted", 1, details: #"{"channel": "lights", "now": "LIGHTS"}"#)]) { _ in "now" }
        let told = TopChanges.between(view, spelled)
        #expect(told.contains("now event 1") && !told.contains { $0.contains(" is called ") }, "\(told)")
        // The event comes after the list that has the new name.
        renamed.channels.channels[0].formerNames = ["lights"]
        var late = renamed
        late.add([event("channel_deleted", 1, details: #"{"channel": "lights", "now": "beams"}"#)]) { _ in "now" }
        #expect(TopChanges.between(renamed, late) == [])
        var latest = late
        latest.add([event("channel_deleted", 2, details: #"{"channel": "bar", "now": "beams"}"#)]) { _ in "now" }
        #expect(TopChanges.between(late, latest) == ["now event 2"], "this node was not on it")
        #expect(TopChanges.between(renamed, latest) == ["now event 1", "now event 2"])
        // The event comes before the list that has the new name.
        var early = view
        early.add([event("channel_deleted", 1, details: #"{"channel": "lights", "now": "beams"}"#)]) { _ in "now" }
        renamed.add([event("channel_deleted", 1, details: #"{"channel": "lights", "now": "beams"}"#)]) { _ in "now" }
        let later = TopChanges.between(early, renamed)
        #expect(!later.contains { $0.contains(" is called ") || $0.contains("event") }, "\(later)")
    }

    @Test("a trouble whose figures change is said once")
    func countdown() {
        func view(_ trouble: String?) -> TopView {
            var view = TopScreenTests.alone
            view.trouble = trouble
            return view
        }
        let (before, after) = (view("peer LX: dead within 180 s"), view("peer LX: dead within 179 s"))
        #expect(TopChanges.between(before, after) == [])
        #expect(TopChanges.between(view(nil), before) == ["trouble: peer LX: dead within 180 s"])
        #expect(TopChanges.between(after, view("peer LX 2: dead within 179 s")).count == 2)
        for (before, after) in [
            ("peer LX: 5.3 % of its packets are lost", "peer LX: 5.6 % of its packets are lost"),
            ("peer LX: left alone after 1 failure", "peer LX: left alone after 7 failures"),
        ] {
            #expect(TopChanges.between(view(before), view(after)) == [])
        }
    }

    @Test("an event is said once")
    func once() { #expect(TopChanges.between(TopScreenTests.view, TopScreenTests.view) == []) }
}
