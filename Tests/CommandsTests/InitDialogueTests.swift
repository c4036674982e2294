import Commands
import NodeRuntime
import Testing

@Suite("The questions of partyline init")
struct InitDialogueTests {
    private func wish(
        _ lines: [String], isPerson: Bool = true, _ settings: [RunKey: String] = [:], asksDevices: Bool = false
    ) throws -> (wish: InitDialogue.Wish, shown: String) {
        var written = RunSettings()
        if !asksDevices { for key in [RunKey.input, .output] { written.set(key, option: "null") } }
        for (key, value) in settings { written.set(key, option: value) }
        let paths = StandardPaths(environment: ["HOME": "/tmp"], user: 0, folderExists: { _ in false })
        let options = try RunResolution.resolve(
            options: written, file: RunSettings(), paths: paths, hostName: "host")
        let person = ScriptedPerson(lines, isPerson: isPerson)
        let devices = DeviceDialogue(
            .ofThisMachine(), options, present: DeviceWords(input: "tone:440", output: "null"))
        let present = ProfileWords(nick: "host", colour: "#ffb300")
        let wish = try InitDialogue(options, present: present, devices).wish(person.conversation)
        #expect(person.linesLeft == 0)
        return (wish, person.shown)
    }

    @Test("ask for name, role, colour and mesh; an empty answer takes what is shown")
    func answers() throws {
        let (wish, shown) = try wish(["FOH", "sound desk", "", "theatre"])
        #expect(wish.profile == ProfileWords(nick: "FOH", role: "sound desk", colour: "#ffb300"))
        #expect(wish.mesh == "theatre")
        #expect(
            shown.contains("Your name [host]: FOH\n") && shown.contains("Your colour, for example amber [#ffb300]: \n"))
        #expect(shown.contains("Name of the mesh [crew]: theatre\n"))
    }

    @Test("ask for devices after the profile, and before the mesh")
    func devices() throws {
        let (wish, shown) = try wish(["FOH", "", "", "", "file:/tmp/a.wav", "no", "boat"], asksDevices: true)
        #expect(wish.devices == DeviceWords(input: "tone:440", output: "file:/tmp/a.wav"))
        #expect(wish.profile.nick == "FOH" && wish.mesh == "boat")
        #expect(shown.contains("Output, by number or name [null]: file:/tmp/a.wav\n"))
    }

    @Test("ask again, with the reason, for what is not valid")
    func again() throws {
        let long = String(repeating: "x", count: 33)
        let (wish, shown) = try wish(["a  b", "FOH", "", "pinkish", "amber", "a\u{202E}b", "a\u{7}b", long, "crew"])
        #expect(wish.profile == ProfileWords(nick: "FOH", role: "", colour: "amber") && wish.mesh == "crew")
        #expect(shown.contains("  the nick must have single spaces"))
        #expect(shown.contains("  the colour must be ") && !shown.contains("--mesh"))
        #expect(shown.split(separator: "  the name of the mesh must hold no invisible character").count == 3)
        #expect(shown.contains("  the name of the mesh must have 1 to 32 bytes\n"))
    }

    @Test("leave out what options say")
    func options() throws {
        let settings: [RunKey: String] = [.nick: "A", .role: "", .colour: "none", .mesh: "boat"]
        let (wish, shown) = try wish([], settings)
        #expect(wish == InitDialogue.Wish(mesh: "boat", profile: ProfileWords(nick: "A", role: "", colour: "none")))
        #expect(shown.isEmpty)
    }

    @Test("are none where no person is: options and defaults hold, and what neither says stays as it was")
    func program() throws {
        let (wish, shown) = try wish([], isPerson: false, [.role: "fly"])
        #expect(wish == InitDialogue.Wish(mesh: "crew", profile: ProfileWords(role: "fly")) && shown.isEmpty)
    }

    @Test("end without an effect where the input ends")
    func end() {
        #expect(throws: (any Error).self) { try wish(["FOH"]) }
    }
}
