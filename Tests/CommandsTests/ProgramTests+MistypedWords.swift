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
}
