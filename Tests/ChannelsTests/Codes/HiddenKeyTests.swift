import Channels
import Primitives
import Testing
import Trust

@Suite("keys of channel codes in texts")
struct HiddenKeyTests {
    @Test("the code of a channel, and its runs, are printed without a key")
    func printing() {
        let coded = CodeBench.coded(0xAB)
        var text = String(describing: coded) + String(reflecting: ChannelCodeInput.hold(coded, isNews: true))
        dump(coded, to: &text)
        let exchange = CodeExchange(
            CodeRun(sessionID: [], channelIdentifier: []), codeKey: [UInt8](repeating: 0xAB, count: 32))
        let task = CodeTask.begin(exchange, uniform: [UInt8](repeating: 0xAB, count: 64))
        text += String(describing: exchange) + String(reflecting: task)
        if case .begun(let share) = task.result(with: TransparentCode()) { text += String(describing: share) }
        dump(task, to: &text)
        #expect(!text.contains("171") && text.contains("hidden"))
    }
}
