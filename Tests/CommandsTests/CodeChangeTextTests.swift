import Commands
import ControlPlane
import Foundation
import NodeRuntime
import Testing

@Suite("The text of partyline code change")
struct CodeChangeTextTests {
    private func document(_ json: String) throws -> CodeChangeDocument {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(CodeChangeDocument.self, from: Data(json.utf8))
    }

    @Test("the code once, then the nodes that stay, are away and are left behind, in 80 columns")
    func golden() throws {
        let code = try #require(TypedCode("kite oven lamp river"))
        let all = try document(
            """
            {"schema": "partyline.code_change/1", "mesh": "crew", "epoch": 2, "staying": ["Ada", "Bert"],
             "away": ["Cleo"], "returned": [], "blocked": [], "left_behind": ["Dora"], "unclear": []}
            """)
        let alone = try document(
            """
            {"schema": "partyline.code_change/1", "mesh": "a\\u001b[2Jb", "epoch": 9, "staying": [], "away": [],
             "returned": [], "blocked": [], "left_behind": [], "unclear": []}
            """)
        let lines =
            CodeChangeText.lines(all, code: code, paint: .plain) + ["--"]
            + CodeChangeText.lines(all, code: nil, paint: .plain) + ["--"]
            + CodeChangeText.lines(alone, code: code, paint: .plain)
        try Golden.check(lines, "code-change")
        for line in lines { #expect(Columns.width(line) <= 80 && !line.contains("\u{1B}"), "\(line)") }
    }

    @Test("all nodes are named, however many there are")
    func allNames() throws {
        let names = (100..<200).map { "node-\($0)" }
        let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
        let all = try document(
            """
            {"schema": "partyline.code_change/1", "mesh": "crew", "epoch": 2, "staying": [\(list)], "away": [],
             "returned": [], "blocked": [], "left_behind": [], "unclear": []}
            """)
        let text = CodeChangeText.lines(all, code: nil, paint: .plain).joined(separator: " ")
        #expect(names.allSatisfy(text.contains))
    }

    @Test("a node that stays although it is blocked here, or was left behind before, is named again, with a way out")
    func staysAlthough() throws {
        for (returned, blocked) in [("\"Carla\"", ""), ("", "\"Bert\"")] {
            let all = try document(
                """
                {"schema": "partyline.code_change/1", "mesh": "crew", "epoch": 2, "staying": ["Ada", "Carla"],
                 "away": ["Bert"], "returned": [\(returned)], "blocked": [\(blocked)], "left_behind": [], "unclear": []}
                """)
            let lines = CodeChangeText.lines(all, code: nil, paint: .plain)
            #expect(lines.contains("  stay, although left behind before: Carla") == blocked.isEmpty)
            #expect(lines.contains("  stay, although blocked here: Bert") == returned.isEmpty)
            #expect(lines.joined(separator: " ").contains("partyline code change --leave NAME"))
            for line in lines { #expect(Columns.width(line) <= 80, "\(line)") }
        }
    }

    @Test("a node that perhaps runs on a machine that is left behind is named again, with a way out")
    func unclear() throws {
        for unclear in ["", "\"music (4f2a-91c0)\""] {
            let all = try document(
                """
                {"schema": "partyline.code_change/1", "mesh": "crew", "epoch": 2, "staying": ["Ada"],
                 "away": ["music (4f2a-91c0)"], "returned": [], "blocked": [], "left_behind": ["Dora"],
                 "unclear": [\(unclear)]}
                """)
            let lines = CodeChangeText.lines(all, code: nil, paint: .plain)
            let line = "  stay, perhaps on a machine that is left behind: music (4f2a-91c0)"
            #expect(lines.contains(line) == !unclear.isEmpty)
            let text = lines.joined(separator: " ")
            #expect(text.contains("name it too: `partyline code change --leave NAME`") == !unclear.isEmpty)
            for line in lines { #expect(Columns.width(line) <= 80, "\(line)") }
        }
    }

    @Test("if 200 or more nodes are left behind, the text tells the limit")
    func limit() throws {
        for (count, isTold) in [(199, false), (200, true)] {
            let names = (0..<count).map { "\"n\($0)\"" }.joined(separator: ", ")
            let all = try document(
                """
                {"schema": "partyline.code_change/1", "mesh": "crew", "epoch": 2, "staying": [], "away": [],
                 "returned": [], "blocked": [], "left_behind": [\(names)], "unclear": []}
                """)
            let text = CodeChangeText.lines(all, code: nil, paint: .plain).joined(separator: " ")
            #expect(text.contains("256 are the most") == isTold)
        }
    }

    @Test("the digits of a pairing window, and how they end, in 80 columns")
    func pairing() throws {
        func document(_ mesh: String, replaced: Bool = false) throws -> PairingDocument {
            try DocumentJSON.document(
                PairingDocument.self,
                in: Array(
                    """
                    {"schema": "partyline.pairing/1", "mesh": "\(mesh)", "code": "493027", "open_s": 299.9, "tries": 3,
                     "replaced": \(replaced)}
                    """.utf8))
        }
        let lines =
            PairingText.lines(try document("crew"), paint: .plain) + ["--"]
            + PairingText.lines(try document("a\\u001b[2Jb", replaced: true), paint: .plain)
        try Golden.check(lines, "code-pair")
        for line in lines { #expect(Columns.width(line) <= 80 && !line.contains("\u{1B}"), "\(line)") }
    }
}
