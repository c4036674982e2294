import Channels
import Foundation
import Glibc
import NodeRuntime
import Primitives
import TestKit
import Testing
import Wire

@Suite("settings from the command line and two files")
final class RunOriginTests {
    private let folder = "\(temporaryFolder)/partyline-origin-\(UUID().uuidString.prefix(8))"

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func write(_ text: String, to name: String) throws {
        try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
    }

    private func origin(_ options: [RunKey: String] = [:]) -> RunOrigin {
        var settings = RunSettings()
        for key in RunKey.allCases { settings.set(key, option: options[key]) }
        let paths = StandardPaths(environment: ["HOME": folder], user: 7, folderExists: { _ in false })
        return RunOrigin(options: settings, file: "\(folder)/config.toml", paths: paths, hostName: "desk")
    }

    private static let crew = """
        [[channel]]
        name = "stage"
        [role.lights]
        mesh = "crew"
        talk = "latch"
        channels = [{ name = "stage", level = -6 }]
        """

    @Test("an option overrides the role of the crew file, and the role overrides config.toml")
    func precedence() throws {
        try write("mesh = \"file\"\ntalk = \"open\"\nprofile = \"robust\"\nchannel = [\"main\"]", to: "config.toml")
        try write(Self.crew, to: "crew.toml")
        let options = try origin([.crew: "\(folder)/crew.toml", .role: "lights", .talk: "smart"]).read()
        #expect(options.talk == .smart && options.mesh == "crew" && options.profile == .robust)
        #expect(options.meshPlace == .file(path: "\(folder)/crew.toml", line: 4))
        #expect(options.channels.map { "\($0.name)" } == ["stage"] && options.channels.first?.levelTenths == -60)
        #expect(
            options.startProfile() == NodeProfile(name: SafeText("lights"), role: SafeText("lights")),
            "the role is a name for people")
        let named = try origin([.crew: "\(folder)/crew.toml", .role: "lights", .channel: "fly", .nick: "Ann"]).read()
        #expect(named.channels.map { "\($0.name)" } == ["fly"] && named.startProfile().name.string == "Ann")
    }

    @Test("config.toml may name the crew file, from its own folder")
    func inFile() throws {
        try write("crew = \"crew.toml\"\nrole = \"lights\"", to: "config.toml")
        try write(Self.crew, to: "crew.toml")
        #expect(try origin().read().mesh == "crew")
    }

    @Test("config.toml may name the file of the code, from its own folder; the code itself is no setting")
    func codeFile() throws {
        try write("code-file = \"code\"", to: "config.toml")
        #expect(try origin().read().codeFile == "\(folder)/code")
        #expect(try origin([.codeFile: "/etc/code"]).read().codeFile == "/etc/code")
        #expect(throws: ConfigurationMistakes.self) { try origin([.codeFile: ""]).read() }
        try write("code = \"apple zebra onion island\"", to: "config.toml")
        #expect(throws: ConfigurationMistakes.self) { try origin().read() }
    }

    @Test("config.toml may name files with the codes of channels, from its own folder")
    func channelCodeFiles() throws {
        try write("channel-code-file = [\"lights=lights.code\", \"code:Fly=/etc/fly\"]", to: "config.toml")
        let files = try origin().read().channelCodeFiles
        #expect(files.map(\.path) == ["\(folder)/lights.code", "/etc/fly"])
        #expect(files.map { "\($0.channel)" } == ["code:lights", "code:Fly"])
        let many = (0...ChannelCodeLimits.heldMax).map { "\"c\($0)=c\"" }
        for (list, isAccepted) in [(many.dropLast(), true), (many[...], false)] {
            try write("channel-code-file = [\(list.joined(separator: ", "))]", to: "config.toml")
            #expect(((try? origin().read()) != nil) == isAccepted)
        }
        try write("channel-code-file = [\"lights=a\", \"fly=b\", \"code:Lights=c\"]", to: "config.toml")
        let twice = #expect(throws: ConfigurationMistakes.self) { try origin().read() }
        #expect(twice?.all.count == 1)
        #expect(twice?.description.contains("config.toml:1: channel code:Lights has a file already") == true)
        try write("", to: "config.toml")
        for text in ["lights", "=x", "lights=", "code:=x"] {
            #expect(throws: ConfigurationMistakes.self) { try origin([.channelCodeFile: text]).read() }
        }
    }

    @Test("a role without a crew file is a word for peers")
    func roleAlone() throws {
        try write("role = \"deaf\"", to: "config.toml")
        let options = try origin().read()
        #expect(
            options.startProfile() == NodeProfile(name: SafeText("desk"), role: SafeText("deaf"))
                && options.channels.isEmpty)
    }

    @Test("a crew file without a role, a missing file and a wrong one are refused with their place")
    func refusals() throws {
        try write("crew = \"crew.toml\"", to: "config.toml")
        #expect(throws: ConfigurationMistakes.self, "no crew file") { try origin([.role: "lights"]).read() }
        try write(Self.crew + "\nwrong = 1\nmore = 2", to: "crew.toml")
        let twice = #expect(throws: ConfigurationMistakes.self) { try origin([.role: "lights"]).read() }
        #expect(twice?.all.count == 2 && twice?.description.contains("crew.toml:7: unknown key 'wrong'") == true)
        try write(Self.crew, to: "crew.toml")
        let without = #expect(throws: ConfigurationMistakes.self) { try origin().read() }
        #expect(without?.description.hasSuffix("config.toml:1: a crew file needs 'role' too: one of lights") == true)
    }

    @Test("a file that cannot be read is refused with the system's reason")
    func unreadable() throws {
        func refusal(_ file: String) -> ConfigurationMistakes? {
            let paths = StandardPaths(environment: [:], user: 7, folderExists: { _ in false })
            let origin = RunOrigin(options: RunSettings(), file: file, paths: paths, hostName: "desk")
            return #expect(throws: ConfigurationMistakes.self) { try origin.read() }
        }
        // The memory of a process is a file that everybody may open and whose beginning nobody can read, not even root.
        let memory = "/proc/self/mem"
        #expect(refusal(memory)?.description == "\(memory): cannot be read: Input/output error")
        #expect(refusal(folder)?.description == "\(folder): is no file")
        #expect(refusal("\(folder)/none")?.description == "\(folder)/none: cannot be read: No such file or directory")
    }

    @Test("a file that this user may not open is refused with that reason", .enabled(if: geteuid() != 0, "root may"))
    func notPermitted() throws {
        try write("", to: "config.toml")
        #expect(chmod("\(folder)/config.toml", 0) == 0)
        let refusal = #expect(throws: ConfigurationMistakes.self) { try origin().read() }
        #expect(refusal?.description == "\(folder)/config.toml: cannot be read: Permission denied")
    }

    @Test("mistakes of the command line, of config.toml and of the crew file are told together")
    func together() throws {
        try write("crew = \"crew.toml\"\nrole = \"lights\"\nbuffer = \"x\"\nperiod = 900", to: "config.toml")
        try write(Self.crew + "\nwrong = 1", to: "crew.toml")
        let refusal = #expect(throws: ConfigurationMistakes.self) { try origin([.mesh: ""]).read() }
        let places = refusal?.all.map { $0.description.replacing("\(folder)/", with: "").prefix { $0 != " " } }
        #expect(places == ["--mesh:", "config.toml:3:", "config.toml:4:", "crew.toml:7:"])
    }

    @Test("files with mistakes are examined as far as they can be read")
    func examined() throws {
        let expected = "'mesh' is '', expected a mesh name of 1 to 32 bytes without invisible characters"
        try write("state-dir = \"/x\"\nbuffer = \"x\"", to: "config.toml")
        let (options, mistakes) = try origin().examineFiles()
        #expect(options.stateDirectory == "/x" && options.buffer == nil && mistakes.all.count == 1)
        #expect(throws: ConfigurationMistakes([ConfigurationError(.option("--mesh"), expected)])) {
            try origin([.mesh: ""]).examineFiles()
        }
        #expect(options.origin?.configurationPath == "\(folder)/config.toml" && options.origin?.crewPath == nil)
    }

    @Test("the crew file is known before it is read, also beside mistakes in other settings")
    func crewWritten() throws {
        try write("crew = \"crew.toml\"\nbuffer = \"x\"", to: "config.toml")
        #expect(origin().crewWritten == "\(folder)/crew.toml")
        #expect(origin([.crew: "/other.toml"]).crewWritten == "/other.toml")
        try write("", to: "config.toml")
        #expect(origin().crewWritten == nil)
    }

    @Test("the role that the command line names is told beside a crew file only: else it is one for people")
    func named() throws {
        try write(Self.crew, to: "crew.toml")
        try write("crew = \"crew.toml\"", to: "config.toml")
        let inFile = try origin([.role: "lights"]).read().origin?.named
        #expect(inFile?.crew == nil && inFile?.crewRole == "lights")
        #expect(inFile?.configuration == "\(folder)/config.toml")
        try write("", to: "config.toml")
        #expect(try origin([.role: "lights"]).read().origin?.named.crewRole == nil)
        let inLine = try origin([.crew: "\(folder)/crew.toml", .role: "lights"]).read().origin?.named
        #expect(inLine?.crew == "\(folder)/crew.toml" && inLine?.crewRole == "lights")
    }

    @Test("the place of a running node is found in a config.toml with other mistakes")
    func place() throws {
        for mistake in [
            "bitrate = 1", "bitrat = 64", "mesh = \"\"", "period = \"x\"", "[[key]]", "crew = \"none.toml\"",
        ] {
            try write("state-dir = \"/x\"\nname = \"desk\"\n\(mistake)", to: "config.toml")
            let options = try origin().place()
            #expect(options.stateDirectory == "/x" && options.name.text == "desk" && options.bitrateKilobits == nil)
        }
        try write("state-dir = \"/x\"\nx = = 1", to: "config.toml")
        #expect(try origin([.control: "/c.sock"]).place().controlPath == "/c.sock")
    }

    @Test("a state folder and a socket in config.toml start at its own folder; those of options are as they are")
    func relativePlace() throws {
        try write("state-dir = \"state\"\ncontrol = \"foh.sock\"", to: "config.toml")
        for options in [try origin().read(), try origin().place()] {
            #expect(options.stateDirectory == "\(folder)/state" && options.controlPath == "\(folder)/foh.sock")
        }
        #expect(try origin([.stateDir: "state"]).place().stateDirectory == "state")
    }

    @Test("a mistake in the place of a running node is told")
    func wrongPlace() throws {
        try write("name = \"\"\nbitrate = 1", to: "config.toml")
        #expect(throws: ConfigurationMistakes.self) { try origin().place() }
        #expect(throws: ConfigurationMistakes.self) { try origin([.stateDir: ""]).place() }
    }

    @Test("the standard config.toml need not exist, unless it was there when it was read last")
    func standardFileGone() throws {
        let paths = StandardPaths(environment: ["XDG_CONFIG_HOME": folder], user: 7, folderExists: { _ in false })
        let start = RunOrigin(options: RunSettings(), file: nil, paths: paths, hostName: "desk")
        let without = try #require(try start.read().origin)
        #expect(try without.read().channels.isEmpty, "it was not there before")
        let file = without.configurationPath
        try FileManager.default.createDirectory(atPath: "\(folder)/partyline", withIntermediateDirectories: true)
        try write("channel = \"stage\"", to: "partyline/config.toml")
        let with = try #require(try without.read().origin)
        try FileManager.default.removeItem(atPath: file)
        let gone = #expect(throws: ConfigurationMistakes.self) { try with.read() }
        #expect(gone?.all.count == 1)
        #expect(gone?.description.hasPrefix("\(file): is gone since it was read last; put it back, or ") == true)
        #expect(try with.place().name.text == "default", "verbs find the node all the same")
        #expect(try start.read().channels.isEmpty, "the next start does without")
        try write("", to: "partyline/config.toml")
        #expect(try with.read().channels.isEmpty)
    }

    @Test("a setting that is written differently counts as changed only if it makes a difference")
    func changes() throws {
        try write("talk = \"ptt\"\nperiod = 5", to: "config.toml")
        let before = try #require(try origin().read().origin)
        try write("profile = \"low\"\nperiod = 2.5", to: "config.toml")
        let after = try #require(try origin().read().origin)
        #expect(before.changes(in: after) == [.period], "talk and profile are as they are without the file")
        #expect(before.changes(in: before) == [])
    }
}
