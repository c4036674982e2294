import Channels
import NodeRuntime
import Primitives
import Testing

@Suite("Tables of talk keys")
struct KeyTableTests {
    private func keys(_ text: String) throws -> [KeyTable] {
        try ConfigurationFile.settings(in: text, path: "config.toml").keys
    }

    @Test("a table gives a key its name, targets, mode and terminal key")
    func whole() throws {
        let text = """
            mesh = "m"
            [[key]]
            name = "stage"
            channels = ["stage", "lights"]
            [[key]]
            name = "boss"
            peers = "FOH"
            reply = true
            mode = "latch"
            key = "B"
            """
        let read = try keys(text)
        #expect(read.map(\.name) == ["stage", "boss"])
        #expect(read[0].channels == ["stage", "lights"].compactMap { ChannelName($0) })
        #expect(read[0].mode == nil && read[0].terminalKey == nil && !read[0].isReply && !read[0].isToAll)
        #expect(read[1].peers == ["FOH"] && read[1].isReply && read[1].mode == .latch && read[1].terminalKey == "b")
    }

    @Test("a channel or peer that a table names twice is one target")
    func twice() throws {
        let text = """
            [[key]]
            name = "stage"
            channels = ["main", "Lights", "lights", "code:main", "main"]
            peers = ["FOH", "Bert", "FOH"]
            """
        let read = try keys(text)
        #expect(read[0].channels.map(\.description) == ["main", "Lights", "code:main"])
        #expect(read[0].peers == ["FOH", "Bert"])
    }

    @Test("a key is found by its name, and by its terminal key where no key has that name")
    func found() throws {
        let text = """
            [[key]]
            name = "2"
            channels = "a"
            [[key]]
            name = "boss"
            reply = true
            key = "b"
            [[key]]
            name = "all"
            all = true
            [[key]]
            name = "last"
            reply = true
            key = "2"
            """
        let book = KeyBook(try keys(text), mode: .ptt) { _ in ChannelID(high: 1, low: 2) }
        #expect(["2", "b", "BOSS", "3", "4", "1"].map { book.index(of: $0) } == [0, 1, 1, 2, nil, 0])
    }

    @Test("a key with reply and no mode of its own is pressed, also where other keys are not")
    func modeOfReply() throws {
        let tables = try keys("[[key]]\nname = \"a\"\nreply = true\n[[key]]\nname = \"b\"\nall = true")
        for talk in TalkMode.allCases {
            let book = KeyBook(tables, mode: talk) { _ in ChannelID(high: 1, low: 2) }
            #expect(book.modes == [talk == .vox || talk == .open ? .ptt : talk, talk])
        }
    }

    @Test(
        "the error of a mistake has the line of its key, also in a later table",
        arguments: [
            (
                "[[key]]\nchannels = \"a\"",
                "config.toml:1: 'name' is missing, expected a name of 1 to 24 bytes without spaces"
            ),
            (
                "[[key]]\nname = \"a b\"",
                "config.toml:2: 'name' is 'a b', expected a name of 1 to 24 bytes without spaces"
            ),
            (
                "[[key]]\nname = \"a\"",
                "config.toml:1: the key speaks to nobody, expected channels, peers, reply or all"
            ),
            (
                "[[key]]\nname = \"a\"\nall = true\n\n[[key]]\nname = \"b\"\nchanels = \"x\"",
                "config.toml:7: unknown key 'chanels' (did you mean 'channels'?)"
            ),
            (
                "[[key]]\nname = \"a\"\nall = true\nrole = \"x\"",
                "config.toml:4: unknown key 'role' in a talk key (a setting stands above all tables of talk keys)"
            ),
            (
                "[[key]]\nname = \"a\"\nall = true\nchannel = \"x\"",
                "config.toml:4: unknown key 'channel' (did you mean 'channels'?)"
            ),
            (
                "[[key]]\nname = \"a\"\nall = true\n[[key]]\nname = \"a\"\nall = true",
                "config.toml:5: two keys are called 'a'"
            ),
            ("[[key]]\nname = \"a\"\nall = 1", "config.toml:3: 'all' is a whole number, expected true or false"),
            (
                "[[key]]\nname = \"a\"\nmode = \"ptp\"\nall = true",
                "config.toml:3: 'mode' is 'ptp', expected one of ptt, latch, smart, vox, open"
            ),
            (
                "[[key]]\nname = \"a\"\nreply = true\nmode = \"vox\"",
                "config.toml:4: a key with reply is pressed: ptt, latch or smart"
            ),
            (
                "[[key]]\nname = \"a\"\nall = true\nkey = \"q\"",
                "config.toml:4: 'key' is 'q', expected one letter or digit other than a, c, q"
            ),
            (
                "[[key]]\nname = \"a\"\nall = true\nkey = \"A\"",
                "config.toml:4: 'key' is 'A', expected one letter or digit other than a, c, q"
            ),
            (
                "[[key]]\nname = \"a\"\nchannels = [\"\"]",
                "config.toml:3: 'channels' is '', expected channel names of 1 to 24 characters, for example "
                    + "[\"stage\", \"lights\"]"
            ),
            ("name = \"n\"\nkey = 3", "config.toml:2: 'key' is a whole number, expected tables [[key]]"),
        ])
    func mistakes(text: String, expected: String) {
        #expect { try keys(text) } throws: { "\($0)" == expected }
    }

    @Test("a ninth key is refused at its line")
    func tooMany() {
        let text = (1...9).map { "[[key]]\nname = \"k\($0)\"\nall = true\n" }.joined()
        #expect { try keys(text) } throws: { "\($0)" == "config.toml:25: a node has at most 8 keys" }
    }

    @Test("lines are right behind a text of several lines that looks like a table")
    func texts() {
        let text = "nick = \"\"\"\n[[key]]\nname = 1\n\"\"\"\n\n[[key]]\nname = 2\nall = true"
        #expect { try keys(text) } throws: { "\($0)".hasPrefix("config.toml:7: 'name' is a whole number") }
    }
}
