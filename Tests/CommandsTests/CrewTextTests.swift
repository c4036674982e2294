import Commands
import NodeRuntime
import Testing

@Suite("What crew check, crew show and reload print")
struct CrewTextTests {
    @Test("a role has a line for each channel, in columns, and one for each setting")
    func roles() throws {
        let crew = try CrewFile(
            """
            [crew]
            name = "Royal"
            mesh = "royal"
            [[channel]]
            name = "cues"
            [[channel]]
            name = "show relay"
            programme = true
            [role.lights]
            channels = [{ name = "cues", level = -3 }, { name = "show relay", ear = "right" }]
            [role.fly]
            talk = "latch"
            [[role.fly.key]]
            name = "both"
            channels = ["cues", "show relay"]
            reply = true
            mode = "smart"
            """, path: "crew.toml")
        #expect(
            CrewText.lines(crew, crew.roles) == [
                "Royal", "",
                "role lights", "  cues        listens and talks, -3 dB", "  show relay  listens, right ear, programme",
                "  mesh = royal", "",
                "role fly", "  key both: cues, show relay, reply (smart)", "  mesh = royal", "  talk = latch",
            ])
    }

    @Test("a check warns of a key on a channel that its role does not join, and of a role with keys alone")
    func checked() throws {
        let text = """
            [[channel]]
            name = "cues"
            [[channel]]
            name = "fly"
            [role.lights]
            channels = ["cues"]
            [[role.lights.key]]
            name = "boss"
            channels = ["cues", "fly"]
            [[role.light.key]]
            name = "k"
            channels = ["cues"]
            """
        #expect(
            CrewText.checked(try CrewFile(text, path: "crew.toml"), "crew.toml") == [
                "crew.toml:7: the key 'boss' speaks on channel 'fly', which is not among the channels of the role "
                    + "'lights', so that role hears nobody there",
                "crew.toml:10: the role 'light' has keys and no channels (did you mean 'lights'?)",
                "crew.toml: no mistake; 2 roles, 2 channels; 2 warnings",
            ])
        let clean = "[[channel]]\nname = \"cues\"\n[role.lights]\nchannels = [\"cues\"]"
        #expect(
            CrewText.checked(try CrewFile(clean, path: "crew.toml"), "crew.toml") == [
                "crew.toml: no mistake; 1 role, 1 channel"
            ])
    }

    @Test("a check warns of a key on a channel to which its role only listens, and says if it carries programme")
    func silent() throws {
        let text = """
            [[channel]]
            name = "cues"
            [[channel]]
            name = "relay"
            programme = true
            [role.lights]
            channels = ["relay", { name = "cues", listen-only = true }]
            [[role.lights.key]]
            name = "boss"
            channels = ["cues", "relay"]
            [role.band]
            channels = [{ name = "relay", talk-only = true }]
            [[role.band.key]]
            name = "boss"
            channels = ["relay"]
            """
        let start = "crew.toml:8: the key 'boss' is silent on channel "
        let reason = ", because the role 'lights' only listens there"
        #expect(
            CrewText.checked(try CrewFile(text, path: "crew.toml"), "crew.toml") == [
                "\(start)'relay'\(reason): the channel carries programme", "\(start)'cues'\(reason)",
                "crew.toml: no mistake; 2 roles, 2 channels; 2 warnings",
            ])
    }

    @Test("a check warns of a channel of the second output to which its role does not listen")
    func unplayed() throws {
        let text = """
            [[channel]]
            name = "cues"
            [[channel]]
            name = "relay"
            [role.lights]
            channels = ["cues"]
            output2 = "null"
            output2-channel = ["cues", "relay"]
            [role.band]
            channels = [{ name = "relay", talk-only = true }, "cues"]
            output2 = "null"
            output2-channel = ["relay", "cues"]
            [role.guest]
            output2 = "null"
            output2-channel = ["relay"]
            """
        func warning(_ line: Int, _ role: String) -> String {
            "crew.toml:\(line): 'output2-channel' names channel 'relay', to which the role '\(role)' does not listen, "
                + "so output2 is silent there"
        }
        #expect(
            CrewText.checked(try CrewFile(text, path: "crew.toml"), "crew.toml") == [
                warning(8, "lights"), warning(12, "band"),
                "crew.toml: no mistake; 3 roles, 2 channels; 2 warnings",
            ])
    }

    @Test("a channel with a name in wide letters keeps the columns")
    func wide() throws {
        let crew = try CrewFile(
            """
            [[channel]]
            name = "調光"
            [[channel]]
            name = "relay"
            [role.lights]
            channels = ["調光", "relay"]
            """, path: "crew.toml")
        let lines = CrewText.lines(crew, crew.roles)
        #expect(lines.contains { $0.hasPrefix("  調光   listens") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("  relay  listens") }, "\(lines)")
    }

    @Test("a reload prints what has changed, what was refused and what needs a restart; one line if nothing did")
    func reload() {
        #expect(ReloadText.lines(ReloadDocument()) == ["nothing has changed in the files"])
        let document = ReloadDocument(
            changed: ["joined fly"], refused: ["joined sound: full"], needsRestart: ["listen"],
            notKept: "done, but not kept for the next start: the disk is full")
        #expect(
            ReloadText.lines(document)
                == [
                    "joined fly", "refused: joined sound: full", "needs a restart: listen",
                    "done, but not kept for the next start: the disk is full",
                ])
    }
}
