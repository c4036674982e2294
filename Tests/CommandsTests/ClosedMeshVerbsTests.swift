import Commands
import ControlPlane
import Foundation
import Glibc
import NodeRuntime
import TestKit
import Testing

/// The verbs on state folders of their own, without a network.
@Suite("The verbs of a closed mesh", .serialized, .timeLimit(.minutes(1)))
final class ClosedMeshVerbsTests {
    private let folder = "\(temporaryFolder)/partyline-verbs-\(UUID().uuidString.prefix(8))"
    private var state: [String] { ["--state-dir", "\(folder)/state", "--control", "\(folder)/none.sock"] }

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func file(_ name: String, _ text: String) throws -> String {
        try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
        return "\(folder)/\(name)"
    }

    private func run(_ arguments: [String]) async throws -> (status: Commands.ExitStatus, lines: [String]) {
        var status = Commands.ExitStatus.healthy
        let lines = try await printedLines { status = await Program.run(arguments + self.state) }
        return (status, lines)
    }

    /// All that `init` could ask is said, so that it asks nothing where a person runs the tests in a terminal.
    private let made = [
        "init", "--nick", "A", "--role", "", "--colour", "none", "--input", "null", "--output", "null",
        "--mesh", "theatre",
    ]

    @Test("init makes a mesh, keeps it unless --replace is given, and code show shows its code")
    func makes() async throws {
        #expect(try await run(["code", "show"]).status == .failed, "there is no mesh yet")
        let first = try await run(made)
        #expect(first.status == .healthy)
        #expect(first.lines.contains("This node is in the closed mesh theatre now."))
        let shown = try await run(["code", "show"])
        let code = try #require(shown.lines.first { $0.hasPrefix("      ") })
        #expect(shown.status == .healthy && first.lines.contains(code))
        #expect(code.split(separator: " ").count == 4)
        let head = "The code of the closed mesh theatre, as this node knew it last:"
        #expect(shown.lines.contains(head), "the node does not run: \(shown.lines)")
        let second = try await run(made)
        #expect(second.status == .failed && second.lines.contains { $0.contains("--replace makes another one") })
        #expect(try await run(["code", "show"]).lines == shown.lines)
        #expect(try await run(made + ["--replace"]).status == .healthy)
        #expect(try await run(["code", "show"]).lines != shown.lines)
        var facts = stat()
        #expect(stat("\(folder)/state/mesh", &facts) == 0 && facts.st_mode & 0o777 == 0o600)
    }

    @Test("code show and doctor say the same at the folder of a programme node: its mesh is that of its main node")
    func programme() async throws {
        #expect(try await run(made).status == .healthy)
        let ofMain = try await run(["code", "show"])
        for end in ["", "/"] {
            let options = ["--state-dir", "\(folder)/state/programme\(end)", "--control", "\(folder)/none.sock"]
            let shown = try await printedLines { _ = await Program.run(["code", "show"] + options) }
            let doctor = try await printedLines { _ = await Program.run(["doctor"] + options) }
            expectSameMesh(shown, as: ofMain.lines, doctor)
        }
    }

    private func expectSameMesh(_ shown: [String], as ofMain: [String], _ doctor: [String]) {
        #expect(shown == ofMain && shown.contains { $0.contains("closed mesh theatre") }, "\(shown)")
        #expect(doctor.contains { $0.contains("mesh: closed; `partyline code show` shows its code") }, "\(doctor)")
    }

    @Test("code show calls the code a former one if the running node knows that it was left behind")
    func leftBehind() async throws {
        #expect(try await run(made).status == .healthy)
        for isLeftBehind in [false, true] {
            var status = StatusTextTests.status
            status.node.leftBehind = isLeftBehind
            let document = status
            try await withNode(at: "\(folder)/none.sock", { _ in .document(document) }) { _ in
                let shown = try await run(["code", "show"])
                #expect(shown.status == (isLeftBehind ? .failed : .healthy))
                let head = (isLeftBehind ? "A former code" : "The code") + " of the closed mesh theatre:"
                #expect(shown.lines.contains(head), "\(shown.lines)")
                #expect(shown.lines.contains { $0.contains("enter --replace") } == isLeftBehind)
            }
        }
    }

