import NodeRuntime
import Testing

@Suite("Codes of closed meshes")
struct TypedCodeTests {
    @Test("the list has 2,048 words of 3 to 6 letters a to z, in order, that differ in their first four letters")
    func list() {
        let words = CodeWordList.all
        #expect(words.count == 2_048)
        #expect(words == words.sorted() && Set(words).count == words.count)
        #expect(Set(words.map { $0.prefix(4) }).count == words.count)
        for word in words {
            #expect((3...6).contains(word.utf8.count), "\(word)")
            #expect(word.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }, "\(word)")
        }
    }

    @Test("random bytes lead to four words, and each value of a word's bytes to one word as often as to any other")
    func made() {
        let (first, last) = (CodeWordList.all[0], CodeWordList.all[2_047])
        #expect(TypedCode.words(random: [0, 0, 7, 255, 8, 0, 255, 255]) == "\(first) \(last) \(first) \(last)")
        var counts: [String: Int] = [:]
        for high in UInt8.min ... .max {
            for low in UInt8.min ... .max {
                let word = TypedCode.words(random: [high, low, 0, 0, 0, 0, 0, 0]).prefix { $0 != " " }
                counts[String(word), default: 0] += 1
            }
        }
        #expect(counts.count == 2_048 && Set(counts.values) == [32])
    }

    @Test("a made code has 44 bits, and two are different")
    func strength() {
        let code = TypedCode.made()
        #expect(code.typed.split(separator: " ").count == 4)
        #expect(CodeStrength.bits(of: code) == 44)
        #expect(code != TypedCode.made())
        #expect("\(code)" == "(hidden)")
    }

    @Test("a code with a word that comes twice is drawn again, since it would be refused as too easy to guess")
    func drawnAgain() throws {
        let draws: [[UInt8]] = [[0, 0, 0, 1, 0, 2, 0, 0], [0, 0, 0, 0, 0, 1, 0, 2], [0, 3, 0, 2, 0, 1, 0, 0]]
        var count = 0
        let code = TypedCode.made {
            defer { count += 1 }
            return draws[count]
        }
        #expect(count == 3 && code.typed == TypedCode.words(random: draws[2]))
        #expect(try TypedCode.chosen(code.typed) == code)
        #expect(throws: CodeFault.weak(bits: 33)) { try TypedCode.chosen(TypedCode.words(random: draws[0])) }
    }

    @Test(
        "a chosen code is estimated low: words of the list, letters, digits; repetition and order are worth nothing",
        arguments: [
            ("apple bread zebra onion", 33 + 10), ("APPLE, zebra!", 22), ("apple apple zebra apple", 22),
            ("aaaaaaaaaaaa", 2), ("abcdefgh", 2), ("87654321", 3), ("1234567890", 6), ("theatre2026", 7 * 2 + 4 * 3),
            ("xqj xqj", 6), ("9", 3), ("acacacacacacacacacac", 6), ("13131313131313", 9),
            ("theatre theatres theatre1 theatre2", 14), ("a b c d e f g h i j k", 2), ("apples apple zebra", 21),
        ])
    func estimate(_ typed: String, _ bits: Int) throws {
        #expect(CodeStrength.bits(of: try #require(TypedCode(typed))) == bits)
    }

    @Test(
        "a person who enters is told at once that a code of drawn words has another number of them, or another word",
        arguments: [
            ("apple zebra onion", "a code that partyline draws has 4 words, and this one has 3"),
            ("apple zebra onion island apple", "a code that partyline draws has 4 words, and this one has 5"),
            ("flank quote toss quik", "'quik' is no code word, did you mean 'quick'?"),
            ("apple zebra onion xylograph", "'xylograph' is no code word"),
            ("vectorgridlungyard", "the words of a code are written apart, and some of these are not"),
            ("VECTOR-Grid lungyard.", "the words of a code are written apart, and some of these are not"),
            ("vectorgridlung", nil), ("Vector, GRID  lung_yard", nil),
            ("Apple, zebra onion island", nil), ("theatre2026", nil), ("apple 49381607", nil),
        ] as [(String, String?)])
    func hint(_ typed: String, _ hint: String?) throws {
        #expect(try EntryCode.typed(typed).hint == hint)
    }

    @Test("how words are written counts for nothing, but a code with its words in one is another code")
    func apart() throws {
        let code = try TypedCode.typed("vector grid lung yard")
        #expect(code.isSame(as: try TypedCode.typed("Vector, GRID  lung_yard")))
        #expect(try !code.isSame(as: TypedCode.typed("vectorgridlungyard")))
        #expect(throws: CodeFault.glued, "a code to join a channel") { try TypedCode.joining("vectorgridlungyard") }
    }

    @Test("a code of a mesh needs 40 bits; a code to enter with needs none")
    func refused() throws {
        #expect(throws: CodeFault.weak(bits: 26)) { try TypedCode.chosen("theatre2026") }
        #expect(throws: CodeFault.empty) { try TypedCode.chosen(" -\n") }
        #expect(throws: CodeFault.tooLong) { try TypedCode.typed(String(repeating: "a", count: 257)) }
        #expect(try TypedCode.typed("theatre2026").typed == "theatre2026")
        #expect(try TypedCode.chosen("apple zebra onion island").typed == "apple zebra onion island")
        let weak = "\(CodeFault.weak(bits: 26))"
        #expect(weak.contains("about 26 bits") && !weak.contains("init"), "a person who joins a channel reads it too")
    }
}
