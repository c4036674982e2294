import NodeRuntime
import Primitives
import Testing

@Suite("Keys that are down and lose their listeners")
struct HeardKeysTests {
    @Test("a listener that goes on and off is told once in ten seconds while the key is down, and again after a press")
    func seldom() {
        var keys = HeardKeys()
        func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }
        #expect(!keys.isNews(0, now: at(1)), "nobody has heard it since it went down")
        keys.recordHeard(0)
        #expect(keys.isNews(0, now: at(2)) && !keys.isNews(1, now: at(2)))
        keys.recordTold(0, now: at(2))
        #expect(!keys.isNews(0, now: at(60)), "told")
        keys.recordHeard(0)
        #expect(!keys.isNews(0, now: at(3)) && !keys.isNews(0, now: at(11)))
        #expect(keys.isNews(0, now: at(12)), "it is not lost, only later")
        keys.recordTold(0, now: at(12))
        keys.release(0)
        keys.recordHeard(0)
        #expect(keys.isNews(0, now: at(13)), "another press")
    }
}
