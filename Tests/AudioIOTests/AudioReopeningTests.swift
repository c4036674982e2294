import AudioIO
import Primitives
import Testing

@Suite("opening a device anew")
struct AudioReopeningTests {
    @Test("attempts are 0.2, 0.4, 0.8 and then 1 s apart, however long the device is missing")
    func pauses() {
        var reopening = Reopening(firstTryAt: Instant(nanoseconds: 7))
        #expect(reopening.nextTryAt == Instant(nanoseconds: 7))
        var pauses: [Int64] = []
        for _ in 0..<8 {
            let triedAt = reopening.nextTryAt
            reopening.failed(now: triedAt)
            pauses.append((reopening.nextTryAt - triedAt).milliseconds)
        }
        #expect(pauses == [200, 400, 800, 1_000, 1_000, 1_000, 1_000, 1_000])
    }
}
