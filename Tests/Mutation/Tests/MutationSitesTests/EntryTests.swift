import MutationSites
import Testing

@Suite("Written entries")
struct EntryTests {
    private let text = """
        # A comment.
        first: Nothing is a ghost.
        A.swift
        - guard a else { return }
        + guard a, !MUTANT else { return }
        B.swift
        - b()
        - c()
        + if !MUTANT { b() }
        + c()

        second [unit tests]: And another.
        B.swift
        - d()
        + if MUTANT { return }
        + d()
        """

    @Test("a hand-made fault is written behind its number, where its lines stand once")
    func handmade() throws {
        let entries = try Handmade.entries(text)
        #expect(entries.map(\.name) == ["first", "second"])
        #expect(entries.map(\.isForUnitTests) == [false, true])
        var texts = ["A.swift": "f {\n    guard a else { return }\n}", "B.swift": "b()\n  c()\nd()"]
        for (index, entry) in entries.enumerated() { try entry.write(into: &texts, as: index + 1) }
        #expect(texts["A.swift"] == "f {\nguard a, !mutantIs(1) else { return }\n}")
        #expect(texts["B.swift"] == "if !mutantIs(1) { b() }\nc()\nif mutantIs(2) { return }\nd()")
    }

    @Test(
        "a fault without a name of one word, or with a mark that is none, is an error",
        arguments: ["no colon", ": no name", "two words: x", "first [unit test]: x", "[unit tests]: x"])
    func badHead(line: String) {
        #expect(throws: Handmade.Trouble.self) { try Handmade.entries(line) }
    }

    @Test("a fault whose lines are gone, or stand twice, is an error", arguments: ["", "d()\nd()"])
    func mismatch(source: String) throws {
        let entry = try #require(try Handmade.entries(text).last)
        var texts = ["B.swift": source]
        #expect(throws: Handmade.Trouble.self) { try entry.write(into: &texts, as: 1) }
    }

    @Test("a verdict is found by the line's text, wherever the line is")
    func verdict() throws {
        let site = try #require(
            SiteFinder.sites(in: "let x = a < b", file: "A.swift", declarations: Declarations()).first)
        let verdicts = try Verdicts(Verdicts.key(of: site).joined(separator: "\n") + "\nBoth are never equal.\n")
        #expect(verdicts.reason(of: site) == "Both are never equal.")
        var other = site
        other.lineText = "let y = a < b"
        #expect(verdicts.reason(of: other) == nil)
        #expect(verdicts.stale(among: [site]).isEmpty && verdicts.stale(among: [other]) == [Verdicts.key(of: site)])
        #expect(throws: Verdicts.Trouble.self) { try Verdicts("A.swift\norder") }
    }
}
