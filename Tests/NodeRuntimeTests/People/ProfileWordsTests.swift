import NodeRuntime
import Primitives
import Testing
import Wire

@Suite("How a node introduces itself")
struct ProfileWordsTests {
    private static let paths = StandardPaths(environment: [:], user: 0, folderExists: { _ in false })

    private func profile(_ settings: [RunKey: String], _ kept: [String: String]) throws -> NodeProfile {
        var written = RunSettings()
        for (key, value) in settings { written.set(key, option: value) }
        let options = try RunResolution.resolve(
            options: written, file: RunSettings(), paths: Self.paths, hostName: "host")
        return options.startProfile(kept)
    }

    @Test("a first start has the host's name, and neither role nor colour")
    func first() throws { #expect(try profile([:], [:]) == NodeProfile(name: SafeText("host"))) }

    @Test("what was chosen while the node ran holds at the next start, and comes back from what is kept")
    func kept() throws {
        let former = try profile([:], ["nick": "FOH", "role": "sound", "colour": "#ffb300"])
        #expect(former == NodeProfile(name: SafeText("FOH"), role: SafeText("sound"), colour: 0xFF_B300))
        #expect(try profile([:], ProfileWords(former).kept) == former)
        let plain = NodeProfile(name: SafeText("FOH"))
        #expect(try profile([:], ProfileWords(plain).kept) == plain)
        #expect(ProfileWords(role: "").kept == ["role": ""], "what nobody chose is not kept")
    }

    @Test("an option wins over what was chosen, also one that ends a field")
    func options() throws {
        let kept = ["nick": "FOH", "role": "sound", "colour": "#000001"]
        #expect(
            try profile([.nick: "desk", .role: "lights", .colour: "#0000ff"], kept)
                == NodeProfile(name: SafeText("desk"), role: SafeText("lights"), colour: 0xFF))
        #expect(try profile([.role: "", .colour: "none"], kept) == NodeProfile(name: SafeText("FOH")))
        #expect(try profile([.role: "none", .colour: "none"], kept) == NodeProfile(name: SafeText("FOH")))
    }

    @Test("a word of hexadecimal letters, and a name that is shorter or longer than an id, may be a nick")
    func notLikeID() throws {
        for nick in ["Fade", "A1", "1001", "2A09", "2a09-0b678", "Carla 2a09"] { try ProfileWords(nick: nick).check() }
    }

    @Test("a kept text that could not be typed is not used")
    func damaged() throws {
        let kept = ["nick": "a\u{1B}[2J", "role": "\u{202E}", "colour": "ambr", "other": "x"]
        #expect(try profile([:], kept) == NodeProfile(name: SafeText("host")))
    }

    @Test(
        "a wrong field is refused with the reason",
        arguments: [
            (ProfileWords(nick: ""), "the nick must not be empty"),
            (ProfileWords(nick: "ab\u{202E}c"), "the nick must hold no character that is invisible"),
            (ProfileWords(nick: "x\u{301}\u{301}\u{301}"), "the nick must have at most 2 marks on a letter"),
            (ProfileWords(nick: "2a09-0b67"), "the nick must not look like an id"),
            (ProfileWords(nick: "deadbeef"), "the nick must not look like an id"),
            (ProfileWords(role: String(repeating: "r", count: 25)), "the role must have at most 24 characters"),
            (ProfileWords(role: " sound"), "the role must have single spaces"),
            (ProfileWords(colour: "ambr"), "the colour must be red, "),
        ])
    func refused(words: ProfileWords, reason: String) {
        let fault = #expect(throws: ProfileFault.self) { try words.check() }
        #expect(fault?.description.hasPrefix(reason) == true, "\(fault?.description ?? "")")
    }

    @Test("each field is a setting, is read as it is shown, and leaves the others alone")
    func fields() throws {
        let whole = NodeProfile(name: SafeText("Ana"), role: SafeText("sound"), colour: 0xFF_B300)
        for field in ProfileWords.fields {
            #expect(RunKey.allCases.contains(field.key))
            var wish = ProfileWords()
            wish[field] = ProfileWords(whole)[field]
            var profile = NodeProfile(name: SafeText("host"))
            try wish.change(&profile)
            var expected = ProfileWords(NodeProfile(name: SafeText("host")))
            expected[field] = wish[field]
            #expect(ProfileWords(profile) == expected && wish[field] != nil)
        }
    }
}

@Suite("Colours of people")
struct ColourTests {
    @Test("words and hexadecimal numbers are read, and shown again")
    func read() {
        #expect(Colour("Amber")?.text == "#ffb300" && Colour("#FFB300")?.description == "amber")
        #expect(Colour("#000102")?.text == "#000102" && Colour("#000102")?.description == "#000102")
        #expect(Colour("none") == Colour.none && Colour.none.text == nil && Colour.none.description == "none")
        #expect(Colour(number: 0xFF00_0000) == Colour.none)
    }

    @Test(
        "other texts are no colour",
        arguments: ["", "#", "#12345", "#1234567", "#12345g", "123456", "#000000", "ambr", "#\u{FF11}23456"])
    func refused(text: String) { #expect(Colour(text) == nil) }
}
