import Primitives
import Testing
import Voice

@Suite("side tone between two threads")
struct SideToneLineTests {
    /// Capture brings `period` samples at once, and playback takes `block`. Both wake up to 0.5 ms late, and their
    /// cards differ. The result is the waiting samples before each block that was taken, and the number of breaks.
    /// - Parameter known: the period that playback knows.
    private func run(
        period: Int, block: Int, drift: Double, seconds: Int, known: Int
    ) -> (waited: [Int], breaks: Int) {
        var random = SeededRandom(seed: 3)
        var line = SideToneLine()
        var (waiting, captured, breaks) = (0, 0, 0)
        var waited: [Int] = []
        for number in 1..<(seconds * 48_000 / block) {
            let now = Double(number * block) + random.unit() * 24
            while Double((captured + 1) * period) * (1 + drift) <= now - 7 {
                captured += 1
                waiting += period
            }
            let plan = line.plan(waiting: waiting, count: block, period: known)
            if plan.from != 1 || plan.to != 1 { breaks += 1 }
            guard plan.from != 0 || plan.to != 0 else { continue }
            waited.append(waiting - plan.skipping)
            waiting -= plan.skipping + block
            #expect(0 <= waiting)
        }
        return (waited, breaks)
    }

    @Test(
        "side tone waits no longer than necessary, and rarely breaks",
        arguments: [
            (240, 60, 0.0, 240), (240, 60, 100e-6, 240), (240, 60, -100e-6, 240), (480, 120, 50e-6, 480),
            (128, 32, 0, 128),
            // The card brings more at once than was asked for.
            (480, 60, 0, 240), (480, 60, 100e-6, 240), (480, 60, -100e-6, 60),
        ])
    func steady(period: Int, block: Int, drift: Double, known: Int) {
        let (waited, breaks) = run(period: period, block: block, drift: drift, seconds: 60, known: known)
        let late = waited.dropFirst(waited.count / 10)
        #expect(58 * 48_000 / block < waited.count)
        // A period comes at once. Beyond it, two blocks and a rest that is not worth a fade.
        #expect((late.max() ?? 0) <= period + 3 * block + 60 + 60, "\(late.max() ?? 0)")
        #expect(breaks <= 40, "\(breaks) breaks in a minute")
    }
}
