import Commands
import NodeRuntime
import Testing

@Suite("The list of channels as text")
struct ChannelTableTests {
    private static let document = ChannelsDocument(
        json: #"""
            {
              "schema": "partyline.channels/1",
              "channels": [
                {
                  "name": "lights", "id": "00", "creator": "4f2a-91c0", "creator_name": "FOH", "created_unix_s": 1,
                  "members": ["SM", "LX"], "joined": true, "hidden": false
                },
                {
                  "name": "a name of 24 characters!", "id": "01", "creator": "4f2a-91c0",
                  "creator_name": "STAGE MANAGER", "created_unix_s": 1,
                  "members": ["one", "two", "three", "four", "five", "six", "seven", "eight"], "joined": false,
                  "hidden": false
                },
                {
                  "name": "old", "id": "02", "creator": "4f2a-91c0", "creator_name": "FOH", "created_unix_s": 1,
                  "members": [], "joined": false, "hidden": true
                }
              ]
            }
            """#)

    @Test("a line for each channel that is not hidden, within 80 columns")
    func lines() {
        let lines = ChannelTable(Self.document, showsHidden: false, paint: .plain).lines
        #expect(
            lines == [
                "  CHANNEL                  CREATOR      MEMBERS",
                "* lights                   FOH          SM  LX",
                "  a name of 24 characters! STAGE MANAG~ one  two  three  four  five  six  seven",
                "                                        eight",
            ])
        #expect(lines.allSatisfy { Columns.width($0) <= Columns.lineMax })
    }

    @Test("hidden channels are listed on demand, and an empty list says so")
    func hidden() {
        let lines = ChannelTable(Self.document, showsHidden: true, paint: .plain).lines
        #expect(lines.last == "  old                      FOH          -")
        let empty = ChannelsDocument(json: #"{"schema": "partyline.channels/1", "channels": []}"#)
        #expect(ChannelTable(empty, showsHidden: true, paint: .plain).lines == ["no channels known yet"])
    }
}