    @Test("code show calls the code a former one if the running node has a change of it that its folder lacks")
    func unkept() async throws {
        #expect(try await run(made).status == .healthy)
        for epoch in [1, 2] as [UInt32] {
            var status = StatusTextTests.status
            status.node.epoch = epoch
            let document = status
            try await withNode(at: "\(folder)/none.sock", { _ in .document(document) }) { _ in
                try await expectShown(isFormer: epoch == 2)
            }
        }
    }

    private func expectShown(isFormer: Bool) async throws {
        let shown = try await run(["code", "show"])
        #expect(shown.status == (isFormer ? .failed : .healthy))
        let head = (isFormer ? "A former code" : "The code") + " of the closed mesh theatre:"
        #expect(shown.lines.contains(head), "\(shown.lines)")
        #expect(shown.lines.contains { $0.contains("this node does not know the new one") } == isFormer)
    }

    @Test("code pair --close says whether a pairing window was open")
    func closesPairing() async throws {
        for isOpen in [false, true] {
            var status = StatusTextTests.status
            status.node.pairing = isOpen ? StatusDocument.Node.Pairing(openS: 299, triesLeft: 3) : nil
            let document = status
            try await withNode(
                at: "\(folder)/none.sock",
                { $0.method == "status" ? .document(document) : .document(DoneDocument()) }
            ) { _ in
                let beginning = isOpen ? "the pairing window is closed, " : "no pairing window was open"
                let closed = try await run(["code", "pair", "--close"])
                #expect(closed.status == .healthy)
                #expect(closed.lines.contains { $0.hasPrefix(beginning) }, "\(closed.lines)")
            }
        }
    }

