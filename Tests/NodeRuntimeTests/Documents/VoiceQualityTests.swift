import NodeRuntime
import Primitives
import Testing
import Voice

@Suite("the quality of a voice in one figure")
struct VoiceQualityTests {
    /// The expected figures are computed by hand from the formulas in the comment of `VoiceQuality`.
    private static let rows: [(lostShare: Double, delayMs: Double, figure: Double)] = [
        (0, 0, 4.4), (0, 15, 4.4), (0, 150, 4.3), (0, 250, 4.0), (0, 400, 3.1), (0, 2_000, 1.0),
        (0.01, 15, 4.3), (0.05, 15, 3.9), (0.10, 15, 3.4), (0.20, 15, 2.6), (0.5, 15, 1.6), (1, 15, 1.2),
        (0.05, 250, 3.3), (-1, -1, 4.4), (7, 15, 1.2),
    ]

    @Test("loss and delay lower it as the E-model says", arguments: rows)
    func table(row: (lostShare: Double, delayMs: Double, figure: Double)) {
        #expect(VoiceQuality.figure(lostShare: row.lostShare, delayMs: row.delayMs) == row.figure)
    }

    @Test("no worse network has a better figure")
    func monotonic() {
        for delay in stride(from: 0.0, through: 1_000, by: 25) {
            let figures: [Double] = (0...50).map { percent in
                VoiceQuality.figure(lostShare: Double(percent) / 50, delayMs: delay)
            }
            #expect(figures == figures.sorted(by: >) && figures.allSatisfy { 1 <= $0 && $0 <= 4.5 })
        }
    }

    @Test("the lost share follows the last seconds of talk, stays in a pause, and begins again with the next peer")
    func lostSound() {
        let slot = PeerSlot(index: 3)
        var (sound, counts) = (LostSound(), VoiceStatistics())
        func talk(seconds: Int, lost: UInt64) {
            for _ in 0..<(2 * seconds) {
                counts.playedSamples += 24_000 - lost
                counts.lostSamples += lost
                sound.take(counts, of: slot)
            }
        }
        talk(seconds: 20, lost: 2_400)
        #expect(abs(sound.share(of: slot) - 0.1) < 0.02)
        for _ in 0..<20 { sound.take(counts, of: slot) }
        #expect(abs(sound.share(of: slot) - 0.1) < 0.02)
        talk(seconds: 20, lost: 0)
        #expect(sound.share(of: slot) < 0.01)
        talk(seconds: 20, lost: 4_800)
        counts = VoiceStatistics()
        sound.take(counts, of: slot)
        #expect(sound.share(of: slot) == 0 && sound.share(of: PeerSlot(index: 4)) == 0)
    }
}
