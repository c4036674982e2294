import Commands
import Foundation
import NodeRuntime
import Testing

@Suite("What partyline init prints")
struct InitTextTests {
    @Test("the code once, large, and what to do next; then the way back to an open mesh")
    func golden() throws {
        let code = try #require(TypedCode("kite oven lamp zero"))
        let lines =
            InitText.made("crew", code: code, next: OptionEcho(), paint: .plain) + ["--"]
            + InitText.made("crew", code: nil, next: OptionEcho(name: "second"), paint: .plain) + ["--"]
            + InitText.opened(left: "crew", codeFile: nil, next: OptionEcho()) + ["--"]
            + InitText.opened(left: nil, codeFile: nil, next: OptionEcho(config: "box.toml"))
        try Golden.check(lines, "init")
        for line in lines { #expect(Columns.width(line) <= 80, "\(line)") }
    }

    @Test("a node whose configuration names a code file is promised no open mesh")
    func codeFile() {
        let lines = InitText.opened(left: "crew", codeFile: "/etc/partyline/code", next: OptionEcho())
        let text = lines.joined(separator: " ")
        #expect(text.contains("the code file /etc/partyline/code, so its next start enters the mesh of that code."))
        #expect(!text.contains("anybody on its network can listen"))
        for line in lines { #expect(Columns.width(line) <= 80, "\(line)") }
    }

    @Test("a code is shown as it counts, however it was typed; one in another script as it was typed")
    func normalised() throws {
        func shown(_ typed: String) throws -> String {
            InitText.code(try #require(TypedCode(typed)), paint: .plain).joined().trimmingCharacters(in: .whitespaces)
        }
        #expect(try shown("Rinse-River   cost,   SPACE") == "rinse   river   cost   space")
        #expect(try shown("Große  Bühne 7") == "Große   Bühne   7")
    }

    @Test("neither a name nor a code can steer the terminal")
    func escapes() throws {
        let code = try #require(TypedCode("kite\u{1B}[2J \u{202E}oven"))
        let text = InitText.made("a\u{1B}[2J\u{202E}b", code: code, next: OptionEcho(), paint: .plain).joined()
        #expect(!text.contains("\u{1B}") && !text.contains("\u{202E}"))
    }
}
