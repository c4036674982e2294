import Handover
import Testing

@Suite("The first of several answers")
struct FirstAnswerTests {
    @Test("a task goes on with the first answer, and each later one is told that it is late")
    func first() async {
        var isFirst: [Bool] = []
        let answer = await withCheckedContinuation { (continuation: CheckedContinuation<String, Never>) in
            let first = FirstAnswer(continuation)
            isFirst = [first.give("disk"), first.give("clock"), first.give("disk")]
        }
        #expect(answer == "disk" && isFirst == [true, false, false])
    }
}
