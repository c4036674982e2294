import ArgumentParser
import Lab
import Testing

@Suite("the command line of a lab")
struct CommandTests {
    @Test("all options are read")
    func options() throws {
        let words = [
            "--nodes", "5", "--channels", "3", "--seconds", "8", "--json", "--kill", "1@3", "--restart", "2@4",
            "--block", "0-3@2",
        ]
        let command = try #require(try LabCommand.parseAsRoot(words) as? LabCommand)
        #expect(command.nodes == 5)
        #expect(command.channels == 3)
        #expect(command.seconds == 8)
        #expect(command.json)
        #expect(command.kill.map(\.node) == [1])
        #expect(command.restart.map(\.node) == [2])
        #expect(command.block.map(\.second) == [3])
    }

    @Test(
        "what cannot be done is refused before anything starts",
        arguments: [
            ["--nodes", "1"], ["--nodes", "65"], ["--channels", "0"], ["--channels", "5"],
            ["--nodes", "20", "--channels", "15"], ["--seconds", "0"], ["--seconds", "601"], ["--kill", "4@1"],
            ["--kill", "x"], ["--block", "1-1@2"], ["--restart", "1@-1"],
        ])
    func refused(words: [String]) {
        #expect(throws: (any Error).self) { try LabCommand.parseAsRoot(words) }
    }
}
