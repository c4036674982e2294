import Commands
import NodeRuntime
import Testing

@Suite("The list of calls as text")
struct CallTableTests {
    private static func incoming(
        _ name: String, _ target: String, state: String, urgent: Bool, left: Double
    ) -> String {
        #"{"id": "1a2b3c4d5e6f7081", "peer": "4f2a-91c0", "name": "\#(name)", \#(target), "urgent": \#(urgent), "#
            + #""state": "\#(state)", "age_s": 3, "left_s": \#(left)}"#
    }

    private static let receivers = ["SM", "FOH", "SOUND", "LX", "RIGGING", "FOLLOW SPOT"].map {
        #"{"peer": "0", "name": "\#($0)", "answer": "accepted"}"#
    }.joined(separator: ", ")

    private static func document(
        _ incoming: [String], _ outgoing: [String] = [], isQuiet: Bool = false
    ) -> CallsDocument {
        CallsDocument(
            json: #"{"schema": "partyline.calls/1", "do_not_disturb": \#(isQuiet), "#
                + #""incoming": [\#(incoming.joined(separator: ", "))], "#
                + #""outgoing": [\#(outgoing.joined(separator: ", "))]}"#)
    }

    @Test("a line for each call, the answers to the own ones below, within 80 columns")
    func lines() {
        let own =
            #"{"id": "ffee3c4d5e6f7081", "target": "channel", "channel": "a name of 24 characters!", "urgent": false, "#
            + #""state": "open", "age_s": 1, "left_s": 29.4, "receivers": [\#(Self.receivers)]}"#
        let document = Self.document(
            [
                Self.incoming("LX", #""target": "peer", "text": "ready?""#, state: "shown", urgent: true, left: 24.2),
                Self.incoming(
                    "A STAGE MANAGER", #""target": "channel", "channel": "stage""#, state: "withdrawn", urgent: false,
                    left: 0),
            ], [own], isQuiet: true)
        let lines = CallTable(document, paint: .plain).lines
        #expect(
            lines == [
                "FROM         ID   TO             STATE       LEFT TEXT",
                "LX           1a2b you            shown!       24s ready?",
                "A STAGE MAN~ 1a2b #stage         withdrawn      - ",
                "MINE         ID   TO             STATE       LEFT ANSWERS",
                "-            ffee #a name of 24~ open         29s SM accepted  FOH accepted",
                "                                                  SOUND accepted  LX accepted",
                "                                                  RIGGING accepted",
                "                                                  FOLLOW SPOT accepted",
                "do-not-disturb is on: only urgent calls are shown",
            ])
        #expect(lines.allSatisfy { Columns.width($0) <= Columns.lineMax })
    }

    @Test("an own call to one peer shows its name")
    func ownToPeer() {
        let own =
            #"{"id": "ffee3c4d5e6f7081", "target": "peer", "text": "ready?", "urgent": false, "state": "open", "#
            + #""age_s": 1, "left_s": 29.4, "receivers": [{"peer": "0", "name": "LX", "answer": "shown"}]}"#
        #expect(
            CallTable(Self.document([], [own]), paint: .plain).lines == [
                "MINE         ID   TO             STATE       LEFT ANSWERS",
                "ready?       ffee LX             open         29s LX shown",
            ])
    }

    @Test("no calls are said in words, and text of a peer cannot disturb the terminal")
    func corners() {
        #expect(CallTable(Self.document([]), paint: .plain).lines == ["no calls"])
        let hostile = Self.incoming(
            #"L\u001b[2JX"#, #""target": "all", "text": "a\u202eb""#, state: "shown", urgent: false, left: 1)
        let lines = CallTable(Self.document([hostile]), paint: .plain).lines
        #expect(lines[1] == "L[2JX        1a2b all            shown         1s ab")
    }
}
