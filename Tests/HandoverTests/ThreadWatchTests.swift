import Handover
import Testing

@Suite("a thread that makes no more rounds")
struct ThreadWatchTests {
    @Test("it stands still after four checks without a round, and no more when it goes on")
    func still() {
        var watch = ThreadWatch(looksInVainMax: 4)
        for rounds in [7, 7, 7, 7] as [UInt64] {
            watch.look(at: rounds)
            #expect(!watch.standsStill)
        }
        for _ in 0..<3 {
            watch.look(at: 7)
            #expect(watch.standsStill)
        }
        watch.look(at: 8)
        #expect(!watch.standsStill)
    }
}
