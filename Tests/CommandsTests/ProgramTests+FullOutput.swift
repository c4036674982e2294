import Commands
import ControlPlane
import Foundation
import NodeRuntime
import Testing

extension ProgramTests {
    @Test("text that standard output does not take is 1 and a sentence; a closed pipe is 1 without one")
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
    }
}
