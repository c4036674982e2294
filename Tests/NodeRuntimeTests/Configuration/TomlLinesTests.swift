import NodeRuntime
import Testing

@Suite("lines of a TOML file in messages")
struct TomlLinesTests {
    /// The line that a message about an item of the list `a` names; its items are texts and tables.
    private static func lines(_ text: String) throws -> [Int?] {
        let file = try TomlFields(text, path: "f")
        return try file.items("a", "items").map { item in
            guard case .file(_, let line) = line(item) else { return nil }
            return line
        }
    }

    private static func line(_ item: TomlItem) -> ConfigurationError.Place {
        switch item {
        case .text(_, let place): place
        case .table(let table): table.place(of: "x")
        }
    }

    @Test("each item of a list of several lines has its own line")
    func items() throws {
        #expect(
            try Self.lines("a = [\n  \"x\", # comment with ] and \"\n  { x = 1 }, {x=2},\n\n  'y',\n]") == [2, 3, 3, 5])
        #expect(try Self.lines("b = \"\"\"\na = [1]\n\"\"\"\na = ['''\n]''',\n{ y = \"}\", x = 1 }]") == [4, 6])
    }

    @Test(
        "keys after values of every kind have their line",
        arguments: [
            "a = 1", "a = \"# no comment\"", "a = 'c:\\'", "a = \"\\\"\"", "a = [1, [2, 3], []]", "a = {}",
            "a = { b = [ {}, { c = \"]\" } ] }", "a = 1979-05-27 07:32:00 # when", "a = \"\"\"one \"quote\" \"\"\"\"",
            "\"a.b\" . c = true\r",
        ])
    func after(first: String) throws {
        let file = try TomlFields(first + "\n\nwrong = 1", path: "f")
        #expect(file.place(of: "wrong") == .file(path: "f", line: 3))
    }

    @Test("tables of arrays in arrays have their line")
    func nested() throws {
        let text = "[[r]]\n[r.one]\n[[r]]\n[r.one]\n[[r.one.key]]\nx = 1\n[[r.one.key]]\n x = 2"
        let second = try #require(try TomlFields(text, path: "f").tables("r").last)
        let keys = try #require(try second.table("one")).tables("key")
        #expect(keys.map { $0.place(of: "x") } == [.file(path: "f", line: 6), .file(path: "f", line: 8)])
    }

    @Test(
        "a key that is too long with the tables around it is refused, with its line, before the parser reads it",
        arguments: [
            // The parser frees nested tables by recursion, and does so at the error in the second line.
            "x = 1\na" + String(repeating: ".a", count: 120_000) + " = 1\n=",
            "x = 1\n[a" + String(repeating: ".a", count: 120_000) + "]\n=",
            "x = 1\na = " + String(repeating: "[", count: 200_000),
            "x = 1\na = " + String(repeating: "{ b = [", count: 30_000),
            "x = 1\n\"\"" + String(repeating: ".''", count: 60_000) + " = 1\n=",
            "x = 1\n[" + String(repeating: "a", count: 200_000) + "]\nb = 1",
        ])
    func deep(text: String) throws {
        let place = ConfigurationError.Place.file(path: "f", line: 2)
        let error = ConfigurationError(place, "a key has more than 256 bytes with the tables around it")
        #expect(throws: error) { try TomlFields(text, path: "f") }
        let short = "a" + String(repeating: ".a", count: 127)
        #expect(try TomlFields(short + " = 1", path: "f").words == ["a"])
        #expect(throws: ConfigurationError.self) { try TomlFields(short + ".a = 1", path: "f") }
    }

    @Test(
        "a table whose name does not begin as a key is refused before the parser, whose assertion would end the node",
        arguments: ["[=", "[[=x]]", "[ .x]", "[[ [x", "[[[x]]]", "[#", "[,]", "[é]", "[\rx]", "[\n"])
    func heads(head: String) throws {
        let place = ConfigurationError.Place.file(path: "f", line: 2)
        let error = ConfigurationError(place, "not TOML: a table without a name, expected [name] or [[name]]")
        #expect(throws: error) { try TomlFields("x = 1\n\(head)\n", path: "f") }
        #expect(throws: ConfigurationError.self) { try TomlFields("\u{FEFF}\(head)\n", path: "f") }
        // These are mistakes too, which the parser finds.
        for head in ["[]", "[", "[[", "[[]]"] {
            #expect(throws: ConfigurationError.self) { try TomlFields("x = 1\n" + head, path: "f") }
        }
        #expect(try TomlFields("[ 'a b'.\"c\" ] # d\n[[ -_ ]]\n[7]", path: "f").words == ["a b", "-_", "7"])
    }

    @Test(
        "the character U+0000 is refused, with its line, before the parser, which would end the text there",
        arguments: [
            "a = \"x\\u0000y\"", "a = \"\\U00000000\"", "\"\\u0000\" = 1", "a = [1, { b = \"\\\\\\u0000\" }]",
            "a = \"\"\"x\\u0000\"\"\"", "[t.\"\\u0000\"]", "a = \"\\u00001\"", "a = 1\0", "a = 'x\0y'", "# \0",
            "a\0b = 1",
        ])
    func zero(pair: String) throws {
        let place = ConfigurationError.Place.file(path: "f", line: 2)
        let error = ConfigurationError(place, "the character U+0000 is in the text, and no setting may have it")
        #expect(throws: error) { try TomlFields("x = 1\n\(pair)\nz = 1", path: "f") }
        let harmless = "a = 'x\\u0000y' # \\u0000\nb = \"\\\\u0000\"\nc = \"\\u00E9\\u1000\""
        #expect(try TomlFields(harmless, path: "f").words == ["a", "b", "c"])
    }

    @Test(
        "a brace in place of a value of a list is refused before the parser, whose assertion would end the node",
        arguments: ["y = [}", "y = [1,}]", "y = { z = [ # a\n, }", "y = [[],\t}"])
    func braces(pair: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try TomlFields("x = 1\n\(pair)\n", path: "f") }
        #expect(error?.problem == "not TOML: '}' in a list, expected a value or ]")
        #expect(try TomlFields("y = [{ a = [1, { b = [] },] }, 2]", path: "f").words == ["y"])
    }
}
