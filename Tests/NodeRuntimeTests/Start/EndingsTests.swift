import Dispatch
import NodeRuntime
import Testing

@Suite("the end of the parts of a node", .timeLimit(.minutes(1)))
struct EndingsTests {
    @Test("the part that was made last ends first, and each one is waited for")
    func order() async {
        let (ended, ends) = AsyncStream<String>.makeStream()
        var endings = Endings(secondsMax: 60) { ends.yield("\($0) hangs") }
        endings.append("state") { ends.yield("state") }
        endings.appendBlocking("ports") { ends.yield("ports") }
        endings.append("sound") {
            await Task.yield()
            ends.yield("sound")
        }
        await endings.run()
        ends.finish()
        let parts = await ended.reduce(into: [String]()) { $0.append($1) }
        #expect(parts == ["sound", "ports", "state"])
    }

    @Test("a part that hangs is named, and delays neither the next parts nor the end", arguments: [false, true])
    func hangs(blocks: Bool) async {
        let (told, tell) = AsyncStream<String>.makeStream()
        let (below, isOver) = AsyncStream<Void>.makeStream()
        let (never, isFree) = AsyncStream<Void>.makeStream()
        let disk = DispatchSemaphore(value: 0)
        var endings = Endings(secondsMax: 0.01) { tell.yield($0) }
        endings.append("ports") { isOver.finish() }
        if blocks {
            endings.appendBlocking("recording") { disk.wait() }
        } else {
            endings.append("recording") { for await _ in never {} }
        }
        await endings.run()
        for await _ in below {}
        tell.finish()
        disk.signal()
        isFree.finish()
        let first = await told.first { _ in true }
        #expect(first == "recording")
    }
}
