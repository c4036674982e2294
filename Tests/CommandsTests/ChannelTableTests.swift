import Commands
import NodeRuntime
import Testing

@Suite("The list of channels as text")
struct ChannelTableTests {
    private static func channel(_ name: String, creator: String? = "FOH", here: String, members: String) -> String {
        let creator = creator.map { #""creator": "4f2a-91c0", "creator_name": "\#($0)", "created_unix_s": 1,"# } ?? ""
        return #"{"name": "\#(name)", "id": "00", "has_code": false, "shared_with": [], "undecided": [], "#
            + #""deleted": false, \#(creator) "#
            + #"\#(here), \#(members)}"#
    }

    private static func absent(hidden: Bool) -> String {
        #""joined": false, "hidden": \#(hidden), "listens": false, "talks": false, "talk_keys": []"#
    }

    private static func joined(level: Double, ear: String, talks: Bool, keys: String = "[]") -> String {
        #""joined": true, "hidden": false, "level_db": \#(level), "ear": "\#(ear)", "listens": true, "#
            + #""talks": \#(talks), "talk_keys": \#(keys)"#
    }

    private static let talkOnly =
        #""joined": true, "hidden": false, "listens": false, "talks": true, "talk_keys": []"#
    private static let eight = #"["one", "two", "three", "four", "five", "six", "seven", "eight"]"#

    private static func document(_ channels: [String]) -> ChannelsDocument {
        ChannelsDocument(
            json: #"{"schema": "partyline.channels/1", "channels": [\#(channels.joined(separator: ", "))],"#
                + #""privately": [], "to_all": []}"#)
    }

    static let document = document([
        channel(
            "lights", here: joined(level: -6, ear: "left", talks: true, keys: #"["main", "boss"]"#),
            members: #""members": ["SM", "LX"], "talking": ["LX", "Hall"]"#),
        channel(
            "stage", creator: nil, here: joined(level: 1.5, ear: "both", talks: false),
            members: #""members": [], "talking": []"#),
        channel("paging", here: talkOnly, members: #""members": ["Hall"], "talking": []"#),
        channel(
            "a name of 24 characters!", creator: "STAGE MANAGER", here: absent(hidden: false),
            members: #""members": \#(eight), "talking": []"#),
        channel("old", here: absent(hidden: true), members: #""members": [], "talking": []"#),
    ])

    @Test("a line for each channel that is not hidden, within 80 columns")
    func lines() {
        let lines = ChannelTable(Self.document, showsHidden: false, paint: .plain).lines
        #expect(
            lines == [
                "  CHANNEL                   LEVEL EAR   USE    CREATOR      MEMBERS",
                "> lights                     -6.0 left  both   FOH          you  SM  LX!  Hall!",
                "    keys  main  boss",
                "* stage                      +1.5 both  listen -            you",
                "* paging                        - -     talk   FOH          you  Hall",
                "  a name of 24 characters!      - -     -      STAGE MANAG~ one  two  three",
                "                                                            four  five  six",
                "                                                            seven  eight",
                "  1 hidden; `partyline channels --all` lists all",
                "", "* joined   > a talk key speaks there   NAME! talks there now",
            ])
        #expect(lines.allSatisfy { Columns.width($0) <= Columns.lineMax })
    }

    @Test("no line is wider than 80 columns, and none holds a control character, whatever the names are")
    func width() {
        let wide = String(repeating: "漢", count: 24)
        let keys = #"["\#(wide)", "\#(wide)", "a\u001B[2J"]"#
        let document = Self.document([
            Self.channel(
                wide, creator: wide, here: Self.joined(level: -60, ear: "right", talks: true, keys: keys),
                members: #""members": ["\#(wide)", "b\u202Ec"], "talking": ["\#(wide)"]"#),
            Self.channel(
                #"a\u001B[2J"#, here: Self.absent(hidden: false), members: #""members": [], "talking": []"#),
        ])
        let lines = ChannelTable(document, showsHidden: false, paint: .plain).lines
        #expect(lines.allSatisfy { Columns.width($0) <= Columns.lineMax && !$0.contains("\u{1B}") })
    }

    @Test("the keys that speak on a channel stand below it, but not the only key of a node without key tables")
    func keys() {
        var document = Self.document
        document.channels[1].talkKeys = ["boss"]
        let lines = ChannelTable(document, showsHidden: false, paint: .plain).lines
        #expect(lines[2] == "    keys  main  boss" && lines[4] == "    keys  boss", "\(lines)")
        for index in 0...1 { document.channels[index].talkKeys = [KeyBook.onlyName] }
        let plain = ChannelTable(document, showsHidden: false, paint: .plain).lines
        #expect(plain[1].hasPrefix("> lights ") && plain[2].hasPrefix("> stage "), "\(plain)")
    }

    @Test("a channel with a code is explained, and one that nobody else has with it says so")
    func codes() {
        var document = Self.document
        for index in 0...2 { document.channels[index].hasCode = true }
        document.channels[0].sharedWith = ["SM"]
        (document.channels[0].name, document.channels[1].name) = ("code:lights", "code:stage")
        (document.channels[2].joined, document.channels[2].members) = (false, [])
        let lines = ChannelTable(document, showsHidden: false, paint: .plain).lines
        #expect(lines[1].hasPrefix("> code:lights ") && lines[1].hasSuffix("SM  LX!  Hall!"))
        #expect(lines[3].hasPrefix("* code:stage ") && lines[3].hasSuffix("nobody else yet"))
        #expect(lines[4].hasPrefix("  paging ") && lines[4].hasSuffix("code is kept"))
        #expect(lines.last == "code:NAME is only for those who have joined it with its code")
        #expect(lines.allSatisfy { Columns.width($0) <= Columns.lineMax })
    }

    @Test("a deleted channel says so, and the talk beside the channels stands below the table")
    func deleted() {
        var document = Self.document
        document.channels[1].deleted = true
        (document.privately, document.toAll) = (["LX"], ["FOH"])
        let lines = ChannelTable(document, showsHidden: false, paint: .plain).lines
        #expect(lines.contains("* stage                      +1.5 both  listen (deleted)    you"))
        #expect(lines.suffix(5).prefix(2) == ["LX talks privately to you", "FOH talks to all"])
        #expect(lines.last?.hasPrefix("(deleted) ") == true && lines.allSatisfy { Columns.width($0) <= 80 })
    }

    @Test("hidden channels are listed on demand, and an empty list says so")
    func hidden() {
        let lines = ChannelTable(Self.document, showsHidden: true, paint: .plain).lines
        #expect(lines.contains { $0.hasPrefix("  old  ") } && !lines.contains { $0.contains("hidden") })
        var joined = Self.document
        joined.channels[0].hidden = true
        let shown = ChannelTable(joined, showsHidden: false, paint: .plain).lines
        #expect(shown.contains { $0.hasPrefix("> lights ") } && shown.contains { $0.hasPrefix("  1 hidden;") })
        #expect(
            ChannelTable(Self.document([]), showsHidden: true, paint: .plain).lines == [
                "no channels known yet; `partyline join NAME` joins one"
            ])
    }
}
