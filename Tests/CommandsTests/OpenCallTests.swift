import Commands
import NodeRuntime
import Testing

@Suite("A call that waits, and do-not-disturb, as people see them")
struct OpenCallTests {
    /// A call of DIMMER to a channel that came 12 s ago, and after it one of a node that is no peer any more, to all.
    static let calls = [
        CallsDocument.Incoming(
            json: #"{"id": "1a2b", "peer": "2be0-7701", "name": "DIMMER", "target": "channel", "channel": "stage", "#
                + #""text": "ready?", "urgent": false, "state": "shown", "age_s": 12.2, "left_s": 18}"#),
        CallsDocument.Incoming(
            json: #"{"id": "3c4d", "peer": "0", "name": "SM", "target": "all", "urgent": true, "state": "shown", "#
                + #""age_s": 3, "left_s": 18}"#),
    ]

    @Test("a call that waits stands above the node, and in the live line with the key that answers it")
    func waitingCallInStatus() {
        var status = StatusTextTests.status
        (status.node.calls, status.peers[1].otherKey) = ([Self.calls[0]], "ID2")
        let one = StatusText(status, paint: .plain).lines.drop { !$0.hasPrefix("calls") }.prefix(2)
        #expect(
            Array(one) == [
                "calls   CALL from ?DIMMER on stage, 12 s ago: ready?", "        `partyline answer` takes it",
            ])
        let live = LiveLine.text(status, columns: 80)
        #expect(live.hasPrefix("-----  CALL from ?DIMMER on stage, a answers  ") && Columns.width(live) < 80)
        status.node.calls = Self.calls
        let two = StatusText(status, paint: .plain).lines.drop { !$0.hasPrefix("calls") }.prefix(3)
        #expect(
            Array(two) == [
                "calls   URGENT CALL from SM to all, 3 s ago",
                "        CALL from ?DIMMER on stage, 12 s ago: ready?",
                "        `partyline answer` takes the first one",
            ])
        #expect(LiveLine.text(status, columns: 80).hasPrefix("-----  URGENT CALL from SM to all, a answers  "))
    }

    @Test("do-not-disturb has a line in the status")
    func doNotDisturbInStatus() {
        var status = StatusTextTests.status
        status.node.doNotDisturb = true
        let line = "calls   do-not-disturb is on: only urgent calls are shown"
        #expect(StatusText(status, paint: .plain).lines.contains(line))
    }

    @Test("a call that waits has a line with the key that answers it, as long as it waits; the key is never cut off")
    func waitingCall() {
        var view = TopScreenTests.view
        view.status.node.calls = [Self.calls[0]]
        let lines = TopScreen(view, columns: 80, rows: 24, paint: .plain).lines
        #expect(lines.count == 24 && lines[1] == "CALL from DIMMER on stage, 12 s ago: ready?  press a to answer")
        let narrow = TopScreen(view, columns: 40, rows: 24, paint: .plain).lines[1]
        #expect(narrow == "CALL from DIMMER on ~  press a to answer")
        view.status.node.calls = Self.calls
        #expect(
            TopScreen(view, columns: 80, rows: 24, paint: .plain).lines[1]
                == "URGENT CALL from SM to all, 3 s ago  (+1: partyline calls)  press a to answer")
    }

    @Test("the plain form has a call that waits, says it when it comes, and when it waits no more")
    func waitingCallPlain() {
        let before = TopScreenTests.view
        var after = before
        after.status.node.calls = [Self.calls[0]]
        #expect(TopChanges.all(after)[1] == "CALL from DIMMER on stage, 12 s ago: ready?; press a to answer")
        #expect(TopChanges.between(before, after) == ["CALL from DIMMER on stage; press a to answer"])
        #expect(TopChanges.between(after, before) == ["no more: CALL from DIMMER on stage"])
        let piped = TopChanges.all(after, readsKeys: false)[1]
        #expect(piped == "CALL from DIMMER on stage, 12 s ago: ready?; `partyline answer` answers")
        #expect(
            TopChanges.between(before, after, readsKeys: false) == [
                "CALL from DIMMER on stage; `partyline answer` answers"
            ])
    }

    @Test("the plain form says a second call of one caller, and says no call again where its caller gets a mark")
    func sameCaller() {
        var one = TopScreenTests.view
        one.status.node.calls = [Self.calls[0]]
        var two = one
        var second = Self.calls[0]
        second.id = "5e6f"
        two.status.node.calls.append(second)
        #expect(TopChanges.between(one, two) == ["CALL from DIMMER on stage; press a to answer"])
        #expect(TopChanges.between(two, one) == ["no more: CALL from DIMMER on stage"])
        var marked = one
        marked.status.peers[2].otherKey = "ID2"
        #expect(TopChanges.all(marked)[1].hasPrefix("CALL from ?DIMMER on stage"))
        #expect(TopChanges.between(one, marked).isEmpty)
    }

    @Test("do-not-disturb stands in the first row, and the plain form says when it changes")
    func doNotDisturb() {
        let before = TopScreenTests.view
        var after = before
        after.status.node.doNotDisturb = true
        let first = TopScreen(after, columns: 80, rows: 24, paint: .plain).lines[0]
        #expect(first.contains("  DO NOT DISTURB  3 of 4 linked"))
        let sentence = "do-not-disturb is on: only urgent calls are shown"
        #expect(TopChanges.all(after)[1] == sentence && TopChanges.between(before, after) == [sentence])
        #expect(TopChanges.between(after, before) == ["do-not-disturb is off"])
    }
}
