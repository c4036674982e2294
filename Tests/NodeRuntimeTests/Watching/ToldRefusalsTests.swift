import NodeRuntime
import Primitives
import Testing
import Wire

@Suite("Refusals that people are told")
struct ToldRefusalsTests {
    @Test("the refusals of one attempt are told once; another peer, another reason and a later attempt are news")
    func once() {
        var told = ToldRefusals()
        func isNews(_ number: Int, _ reason: RefusalReason = .otherMesh, atMilliseconds at: Int64) -> Bool {
            told.tells(NodeID(words: (UInt64(number), 2, 3, 4)), reason, now: .zero + .milliseconds(at))
        }
        #expect(isNews(1, atMilliseconds: 0) && !isNews(1, atMilliseconds: 0) && !isNews(1, atMilliseconds: 1_750))
        #expect(isNews(2, atMilliseconds: 1_750) && isNews(1, .wrongCode, atMilliseconds: 1_750))
        #expect(isNews(1, atMilliseconds: 2_000), "the refusals between do not put it off")
        for number in 10..<10 + ToldRefusals.countMax { #expect(isNews(number, atMilliseconds: 2_100)) }
        #expect(isNews(1, atMilliseconds: 2_100), "one more takes the place of the oldest")
    }
}
