import Commands
import Testing

extension ProgramTests {
    @Test("the help of `run` names the verbs that keep a name, since its own option holds for one run")
    func keptNames() async throws {
        let lines = try await printedLines { #expect(await Program.run(["help", "run"]) == .healthy) }
        let help = lines.flatMap { $0.split(separator: " ") }.joined(separator: " ")
        for verb in ["nick", "role", "colour"] { #expect(help.contains("(what `\(verb)` or `init` has kept")) }
    }
}
