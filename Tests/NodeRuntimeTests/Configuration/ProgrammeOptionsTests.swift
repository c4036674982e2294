import Channels
import NodeRuntime
import Primitives
import Testing
import Wire

@Suite("the node that feeds a programme")
struct ProgrammeOptionsTests {
    private func resolve(_ file: String) throws -> RunOptions {
        try RunResolution.resolve(
            options: RunSettings(), file: ConfigurationFile.settings(in: file, path: "config.toml"),
            paths: StandardPaths(environment: ["HOME": "/h"], user: 7, folderExists: { _ in false }), hostName: "desk")
    }

    @Test(
        "it has the name of its channel, or `programme` if that channel has a code",
        arguments: [
            ("music", "music"), ("code:music", "programme"), ("code:" + String(repeating: "m", count: 24), "programme"),
        ])
    func names(channel: String, nick: String) throws {
        let options = try resolve("programme = \"null\"\nprogramme-channel = \"\(channel)\"")
        let main = Endpoint(address: IPAddress(v4: 0x7F00_0001), port: 9)
        let feed = try #require(options.ofProgramme(beside: main))
        #expect(feed.startProfile().name.string == nick)
        #expect(feed.channels.map(\.name.description) == [channel])
        #expect(feed.startProfile().feedsProgramme && !options.startProfile().feedsProgramme)
    }

    @Test("the node that feeds the programme does not have the role of the person")
    func role() throws {
        let options = try resolve("role = \"navigator\"\nprogramme = \"null\"\nprogramme-channel = \"music\"")
        let main = Endpoint(address: IPAddress(v4: 0x7F00_0001), port: 9)
        let feed = try #require(options.ofProgramme(beside: main))
        #expect(options.startProfile().role.string == "navigator" && feed.startProfile().role.string.isEmpty)
    }

    @Test("beside an admission other than open it is refused: it would link to nobody", arguments: ["ask", "known"])
    func admission(rule: String) throws {
        let programme = "programme = \"null\"\nprogramme-channel = \"music\"\n"
        let refusal = #expect(throws: ConfigurationMistakes.self) {
            try resolve(programme + "admission = \"\(rule)\"")
        }
        let words = refusal?.all.map(\.description) ?? []
        #expect(words.count == 1)
        #expect(words.first?.hasPrefix("config.toml:1: 'programme' needs 'admission' to be 'open'") == true)
        #expect(try resolve(programme + "admission = \"open\"").programme != nil)
    }
}
