import Commands
import ControlPlane
import Testing

extension ProgramTests {
    @Test("a verb that changes the profile says where the change ends with the next start")
    func untilNextStart() async throws {
        let warning = "this node has this role until its next start: a guest keeps nothing"
        try await withNode({ _ in .document(DoneDocument(warnings: [warning])) }) { path in
            let printed = try await printedLines {
                #expect(await Program.run(["role", "--control", path, "sound"]) == .healthy)
            }
            #expect(printed.contains { $0.contains(warning) }, "\(printed)")
        }
    }
}
