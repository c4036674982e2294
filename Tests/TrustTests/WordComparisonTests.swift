import Primitives
import Testing
import Trust
import Wire

@Suite("Comparison of words")
struct WordComparisonTests {
    private static let mesh = MeshID(high: 1, low: 2)

    /// One side of a comparison.
    private struct Side {
        var machine = WordComparison()
        let pair: WordPair

        init(_ own: UInt64, with peer: UInt64, mesh: MeshID = WordComparisonTests.mesh) {
            pair = WordPair(
                in: mesh, own: NodeID(words: (own, 0, 0, 0)), peer: NodeID(words: (peer, 0, 0, 0)),
                with: TransparentSealing(seed: 1))
        }

        mutating func begin(_ nonce: UInt8) -> WordStep { machine.begin(pair, nonce: nonces(nonce), now: .zero) }
        mutating func receive(
            _ step: WordStep, _ nonce: UInt8 = 99, after wait: Interval = .zero
        ) -> WordComparison.Outcome {
            machine.receive(step, pair, nonce: nonces(nonce), now: .zero + wait)
        }
    }

    private static func nonces(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: WireSizes.nonceBytes) }

    /// The words of both sides after a run that `first` begins; nil where a side has none.
    private func run(_ first: inout Side, _ second: inout Side, _ nonce: UInt8 = 1) -> [ComparedWords?] {
        guard case .answers(let answer) = second.receive(first.begin(nonce), 2),
            case .opens(let opening, let words) = first.receive(answer)
        else { return [] }
        guard case .agreed(let others) = second.receive(opening) else { return [words, nil] }
        return [words, others]
    }

    @Test("both sides have the same words, whichever begins, and others in the next run")
    func same() {
        var (a, b) = (Side(1, with: 2), Side(2, with: 1))
        let runs = [run(&a, &b), run(&a, &b, 3), run(&b, &a)]
        for words in runs { #expect(words.count == 2 && words[0] != nil && words[0] == words[1]) }
        #expect(Set(runs.map { $0[0] }).count == 3)
        #expect(runs[0][0]?.indexes.count == 4)
    }

    @Test("a node in the middle, or another mesh, gives other words at the two ends, though the nonces are passed on")
    func middle() {
        // A and B each compare with M, which passes each step on under its own two names.
        var (a, b) = (Side(1, with: 8), Side(2, with: 9))
        guard case .commit(let commitment) = a.begin(1),
            case .answers(.answer(let nonce)) = b.receive(.commit(commitment), 2),
            case .opens(.open(let opening), _) = a.receive(.answer(nonce))
        else {
            Issue.record("the steps are passed on")
            return
        }
        #expect(b.receive(.open(opening)) == .isBroken, "the commitment names both nodes")
        // M makes runs of its own at both ends, with the same nonces.
        var (m, n) = (Side(8, with: 1), Side(9, with: 2))
        (a, b) = (Side(1, with: 8), Side(2, with: 9))
        let (atA, atB) = (run(&a, &m), run(&n, &b))
        #expect(atA.first != atB.first && atA.count == 2 && atB.count == 2)
        var (c, d) = (Side(1, with: 2), Side(2, with: 1, mesh: MeshID(high: 1, low: 3)))
        #expect(run(&c, &d).last == .some(nil))
    }

    @Test("a first side that shows another nonce than it was bound to gets no words")
    func otherNonce() {
        var (a, b) = (Side(1, with: 2), Side(2, with: 1))
        _ = b.receive(a.begin(1), 2)
        #expect(b.receive(.open(Self.nonces(7))) == .isBroken)
        #expect(b.receive(.open(Self.nonces(1))) == .isUnexpected, "it has one try")
    }

    @Test("if both begin at once, the run of the greater NodeID goes on and the other ends")
    func both() {
        var (a, b) = (Side(1, with: 2), Side(2, with: 1))
        let (ofA, ofB) = (a.begin(1), b.begin(2))
        #expect(b.receive(ofA) == .yields)
        guard case .answers(let answer) = a.receive(ofB, 3), case .opens(let opening, let words) = b.receive(answer)
        else {
            Issue.record("the smaller one answers")
            return
        }
        #expect(a.receive(opening) == .agreed(words))
    }

    @Test("a run of the greater NodeID that is not answered gives way to the other one after three seconds")
    func lost() {
        var (a, b) = (Side(1, with: 2), Side(2, with: 1))
        _ = b.begin(2)
        let commitment = a.begin(1)
        let wait = WordComparison.answerWaitMax
        #expect(b.receive(commitment, after: wait - .milliseconds(1)) == .yields)
        guard case .answers(let answer) = b.receive(commitment, 3, after: wait),
            case .opens(let opening, let words) = a.receive(answer)
        else {
            Issue.record("the run of the lesser NodeID goes on")
            return
        }
        #expect(answer == .answer(Self.nonces(3)), "the nonce of the lost run is never shown")
        #expect(b.receive(opening, after: wait) == .agreed(words))
    }

    @Test("a person who asks while the peer's run is under way waits for its words, once")
    func joined() {
        var (a, b) = (Side(1, with: 2), Side(2, with: 1))
        func joins(after wait: Interval = .zero) -> Bool { b.machine.joinsPeersRun(now: .zero + wait) }
        let isIdleJoined = joins()
        _ = b.receive(a.begin(1), 2)
        let (first, second) = (joins(), joins())
        #expect(!isIdleJoined && first && !second)
        _ = b.receive(a.begin(3), 4)
        let isLateJoined = joins(after: WordComparison.answerWaitMax)
        #expect(!isLateJoined, "a run that has stood for so long is lost")
    }

    @Test("a person who has waited for the words of one run waits for those of the next run too")
    func joinedAgain() {
        var (a, b) = (Side(1, with: 2), Side(2, with: 1))
        func joins() -> Bool { b.machine.joinsPeersRun(now: .zero) }
        let begun = b.receive(a.begin(1), 2)
        let isFirstJoined = joins()
        guard case .answers(let answer) = begun, case .opens(let opening, let words) = a.receive(answer) else {
            Issue.record("the first run goes on")
            return
        }
        #expect(b.receive(opening) == .agreed(words))
        _ = b.receive(a.begin(3), 4)
        let isNextJoined = joins()
        #expect(isFirstJoined && isNextJoined, "a run of its own would show the peer other words than this person")
    }

    @Test("a step that does not come next changes nothing")
    func unexpected() {
        var (a, b) = (Side(1, with: 2), Side(2, with: 1))
        for step in [WordStep.answer(Self.nonces(5)), .open(Self.nonces(5))] {
            #expect(b.receive(step) == .isUnexpected)
        }
        guard case .answers(let answer) = b.receive(a.begin(1), 2) else {
            Issue.record("an answer to the first step")
            return
        }
        #expect(b.receive(.answer(Self.nonces(5))) == .isUnexpected)
        #expect(a.receive(.open(Self.nonces(5))) == .isUnexpected)
        guard case .opens(let opening, let words) = a.receive(answer) else {
            Issue.record("the run goes on")
            return
        }
        #expect(b.receive(opening) == .agreed(words))
    }
}
