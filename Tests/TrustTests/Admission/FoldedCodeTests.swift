import Testing
import Trust

@Suite("A typed code")
struct FoldedCodeTests {
    private func folded(_ typed: String) -> String? {
        FoldedCode(typed).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test(
        "is the same whatever its case, its spaces and its marks",
        arguments: [
            "kite oven lamp 7", "Kite-Oven-Lamp-7", "  KITE, oven;\tlamp…7\n", "kite--oven \u{A0}lamp/7.",
        ])
    func folding(_ typed: String) {
        #expect(folded(typed) == "kite-oven-lamp-7")
    }

    @Test("keeps the bounds of its words, and drops what is neither a letter of a to z nor a digit")
    func words() {
        #expect(folded("kiteoven") == "kiteoven")
        #expect(folded("ki te") == "ki-te")
        #expect(folded("9") == "9")
        #expect(folded("gät") == "g-t")
        #expect(folded("@Z[`a{/0:9") == "z-a-0-9")
    }

    @Test("is none without a letter and a digit, or above its bound")
    func none() {
        #expect(folded("") == nil && folded(" -…") == nil)
        let longest = String(repeating: "a", count: FoldedCode.typedBytesMax)
        #expect(folded(longest) == longest && folded(longest + "a") == nil)
    }

    @Test("is not shown by accident, and neither is a secret")
    func hidden() throws {
        let code = try #require(FoldedCode("kite-oven"))
        let secret = try #require(EpochSecret(number: 3, bytes: Array(repeating: 77, count: 32)))
        #expect("\(code)" == "(hidden)" && !String(describing: [code]).contains("kite"))
        #expect("\(secret)" == "epoch 3 (hidden)")
    }

    @Test("the secret of an epoch has 32 bytes, and a number from 1 on")
    func secretBounds() {
        let bytes = [UInt8](repeating: 1, count: 32)
        #expect(EpochSecret(number: 1, bytes: bytes) != nil && EpochSecret(number: .max, bytes: bytes) != nil)
        #expect(EpochSecret(number: 0, bytes: bytes) == nil)
        #expect(EpochSecret(number: 1, bytes: bytes + [1]) == nil && EpochSecret(number: 1, bytes: []) == nil)
    }
}
