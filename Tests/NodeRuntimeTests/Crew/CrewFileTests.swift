import Channels
import Foundation
import NodeRuntime
import Primitives
import TestKit
import Testing

@Suite("crew files")
struct CrewFileTests {
    private static let head = "[[channel]]\nname = \"stage\"\n[[channel]]\nname = \"lights\"\n"

    /// The mistakes of a file, without its name: `LINE: PROBLEM`.
    private static func mistakes(_ text: String) -> [String] {
        do throws(ConfigurationMistakes) {
            _ = try CrewFile(text, path: "crew.toml")
            return []
        } catch {
            return error.all.map { $0.description.replacing("crew.toml:", with: "") }
        }
    }

    @Test("a role has its channels, and the settings of the crew that it does not change")
    func role() throws {
        let crew = try CrewFile(
            """
            [crew]
            name = "Royal"
            mesh = "royal"
            talk = "latch"
            [[channel]]
            name = "stage"
            [[channel]]
            name = "relay"
            programme = true
            [role."stage manager"]
            talk = "open"
            channels = [
                "stage",
                { name = "Relay", level = -6.5, ear = "left" },
            ]
            [role.feed]
            channels = [{ name = "relay", talk-only = true }]
            [[role.feed.key]]
            name = "relay"
            channels = ["relay"]
            """, path: "crew.toml")
        #expect(crew.name == "Royal" && crew.roles.map(\.name) == ["stage manager", "feed"])
        let manager = try crew.role("stage manager", at: .option("--role"))
        #expect(manager.settings.value(.talk)?.text == "open" && manager.settings.value(.mesh)?.text == "royal")
        let (stage, relay) = (try ChannelName(typed: "stage"), try ChannelName(typed: "relay"))
        #expect(
            manager.channels == [
                ChannelWish(stage),
                ChannelWish(relay, levelTenths: -65, ear: .left, manner: .listenOnly, programme: .on(dimTenths: nil)),
            ])
        let feed = try crew.role("feed", at: .option("--role"))
        #expect(feed.channels == [ChannelWish(relay, manner: .talkOnly)])
        #expect(feed.settings.value(.talk)?.text == "latch" && feed.settings.keys.map(\.name) == ["relay"])
    }

    @Test(
        "a flag that is false takes back what the last run had; one that is absent is left open",
        arguments: [
            ("", "", nil, nil), ("listen-only = true", "", .listenOnly, nil),
            ("listen-only = false", "", .listenAndTalk, nil), ("talk-only = false", "", .listenAndTalk, nil),
            ("listen-only = false, talk-only = true", "", .talkOnly, nil),
            ("", "programme = false", .listenAndTalk, .off),
            ("listen-only = true", "programme = false", .listenOnly, .off),
            ("listen-only = false", "programme = true", .listenAndTalk, .on(dimTenths: nil)),
            ("talk-only = false", "programme = true", .listenOnly, .on(dimTenths: nil)),
        ] as [(String, String, ListeningEntry.Manner?, ChannelWish.Programme?)])
    func takenBack(
        ofRole: String, ofChannel: String, manner: ListeningEntry.Manner?, programme: ChannelWish.Programme?
    ) throws {
        let flags = ofRole.isEmpty ? "" : ", \(ofRole)"
        let text = """
            [[channel]]
            name = "stage"
            \(ofChannel)
            [role.a]
            channels = [{ name = "stage"\(flags) }]
            """
        let wish = try CrewFile(text, path: "crew.toml").role("a", at: .option("--role")).channels.first
        #expect(wish?.manner == manner && wish?.programme == programme)
    }

    @Test("every mistake is told with its line, by line")
    func everyMistake() {
        let found = Self.mistakes(
            """
            [crew]
            tallk = "ptt"
            [[channel]]
            name = "stage"
            [[channel]]
            name = "Stage"
            [role.lights]
            talk = "lach"
            state-dir = "/tmp"
            code-file = "code"
            channels = [
                "stage",
                { name = "stgae", level = -6 },
                { name = "stage", level = 20, ear = "middle", listen = true },
            ]
            [[role.lights.key]]
            name = "k"
            channels = ["fly"]
            [roles]
            """)
        #expect(
            found == [
                "2: unknown key 'tallk' (did you mean 'talk'?)",
                "6: the channel 'Stage' was named before",
                "8: 'talk' is 'lach', expected one of ptt, latch, smart, vox, open",
                "9: 'state-dir' belongs to one machine, expected in its config.toml",
                "10: 'code-file' belongs to one machine, expected in its config.toml",
                "13: no [[channel]] has the name 'stgae' (did you mean 'stage'?)",
                "14: 'ear' is 'middle', expected both, left or right",
                "14: 'level' is '20.0', expected decibels from -60 to 12",
                "14: the channel 'stage' is in the list twice",
                "14: unknown key 'listen'",
                "16: no [[channel]] has the name 'fly'",
                "19: unknown key 'roles' (did you mean 'role'?)",
            ])
    }

    @Test(
        "a file of another shape is refused in words",
        arguments: [
            ("", " no role, expected a table [role.NAME] for each"),
            ("[role", "1: not TOML"),
            ("role = 1", "1: 'role' is a whole number, expected a table [role]"),
            ("channel = [1]\n[role.a]", "1: 'channel' is a list with a whole number"),
            ("[[channel]]\nprogramme = true\n[role.a]", "1: 'name' is missing"),
            ("[role.a]\nchannel = [\"stage\"]", "2: unknown key 'channel' (did you mean 'channels'?)"),
            ("[role.a]\nchannels = \"stage\"", "2: 'channels' is a text, expected channels"),
            ("[role.\"\u{202E}\"]", "1: the name of a role must have"),
            ("[role.a]\necho-cancel = true\noutput = \"null\"", "2: echo-cancel needs"),
        ])
    func shapes(text: String, expected: String) {
        let found = Self.mistakes(text)
        #expect(found.count == 1 && found.first?.hasPrefix(expected) == true, "\(found)")
    }

    @Test("an interface that a peer's address names may be on another machine; only the node of that role needs it")
    func interfaceOfOtherMachine() throws {
        func text(_ peer: String) -> String { Self.head + "[role.fly]\npeer = [\"\(peer)\"]\n[role.lights]" }
        #expect(Self.mistakes(text("[fe80::1%]:7400")) == ["6: 'peer' is '[fe80::1%]:7400', but \(Self.noInterface)''"])
        let crew = try CrewFile(text("[fe80::1%none 0]:7400"), path: "crew.toml")
        let paths = StandardPaths(environment: [:], user: 7, folderExists: { _ in false })
        let refusal = #expect(throws: ConfigurationMistakes.self) {
            try RunResolution.resolve(
                options: RunSettings(), crew: crew.role("fly", at: .option("--role")), file: RunSettings(),
                paths: paths, hostName: "desk")
        }
        #expect(refusal?.all.map(\.problem) == ["'peer' is '[fe80::1%none 0]:7400', but \(Self.noInterface)'none 0'"])
    }

    private static let noInterface = "this machine has no interface "

    @Test("a setting of a role may need one of the whole crew, and the other way round")
    func needs() {
        let device = "output2 = \"null\"\n"
        let level = "output2-level = -6\n"
        for (shared, own) in [(device, level), (level, device), ("", device + level)] {
            #expect(Self.mistakes("[crew]\n\(shared)[role.a]\n\(own)") == [])
        }
        #expect(Self.mistakes("[role.a]\n\(level)") == ["2: 'output2-level' needs 'output2'"])
        let one = Self.mistakes("[crew]\noutput = \"file:a.wav\"\n[role.a]\noutput2 = \"file:a.wav\"")
        #expect(one == ["4: 'output2' is the file of 'output', expected another one"])
    }

    @Test("a setting that names a channel or a role which the file does not have is a mistake with its line")
    func unknownNames() {
        let found = Self.mistakes(
            """
            [crew]
            grant-private = ["Lights", "fyl"]
            grant-priority = ["director"]
            output2 = "null"
            output2-channel = ["stage", "lihgts"]
            \(Self.head)[role.lights]
            programme = "null"
            programme-channel = "music"
            grant-all = "nobody"
            grant-call-all = ["anyone"]
            [role.fly]
            """)
        #expect(
            found == [
                "2: 'grant-private': no role 'fyl' (did you mean 'fly'?)",
                "3: 'grant-priority': no role 'director'",
                "5: 'output2-channel': no [[channel]] has the name 'lihgts' (did you mean 'lights'?)",
                "12: 'programme-channel': no [[channel]] has the name 'music'",
            ])
    }

    @Test("a grant is judged once: a value of a wrong form is one mistake, and is not looked for among the roles")
    func formOfGrant() {
        for written in ["\"fyl\"", "[\"Nobody\"]", "[\"fly\", \"anyone\"]", "[\" \"]"] {
            let found = Self.mistakes("[role.fly]\ngrant-private = \(written)")
            #expect(found.count == 1 && found.allSatisfy { !$0.contains("no role") }, "\(written): \(found)")
        }
        for written in ["\"nobody\"", "[\"anyone\"]", "[\"FLY\"]", "[]"] {
            #expect(Self.mistakes("[role.fly]\ngrant-private = \(written)") == [], "\(written)")
        }
    }

    @Test("every mistake in the talk keys of roles is told")
    func keys() {
        let found = Self.mistakes(
            Self.head + "[role.a]\n[[role.a.key]]\nname = \"a b\"\nmode = \"x\"\n[[role.a.key]]\nname = \"c\"")
        #expect(found.map { $0.prefix(2) } == ["7:", "8:", "9:"], "\(found)")
    }

    @Test("of very many mistakes the first ones are told")
    func bounded() {
        let text = (1...1_000).map { "wrong\($0) = 1\n" }.joined()
        #expect(Self.mistakes(text).count == CrewLimits.mistakesMax)
        #expect(Self.mistakes(text)[1] == "1: unknown key 'wrong1'")
        #expect(Self.mistakes(text).last == " at least 181 more mistakes")
    }

    @Test("more channels than a node may have are a mistake of the role")
    func tooMany() {
        let names = (1...15).map { "c\($0)" }
        let channels = names.map { "[[channel]]\nname = \"\($0)\"\n" }.joined()
        let found = Self.mistakes(channels + "[role.a]\nchannels = \(names)")
        #expect(found == ["32: 15 channels to listen to, at most 14"])
    }

    @Test("a role that the file has not is refused with those that it has")
    func noRole() throws {
        let crew = try CrewFile(Self.head + "[role.lights]\n[role.fly]", path: "crew.toml")
        let refusal = #expect(throws: ConfigurationError.self) { try crew.role("light", at: .option("--role")) }
        #expect(
            refusal?.description
                == "--role: no role 'light' (did you mean 'lights'?); the crew file has lights, fly")
    }

    @Test("a file that cannot be read, is too large or is none is refused in words")
    func unreadable() throws {
        let folder = "\(temporaryFolder)/partyline-crew-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let large = String(repeating: "#", count: CrewLimits.fileBytesMax + 1)
        try large.write(toFile: folder + "/large", atomically: true, encoding: .utf8)
        try Data([0xFF, 0xFE]).write(to: URL(fileURLWithPath: folder + "/bytes"))
        #expect(mkfifo(folder + "/pipe", 0o600) == 0)
        for (name, words) in [
            ("missing", "cannot be read"), ("large", "bytes, expected at most"), ("bytes", "is not UTF-8"),
            ("pipe", "is no file"), (".", "is no file"),
        ] {
            let refusal = #expect(throws: ConfigurationMistakes.self) { try CrewFile(at: "\(folder)/\(name)") }
            #expect(refusal?.description.contains(words) == true, "\(name): \(String(describing: refusal))")
        }
    }
}