    @Test("the next commands that are shown have the options of this one")
    func nextCommands() async throws {
        let options = state.joined(separator: " ")
        let made = try await run(self.made)
        #expect(made.lines.contains("  here         partyline run \(options)"))
        #expect(made.lines.contains("`partyline code show \(options)` shows it."))
        #expect(try await run(["init", "--open"]).lines.last == "  partyline enter \(options)")
        let code = try file("code", "apple zebra onion island")
        #expect(try await run(self.made).status == .healthy)
        #expect(
            try await run(["enter", "--code-file", code, "--seconds", "1"]).lines.last == "  partyline run \(options)")
    }

    @Test("init, enter and code read the file of --config as run does, and refuse one with a mistake")
    func configuration() async throws {
        let good = try file("good.toml", "mesh = \"boat\"\nstate-dir = \"\(folder)/other\"\n")
        let arguments = ["--config", good, "--control", "\(folder)/none.sock"]
        let named = made.dropLast(2) + arguments
        let lines = try await printedLines {
            #expect(await Program.run(named) == .healthy)
            #expect(await Program.run(["code", "show"] + arguments) == .healthy)
        }
        #expect(lines.contains("This node is in the closed mesh boat now."))
        #expect(lines.contains("  here         partyline run --control \(folder)/none.sock --config \(good)"))
        #expect(access("\(folder)/other/mesh", F_OK) == 0)
        let faulty = try file("faulty.toml", "mesh = \"boat\"\nnicc = \"A\"\n")
        let code = try file("code", "apple zebra onion island")
        for verb in [made, ["enter", "--code-file", code, "--seconds", "1"], ["code", "show"]] {
            let refused = try await run(verb + ["--config", faulty])
            #expect(refused.status == .usage && refused.lines.contains { $0.contains("faulty.toml:2:") })
        }
        #expect(access("\(folder)/state/mesh", F_OK) != 0)
    }

    @Test("init takes the name of the mesh from the crew file that config.toml names, as run does")
    func crewFile() async throws {
        _ = try file("crew.toml", "[crew]\nmesh = \"theatre\"\n\n[role.lights]\n")
        let config = try file("config.toml", "crew = \"crew.toml\"\nrole = \"lights\"\n")
        let made = try await run(made.filter { !["--role", ""].contains($0) }.dropLast(2) + ["--config", config])
        #expect(made.status == .healthy && made.lines.contains("This node is in the closed mesh theatre now."))
        let faulty = try file("faulty.toml", "crew = \"none.toml\"\nrole = \"lights\"\n")
        #expect(try await run(["code", "show", "--config", faulty]).status == .usage)
    }

    /// Asks a node that does not run, in the state folder of this test.
    private func stopped<Words>(_ body: (StoppedNode, RunOptions) throws -> Words) throws -> Words {
        let paths = StandardPaths(environment: ["HOME": folder], user: 7, folderExists: { _ in false })
        var settings = RunSettings()
        settings.set(.stateDir, option: "\(folder)/state")
        let options = try RunResolution.resolve(options: settings, file: RunSettings(), paths: paths, hostName: "host")
        let node = try StoppedNode(options)
        defer { node.close() }
        return try body(node, options)
    }

    @Test("init keeps the devices that its options name; without them, and without a terminal, it keeps none")
    func devices() async throws {
        func kept() throws -> DeviceWords { try stopped { try $0.devices($1) } }
        let unnamed = made.filter { !["--input", "--output", "null"].contains($0) }
        #expect(try await run(unnamed).status == .healthy)
        #expect(try kept() == DeviceWords(input: "alsa:default", output: "alsa:default"))
        let config = try file("config.toml", "output = \"alsa:loud\"\n")
        let named = ["--input", "file:voice.wav", "--replace", "--config", config]
        #expect(try await run(unnamed + named).status == .healthy)
        let here = FileManager.default.currentDirectoryPath
        #expect(try kept() == DeviceWords(input: "file:\(here)/voice.wav", output: "alsa:default"))
        #expect(try await run(made + ["--replace", "--input", "tape:1"]).status == .usage)
    }

    @Test("init keeps the name and the role that its options name, and not those of a file")
    func profile() async throws {
        func kept() throws -> ProfileWords { try stopped { try $0.profile($1) } }
        let config = try file("config.toml", "nick = \"desk\"\nrole = \"lights\"\n")
        let unnamed = made.filter { !["--nick", "A"].contains($0) } + ["--config", config]
        #expect(try await run(unnamed.filter { !["--role", ""].contains($0) }).status == .healthy)
        #expect(try kept() == ProfileWords(nick: "host"))
        #expect(try await run(unnamed + ["--nick", "Ann", "--replace"]).status == .healthy)
        #expect(try kept() == ProfileWords(nick: "Ann"))
    }

    @Test("init says that name and devices are not kept, with 4, and shows the code of the mesh all the same")
    func notKept() async throws {
        // SQLite cannot open a folder.
        try FileManager.default.createDirectory(
            atPath: "\(folder)/state/partyline.sqlite", withIntermediateDirectories: true)
        let first = try await run(made)
        #expect(first.status == .degraded)
        #expect(first.lines.contains { $0.contains("your choices are not kept for the next start: ") })
        let shown = try await run(["code", "show"])
        let code = try #require(shown.lines.first { $0.hasPrefix("      ") })
        #expect(first.lines.contains(code))
    }

    @Test("init --open leaves the mesh, and says what that means")
    func opens() async throws {
        #expect(try await run(["init", "--open"]).lines == ["This node is in an open mesh already."])
        #expect(try await run(made).status == .healthy)
        let opened = try await run(["init", "--open"])
        #expect(opened.status == .healthy && opened.lines.joined(separator: " ").contains("anybody on its network can"))
        #expect(try await run(["code", "show"]).status == .failed)
        for option in ["--mesh", "--input"] {
            #expect(try await run(["init", "--open", option, "null"]).status == .usage)
        }
    }

    @Test("a code of one's own must be hard to guess; a refused one leaves everything as it was")
    func ownCode() async throws {
        let weak = try file("weak", "theatre2026\n")
        let refused = try await run(made + ["--code-file", weak])
        #expect(refused.status == .usage && refused.lines.contains { $0.contains("about 26 bits") })
        #expect(access("\(folder)/state/mesh", F_OK) != 0)
        let strong = try file("strong", "Apple, zebra onion ISLAND\n")
        let done = try await run(made + ["--code-file", strong])
        #expect(done.status == .healthy && !done.lines.contains { $0.contains("onion") })
        #expect(try await run(["code", "show"]).lines.contains { $0.contains("onion") })
    }

    @Test("a mesh that replaces another takes no code of that one, however it is typed")
    func replacedCode() async throws {
        let old = try file("old", "Apple, zebra onion ISLAND\n")
        #expect(try await run(made + ["--code-file", old]).status == .healthy)
        let mesh = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/state/mesh"))
        let again = try file("again", "apple zebra onion island\n")
        let refused = try await run(made + ["--replace", "--code-file", again])
        #expect(refused.status == .failed && refused.lines.contains { $0.contains("choose another code") })
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/state/mesh")) == mesh)
        let other = try file("other", "island onion zebra apple\n")
        #expect(try await run(made + ["--replace", "--code-file", other]).status == .healthy)
    }

    @Test("a member enters no other mesh unless --replace is given")
    func member() async throws {
        let code = try file("code", "apple zebra onion island")
        #expect(try await run(made).status == .healthy)
        let refused = try await run(["enter", "--code-file", code, "--seconds", "1"])
        #expect(refused.status == .failed && refused.lines.contains { $0.contains("closed mesh theatre already") })
        #expect(refused.lines.joined(separator: " ").contains("left it behind, or if you mean another mesh, add"))
        let mine = try file("mine", "apple zebra island onion")
        #expect(try await run(made + ["--replace", "--code-file", mine]).status == .healthy)
        let again = try await run(["enter", "--code-file", mine, "--seconds", "1"])
        #expect(again.status == .healthy && again.lines.contains { $0.contains("and this is its code") })
        #expect(again.lines.joined(separator: " ").contains("left it behind: then add --replace"))
    }

    @Test("run says so if its code file has another code than the mesh in which the node stays")
    func changedCodeFile() async throws {
        let code = try file("code", "apple zebra onion island\n")
        #expect(try await run(made + ["--code-file", code]).status == .healthy)
        // The other name stops the start after the warning.
        func start(_ code: String) async throws -> [String] {
            try await run(["run", "--mesh", "elsewhere", "--code-file", code]).lines
        }
        let words = "has another code than the closed mesh theatre"
        let other = try file("other", "island zebra onion apple\n")
        #expect(try await start(other).contains { $0.contains(words) && $0.contains("enter --replace --code-file") })
        #expect(try await !start(file("same", "APPLE zebra, onion island")).contains { $0.contains(words) })
        #expect(try await !start("\(folder)/none").contains { $0.contains(words) })
    }

    @Test("enter says that the folder is in use before it wants the code")
    func folderInUse() async throws {
        let settings = ["--state-dir", "\(folder)/state", "--code-file", "\(folder)/none"]
        try FileManager.default.createDirectory(atPath: "\(folder)/state", withIntermediateDirectories: true)
        let lock = open("\(folder)/state/lock", O_RDWR | O_CREAT, 0o600)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX) == 0)
        let lines = try await printedLines { #expect(await Program.run(["enter"] + settings) == .failed) }
        #expect(lines.contains { $0.contains("a node is running with the state folder") })
    }

    @Test("enter finds nobody, says what to check, and changes nothing")
    func nobody() async throws {
        let code = try file("code", "apple zebra onion")
        let ended = try await run(["enter", "--code-file", code, "--seconds", "1", "--discovery", "none"])
        #expect(ended.status == .failed && ended.lines.contains { $0.contains("this one has 3 (a code of your own") })
        #expect(ended.lines.contains { $0.hasSuffix("no node of a closed mesh was found in 1 s") })
        #expect(access("\(folder)/state/mesh", F_OK) != 0)
    }

    @Test("a folder that cannot be written is said, and is 1")
    func readOnly() async throws {
        let blocked = try file("blocked", "")
        let lines = try await printedLines {
            #expect(await Program.run(made + ["--state-dir", "\(blocked)/state"]) == .failed)
            #expect(
                await Program.run(["enter", "--code-file", blocked, "--state-dir", "\(blocked)/state"]) == .failed,
                "the folder is looked at before the file without a code")
        }
        #expect(try await run(["enter", "--code-file", blocked]).status == .usage)
        #expect(lines.contains { $0.contains("nothing was kept") })
    }

    @Test(
        "a wrong command line is 2, and a code is no argument",
        arguments: [
            ["enter", "--seconds", "0"], ["enter", "--peer", "nowhere:x"], ["enter", "apple zebra onion island"],
            ["init", "--code", "apple zebra onion island"], ["code", "set", "apple zebra onion island"],
            ["code", "change", "apple zebra onion island"], ["code", "set", "--leave"],
        ])
    func usage(arguments: [String]) async {
        #expect(await Program.run(arguments) == .usage)
    }
}
