import AlsaAudio
import Primitives
import Testing

@Suite("devices against the clock")
struct PaceKeeperTests {
    @Test("a card that runs 500 ppm fast for an hour keeps time", arguments: [-500, 0, 500])
    func drift(partsPerMillion: Int64) {
        var pace = PaceKeeper(keepsTime: true, bufferSamples: 480)
        pace.restart(at: .zero)
        for period in 1...Int64(720_000) {
            let nominal = period * 5_000_000
            pace.moved(240, now: Instant(nanoseconds: nominal - nominal / 1_000_000 * partsPerMillion))
        }
        #expect(pace.keepsTime)
    }

    @Test("a device that takes everything at once does not, and is found out within its buffer and 100 ms")
    func null() {
        var pace = PaceKeeper(keepsTime: true, bufferSamples: 480)
        pace.restart(at: .zero)
        var moved = 0
        while pace.keepsTime, moved < 48_000 {
            pace.moved(240, now: Instant(nanoseconds: Int64(moved)))
            moved += 240
        }
        #expect(5_280 <= moved && moved <= 5_760)
    }
}
