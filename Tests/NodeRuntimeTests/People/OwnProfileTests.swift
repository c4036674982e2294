import NodeRuntime
import Primitives
import StateStore
import Testing

@Suite("How a node introduces itself")
struct OwnProfileTests {
    private static let paths = StandardPaths(environment: [:], user: 0, folderExists: { _ in false })

    private func profile(_ settings: [RunKey: String], _ remembered: RememberedProfile) throws -> OwnProfile {
        var written = RunSettings()
        for (key, value) in settings { written.set(key, option: value) }
        let options = try RunResolution.resolve(
            options: written, file: RunSettings(), paths: Self.paths, hostName: "host")
        return OwnProfile(options, remembered)
    }

    @Test("a first start has the host's name, and neither role nor colour")
    func first() throws {
        let profile = try profile([:], RememberedProfile())
        #expect(profile.name.string == "host" && profile.role.isEmpty && profile.colour == .none)
    }

    @Test("what was chosen while the node ran holds at the next start, and comes back from what is kept")
    func kept() throws {
        let former = try profile([:], RememberedProfile(name: "FOH", role: "sound", colour: 0xFF_B300))
        #expect(former.name.string == "FOH" && former.role.string == "sound" && former.colour == Colour("amber"))
        #expect(try profile([:], former.remembered) == former)
    }

    @Test("an option wins over what was chosen")
    func options() throws {
        let profile = try profile(
            [.nick: "desk", .role: "lights", .colour: "#0000ff"],
            RememberedProfile(name: "FOH", role: "sound", colour: 1))
        #expect(profile.name.string == "desk" && profile.role.string == "lights" && profile.colour.text == "#0000ff")
    }

    @Test("a kept text that could not be typed is not used")
    func damaged() throws {
        let profile = try profile([:], RememberedProfile(name: "a\u{1B}[2J", role: "\u{202E}", colour: .max))
        #expect(profile.name.string == "host" && profile.role.isEmpty && profile.colour.text == "#ffffff")
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
