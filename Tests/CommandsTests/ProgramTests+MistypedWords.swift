import Commands
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
            (["nonsense"], "there is no command 'nonsense'"),
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

    @Test("the usage of a verb shows one argument where it takes one", arguments: ["level", "volume", "pan", "dim"])
    func usage(verb: String) async throws {
        let printed = try await printedLines { #expect(await Program.run(["help", verb]) == .healthy) }
        #expect(printed.contains { $0.hasPrefix("USAGE: partyline \(verb)") && !$0.contains("...") }, "\(printed)")
    }
}
