import NodeRuntime
import Primitives
import Testing

@Suite("Requests that wait for a peer")
struct AwaitedAnswersTests {
    private let peer = NodeID(words: (1, 0, 0, 1))
    private let other = NodeID(words: (2, 0, 0, 1))

    @Test("the time of one request ends its own wait alone, and the answer goes to all others of the peer")
    func ownTime() {
        var requests = AwaitedAnswers<Int>()
        var answers: [String] = []
        let first = requests.add(peer) { answers.append("first \($0 ?? -1)") }
        let second = requests.add(peer) { answers.append("second \($0 ?? -1)") }
        _ = requests.add(other) { answers.append("other \($0 ?? -1)") }
        requests.end(first)
        #expect(answers == ["first -1"])
        requests.answer(peer, 7)
        #expect(answers == ["first -1", "second 7"])
        requests.end(second)
        requests.end(first)
        #expect(answers.count == 2, "each is answered once")
    }

    @Test("at the end of the node nobody waits any longer")
    func all() {
        var requests = AwaitedAnswers<Int>()
        var ended = 0
        for node in [peer, peer, other] { _ = requests.add(node) { if $0 == nil { ended += 1 } } }
        requests.endAll()
        requests.endAll()
        #expect(ended == 3)
    }
}
