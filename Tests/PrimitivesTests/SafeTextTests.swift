import Primitives
import Testing

@Suite("Text that strangers wrote")
struct SafeTextTests {
    @Test(
        "keeps what people write",
        arguments: [
            ("Ana", "Ana"), ("  Ana  B.  ", "Ana B."), ("Zoë", "Zoë"), ("山田太郎", "山田太郎"), ("محمد", "محمد"),
            ("a\tb\r\nc", "a b c"), ("👩‍👩‍👧", "👩‍👩‍👧"), ("❤️", "❤️"), ("🇩🇪", "🇩🇪"), ("e\u{301}", "é"), ("ệ", "ệ"),
            ("a\u{323}\u{302}", "ậ"), ("क्ष्म्य", "क्ष्म्य"), ("<b>&\"'", "<b>&\"'"),
        ])
    func kept(_ raw: String, _ shown: String) { #expect(SafeText(raw).string == shown) }

    @Test(
        "loses what would act on a terminal, a log or an eye",
        arguments: [
            ("\u{1B}[31mred\u{1B}[0m", "[31mred[0m"), ("a\u{0}b", "ab"), ("a\u{7F}b", "ab"), ("a\u{9B}31m", "a31m"),
            ("user\u{202E}nimda", "usernimda"), ("a\u{2066}b\u{2069}", "ab"), ("a\u{200B}b", "ab"),
            ("a\u{200D}b", "ab"),
            ("a\u{FEFF}b", "ab"), ("a\u{AD}b", "ab"), ("a\u{3164}b", "ab"), ("a\u{2800}b", "ab"), ("a\u{FE0F}b", "ab"),
            ("a\u{E0100}", "a"), ("a\u{E0041}", "a"), ("a\u{180B}", "a"), ("\u{E000}x", "x"), ("a\u{2028}b", "a b"),
            ("\u{301}x", "x"), ("a\n\u{1F3FB}x", "a x"), ("\u{200B}\u{301}x", "x"), ("\u{202E}", ""),
            (" \u{A0}\u{3000} ", ""), ("", ""),
        ])
    func removed(_ raw: String, _ shown: String) { #expect(SafeText(raw).string == shown) }

    @Test("is cut between characters, by number and by bytes")
    func bounds() {
        #expect(SafeText(String(repeating: "ä", count: 100)).string == String(repeating: "ä", count: 24))
        #expect(SafeText("ääää", graphemesMax: 9, bytesMax: 5).string == "ää")
        #expect(SafeText("ab cd", graphemesMax: 3).string == "ab")
        #expect(SafeText("ab cd", graphemesMax: 4).string == "ab c")
        let stacked = "a" + String(repeating: "\u{301}", count: 10_000)
        #expect(SafeText(stacked + "b").string == "a\u{301}\u{301}b", "at most two marks on a letter")
        #expect(SafeText("a\u{301}\u{301}\u{200D}\u{301}").string == "a\u{301}\u{301}", "nothing invisible hides more")
    }

    @Test("shows bytes that are no UTF-8 as such")
    func invalidUTF8() { #expect(SafeText(bytes: [0x61, 0xFF, 0x62]).string == "a\u{FFFD}b") }

    /// Random draws from what is dangerous in combination; the rule is checked, not an example.
    @Test("is clean, bounded, and the same when cleaned again, whatever it was")
    func hostile() {
        let pool: [UInt32] = [
            0x20, 0x61, 0x31, 0x23, 0x1B, 0x9B, 0x0, 0xD, 0xA, 0x85, 0xAD, 0x300, 0x301, 0x20DD, 0x34F, 0x1100, 0x1161,
            0x11A8,
            0x115F, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E, 0x202E, 0x2028, 0x2060, 0x2066, 0x2764, 0x2800, 0x3164,
            0xFE0E,
            0xFE0F, 0xFEFF, 0xFFF9, 0xFFFF, 0xE000, 0x1F1E9, 0x1F1EA, 0x1F468, 0x1F3FB, 0x1F469, 0xE0041, 0xE007F,
            0xE0100, 0x10FFFF,
        ]
        let banned: (Unicode.Scalar) -> Bool = { scalar in
            scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || (0x202A...0x202E).contains(scalar.value)
                || (0x2066...0x2069).contains(scalar.value) || (0x200B...0x200C).contains(scalar.value)
        }
        var random = SeededRandom(seed: 4)
        var notIdempotent: [String] = []
        var unclean = 0
        for _ in 0..<50_000 {
            var raw = String.UnicodeScalarView()
            for _ in 0..<random.below(12) {
                if let scalar = Unicode.Scalar(pool[Int(random.below(UInt64(pool.count)))]) { raw.append(scalar) }
            }
            let text = SafeText(String(raw))
            if text.string.unicodeScalars.contains(where: banned) || 24 < text.string.count { unclean += 1 }
            if SafeText(text.string).string.unicodeScalars.elementsEqual(text.string.unicodeScalars) == false {
                notIdempotent.append(String(raw.map { "U+" + String($0.value, radix: 16) }.joined(separator: " ")))
            }
        }
        #expect(unclean == 0)
        #expect(notIdempotent.first == nil)
    }
}
