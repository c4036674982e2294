import Commands
import ControlPlane
import Foundation
import NodeRuntime
import Testing

extension ProgramTests {
    @Test(
        "a mistyped command is 2, also for help, and the command that was perhaps meant is named",
        arguments: [
            (["tlak"], "there is no command 'tlak' (did you mean 'talk'?)"),
            (["TALK", "on"], "there is no command 'TALK' (did you mean 'talk'?)"),
            (["hlep"], "there is no command 'hlep' (did you mean 'help'?)"),
            (["tlak", "--help"], "there is no command 'tlak' (did you mean 'talk'?)"),
            (["help", "tlak"], "there is no command 'tlak' (did you mean 'talk'?)"),
            (["nonsense"], "there is no command 'nonsense'"), (["sail"], "there is no command 'sail'"),
            (["channel", "craete", "lights"], "`partyline channel` has no command 'craete' (did you mean 'create'?)"),
            (["help", "channel", "craete"], "`partyline channel` has no command 'craete' (did you mean 'create'?)"),
            (["peers", "blok", "SM"], "`partyline peers` has no command 'blok' (did you mean 'block'?)"),
        ] as [([String], String)])
    func mistyped(arguments: [String], sentence: String) async throws {
        let printed = try await printedLines { #expect(await Program.run(arguments) == .usage) }
        #expect(printed.first == "partyline: \(sentence)", "\(printed)")
    }

    @Test(
        "a value that is not valid is refused in the program's own words",
        arguments: [
            (["dim", "-5"], "dim takes one number from 0 to 60, in dB"),
            (["events", "--last", "-1"], "--last takes a number from 1 on"),
            (["replay", "-5"], "replay takes 1 to 300 seconds"),
            (["replay", "5", "--json"], "Unknown option '--json'"),
            (["dim", "10", "--json"], "Unknown option '--json'"),
            (["level", "deck", "-3", "--json"], "Unknown option '--json'"),
            (["volume", "SM", "-3", "--json"], "Unknown option '--json'"),
            (["pan", "SM", "auto", "--json"], "Unknown option '--json'"),
            (["private", "SM", "--seconds", "-3"], "--seconds takes more than 0 and at most 3600"),
            (["talk", "on", "--for", "0"], "--for takes more than 0 and at most 3600 seconds"),
            (
                ["join", "B", "--listen-only", "--talk-only"],
                "--listen-and-talk, --listen-only and --talk-only exclude each other"
            ),
        ] as [([String], String)])
    func ownWords(arguments: [String], sentence: String) async throws {
        let printed = try await printedLines { #expect(await Program.run(arguments) == .usage) }
        #expect(printed.first == "partyline: \(sentence)", "\(printed)")
    }

    @Test("a long word of the command line is cut in the answer")
    func longWord() async throws {
        let word = String(repeating: "x", count: 10_000)
        for arguments in [["status", word], ["join", word, "--replace"], ["events", "--last", word]] {
            let printed = try await printedLines { #expect(await Program.run(arguments) == .usage) }
            #expect(printed.joined().count < 2_000, "\(arguments[0])")
        }
    }

    @Test(
        "the usage of a verb shows one argument where it takes one",
        arguments: ["level", "volume", "pan", "dim", "replay"])
    func usage(verb: String) async throws {
        let printed = try await printedLines { #expect(await Program.run(["help", verb]) == .healthy) }
        #expect(printed.contains { $0.hasPrefix("USAGE: partyline \(verb)") && !$0.contains("...") }, "\(printed)")
    }
}

extension ProgramTests {
    @Test("the help of `run` names the verbs that keep a name, since its own option holds for one run")
    func keptNames() async throws {
        let lines = try await printedLines { #expect(await Program.run(["help", "run"]) == .healthy) }
        let help = lines.flatMap { $0.split(separator: " ") }.joined(separator: " ")
        for verb in ["nick", "role", "colour"] { #expect(help.contains("(what `\(verb)` or `init` has kept")) }
    }
}

extension ProgramTests {
    @Test("the completions offer files and folders where a path is typed, and the words of a choice")
    func completions() async throws {
        let script = try await printedLines { #expect(await Program.run(["completion", "bash"]) == .healthy) }
        let offers = [
            ("--code-file", "-f"), ("--config", "-f"), ("--control", "-f"), ("--crew", "-f"), ("--dir", "-d"),
            ("--keep", "-d"), ("--state-dir", "-d"), ("--admission", "-W 'open'"), ("--discovery", "-W 'auto'"),
            ("--ear", "-W 'both'"), ("--frame", "-W '2.5'"), ("--log-level", "-W 'error'"),
            ("--loudness", "-W 'match'"), ("--profile", "-W 'studio'"), ("--talk", "-W 'ptt'"),
        ]
        for (option, offer) in offers { expect(offer, after: option, in: script) }
        for verb in ["check", "show"] {
            let body = script.drop { !$0.contains("crew_\(verb)() {") }.prefix { $0 != "}" }
            #expect(body.contains { $0.contains("_add_completions -f") }, "\(verb)")
        }
    }

    private func expect(_ offer: String, after option: String, in script: [String]) {
        let places = script.indices.filter { script[$0].hasSuffix("'\(option)')") }
        #expect(!places.isEmpty, "\(option)")
        for place in places { #expect(script[place + 1].contains("_add_completions \(offer)"), "\(option)") }
    }
}

extension ProgramTests {
    @Test("a lab that cannot start is 1, and says why in one line")
    func labWithoutFolder() async throws {
        // A lab that ends leaves its handlers of these signals behind.
        defer { for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) } }
        let printed = try await printedLines {
            #expect(await Program.run(["lab", "--keep", "/proc/none"]) == .failed)
        }
        #expect(printed == ["partyline lab: cannot make the folder /proc/none: No such file or directory"])
    }
}

extension ProgramTests {
    @Test("text that standard output does not take is 1 and a sentence; a closed pipe is 1 without one, also unwritten")
    func outputRefused() async throws {
        func run(into descriptor: Int32, _ arguments: [String]) async -> Commands.ExitStatus {
            let output = dup(STDOUT_FILENO)
            fflush(nil)
            dup2(descriptor, STDOUT_FILENO)
            defer {
                dup2(output, STDOUT_FILENO)
                close(output)
            }
            return await Program.run(arguments)
        }
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        close(ends[0])
        defer {
            close(full)
            close(ends[1])
        }
        // The signal would end the tests, as it ends the program.
        signal(SIGPIPE, SIG_IGN)
        try await withNode({ _ in .document(StatusTextTests.status) }) { path in
            let verbs = [
                ["--help"], ["completion", "bash"], ["status", "--control", path],
                ["peers", "--json", "--control", path], ["status", "--watch", "--control", path],
            ]
            for verb in verbs {
                let told = try await printedLines { #expect(await run(into: full, verb) == .failed, "\(verb)") }
                #expect(told == ["partyline: standard output: No space left on device"], "\(verb)")
                let quiet = try await printedLines { #expect(await run(into: ends[1], verb) == .failed, "\(verb)") }
                #expect(quiet.isEmpty, "\(verb)")
            }
        }
        try await withNode({ _ in .subscribed(DoneDocument(), EventSubscription(kinds: nil)) }) { path in
            #expect(await run(into: ends[1], ["events", "--control", path]) == .failed, "without an event")
        }
    }
}
