import Commands
import Foundation
import Testing

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
