import NodeRuntime
import Testing

@Suite("Configuration file")
struct ConfigurationFileTests {
    private func message(_ text: String) -> String? {
        do {
            _ = try ConfigurationFile.settings(in: text, path: "config.toml")
            return nil
        } catch {
            return error.description
        }
    }

    @Test(
        "the error of a mistake has its line, its key and the expected form",
        arguments: [
            (
                "name = \"a\"\n\n# a remark\n\nmesh = \"m\"\n\nchanel = \"main\"",
                "config.toml:7: unknown key 'chanel' (did you mean 'channel'?)"
            ),
            ("zzz = 1", "config.toml:1: unknown key 'zzz'"),
            ("[[keys]]\nname = \"a\"", "config.toml:1: unknown key 'keys' (did you mean '[[key]]'?)"),
            ("[[kye]]\nname = \"a\"", "config.toml:1: unknown key 'kye' (did you mean '[[key]]'?)"),
            ("niKc = \"a\"", "config.toml:1: unknown key 'niKc' (did you mean 'nick'?)"),
            ("state_dir = \"/x\"", "config.toml:1: unknown key 'state_dir' (did you mean 'state-dir'?)"),
            ("\n[audio]\ninput = \"null\"", "config.toml:2: unknown key 'audio'"),
            (
                "\nbitrate = \"fast\"",
                "config.toml:2: 'bitrate' is a text, expected kilobits per second from 8 to 256"
            ),
            ("talk = true", "config.toml:1: 'talk' is a truth value, expected one of ptt, latch, smart, vox, open"),
            ("gate = \"on\"", "config.toml:1: 'gate' is a text, expected true or false"),
            ("vox-hang = true", "config.toml:1: 'vox-hang' is a truth value, expected milliseconds from 50 to 5000"),
            ("period = []", "config.toml:1: 'period' is a list, expected milliseconds from 0.5 to 100"),
            (
                "peer = [1]",
                "config.toml:1: 'peer' is a list with a whole number, expected addresses and ports, "
                    + "for example [\"192.0.2.1:7400\"]"
            ),
        ])
    func mistakes(text: String, expected: String) {
        #expect(message(text) == expected)
    }

    @Test("the error of a text that is no TOML has the line number")
    func syntax() throws {
        let found = try #require(message("name = \"a\"\nmesh = = 2\n"))
        #expect(found.hasPrefix("config.toml:2: not TOML: "), "\(found)")
    }

    @Test("all mistakes are told at once, by line, also those in several tables of keys")
    func everyMistake() {
        let text = """
            buffer = "x"
            nick = 1
            tlak = "ptt"
            [[key]]
            name = "a b"
            mode = "ptp"
            chanels = "x"
            [[key]]
            name = "b"
            channels = ["", "stage"]
            reply = true
            mode = "vox"
            """
        #expect(
            message(text)?.split(separator: "\n").map { $0.prefix { $0 != "," } } == [
                "config.toml:1: 'buffer' is a text", "config.toml:2: 'nick' is a whole number",
                "config.toml:3: unknown key 'tlak' (did you mean 'talk'?)", "config.toml:5: 'name' is 'a b'",
                "config.toml:6: 'mode' is 'ptp'", "config.toml:7: unknown key 'chanels' (did you mean 'channels'?)",
                "config.toml:10: 'channels' is ''", "config.toml:12: a key with reply is pressed: ptt",
            ])
    }

    @Test("of very many mistakes the first ones are told, and the number of the others")
    func bounded() throws {
        func lines(_ count: Int) throws -> [Substring] {
            try #require(message((1...count).map { "wrong\($0) = 1\n" }.joined())).split(separator: "\n")
        }
        #expect(try lines(20).last == "config.toml:20: unknown key 'wrong20'")
        #expect(try lines(30).count == 20 && lines(30)[18] == "config.toml:19: unknown key 'wrong19'")
        #expect(try lines(30).last == "config.toml: 11 more mistakes")
        #expect(try lines(5_000).last == "config.toml: at least 181 more mistakes")
    }

    @Test("a number may have a fraction, and a single peer needs no list")
    func forms() throws {
        let text = "period = 5\nbuffer = 7.5\nbitrate = 48\npeer = \"192.0.2.1\""
        let settings = try ConfigurationFile.settings(in: text, path: "config.toml")
        #expect(settings.value(.period)?.text == "5")
        #expect(settings.value(.buffer)?.text == "7.5")
        #expect(settings.value(.bitrate)?.text == "48")
        #expect(settings.all(.peer).map(\.text) == ["192.0.2.1"])
    }

    @Test("every option of `run` is a key, and every key is an option")
    func everyKey() {
        #expect(RunKey.allCases.count == 57)
        for key in RunKey.allCases { #expect(RunKey.nearest(to: key.rawValue) == key.rawValue) }
    }
}
