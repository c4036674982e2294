import Channels
import NodeRuntime
import Testing

@Suite("names that a person writes")
struct TypedNameTests {
    @Test("a letter and its mark are one character, so both spellings are one channel")
    func composed() throws {
        let apart = try ChannelName(typed: "cafe\u{301}")
        let together = try ChannelName(typed: "caf\u{E9}")
        #expect(Array(apart.folded.utf8) == Array(together.folded.utf8), "the same bytes, so the same id")
        #expect(Array(try ChannelName(typed: "Ü").folded.utf8) == Array(try ChannelName(typed: "u\u{308}").folded.utf8))
    }

    @Test(
        "names of all scripts stay as they are written",
        arguments: ["stage", "Bühne", "舞台", "сцена", "🎥 1", "a b", "ậ"])
    func kept(text: String) throws { #expect(try ChannelName(typed: text).description == text) }

    @Test("the mark code: names a channel with a code, and its own 24 characters come after it")
    func coded() throws {
        let long = String(repeating: "x", count: 24)
        #expect(try ChannelName(typed: "code:" + long).description == "code:" + long)
        let name = try ChannelName(typed: "Code:Lights")
        #expect(name.hasCode && name.description == "code:Lights" && name != ChannelName("Lights"))
    }

    @Test(
        "a text that is no name is refused with its reason",
        arguments: [
            ("", NameFault.empty), (" \t", .empty), ("\u{3000}", .empty),
            (String(repeating: "x", count: 25), .tooLong), (String(repeating: "x", count: 10_000), .tooLong),
            ("x" + String(repeating: "\u{301}", count: 5_000), .tooLong),
            (" a", .spaces), ("a ", .spaces), ("a  b", .spaces), ("a\tb", .spaces), ("a\nb", .spaces),
            ("a\u{202E}b", .invisible), ("a\u{200B}b", .invisible), ("\u{301}a", .invisible),
            ("a\u{7}b", .control), ("\u{1B}[31mred", .control),
            ("\u{202E}", .invisible), ("code:", .empty), ("code: a", .spaces), ("code:code:a", .mark),
            ("\u{FFFD}a", .noText), ("code:\u{FFFD}", .noText),
            ("соde:a", .markLook), ("code:" + String(repeating: "x", count: 25), .tooLong),
        ])
    func refused(text: String, fault: NameFault) {
        #expect(throws: fault) { try ChannelName(typed: text) }
    }

    @Test(
        "a third mark on a letter is refused",
        arguments: [
            "x\u{323}\u{324}\u{325}", "ab\u{301}\u{301}\u{301}c", "x" + String(repeating: "\u{323}", count: 60),
        ])
    func marks(text: String) { #expect(throws: NameFault.marks) { try ChannelName(typed: text) } }
}
