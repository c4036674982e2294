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

    @Test("what an answer tells of is done before the task goes on, and not at all if the answer comes too late")
    func made() async {
        var made: [String] = []
        let answer = await withCheckedContinuation { (continuation: CheckedContinuation<String, Never>) in
            let first = FirstAnswer(continuation)
            for name in ["disk", "clock"] {
                _ = first.give {
                    made.append(name)
                    return name
                }
            }
        }
        #expect(answer == "disk" && made == ["disk"])
    }
}
