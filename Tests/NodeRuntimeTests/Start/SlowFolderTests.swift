import Dispatch
import NodeRuntime
import Testing

@Suite("A state folder that does not answer", .timeLimit(.minutes(1)))
struct SlowFolderTests {
    @Test("a start that waits for it says so, and goes on when it answers")
    func waits() {
        let told = DispatchSemaphore(value: 0)
        let folder = SlowFolder.watched(
            afterSeconds: 0, tell: { told.signal() },
            { () -> String in
                told.wait()
                return "opened"
            })
        #expect(folder == "opened")
    }

    @Test("a refusal of the folder reaches the start")
    func refuses() {
        struct Refusal: Error {}
        #expect(throws: Refusal.self) {
            try SlowFolder.watched(tell: {}, { () throws(Refusal) -> Void in throw Refusal() })
        }
    }
}
