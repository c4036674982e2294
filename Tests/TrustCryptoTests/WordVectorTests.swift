import Primitives
import Testing
import Trust
import TrustCrypto
import Wire

@Suite("Vectors of compared words")
struct WordVectorTests {
    @Test("a second implementation gives the same commitment and the same words")
    func vectors() throws {
        let values = try VectorFile.values("words.hex")
        let value = { (name: String) in try #require(values[name]) }
        let mesh = try MeshID(high: value("mesh").word(at: 0), low: value("mesh").word(at: 8))
        let (first, second) = (try #require(NodeID(value("first"))), try #require(NodeID(value("second"))))
        let sealing = Provider.real.make(1)
        func numbers(_ name: String) throws -> [Int] {
            let bytes = try value(name)
            return stride(from: 0, to: bytes.count, by: 2).map { Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) }
        }
        for (starter, other, own, others, words) in [
            (first, second, "first_nonce", "second_nonce", "words"),
            (second, first, "second_nonce", "first_nonce", "words_of_second"),
        ] {
            let pair = WordPair(in: mesh, own: starter, peer: other, with: sealing)
            var comparison = WordComparison()
            let commitment = comparison.begin(pair, nonce: try value(own), now: .zero)
            if starter == first { #expect(try commitment == .commit(value("commitment"))) }
            guard
                case .opens(.open(let opening), let drawn) = comparison.receive(
                    .answer(try value(others)), pair, nonce: [], now: .zero)
            else {
                Issue.record("the answer does not end the run")
                continue
            }
            #expect(try opening == value(own) && drawn.indexes == numbers(words))
        }
    }
}
