import MeshSimulator
import Primitives
import Testing

@Suite("Hearing gaps")
struct HearingGapsTests {
    private func voice(_ sequence: UInt32) -> Observation {
        .voice(observer: 0, slotHolder: 1, VoiceStamp(talker: 1, life: 1, sequence: sequence))
    }

    private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

    @Test("the longest wait between two packets counts, and each question starts a new count")
    func longest() {
        var gaps = HearingGaps(nodeCount: 2)
        for (sequence, millisecond) in [100, 120, 620, 640].enumerated() {
            gaps.observe(voice(UInt32(sequence)), at: at(Int64(millisecond)))
        }
        #expect(gaps.takeLongest(of: 1, at: 0, now: at(650)) == .milliseconds(500))
        gaps.observe(voice(4), at: at(660))
        #expect(gaps.takeLongest(of: 1, at: 0, now: at(670)) == .milliseconds(10))
    }

    @Test("a silence that still lasts counts, and a talker that was never heard causes no gap")
    func lasting() {
        var gaps = HearingGaps(nodeCount: 2)
        #expect(gaps.takeLongest(of: 1, at: 0, now: at(50)) == nil)
        gaps.observe(voice(0), at: at(100))
        #expect(gaps.takeLongest(of: 1, at: 0, now: at(3_100)) == .seconds(3))
        #expect(gaps.takeLongest(of: 0, at: 1, now: at(3_100)) == nil)
    }

    @Test("a scenario fails if a gap is longer than it allows")
    func expectation() throws {
        let text = "> nodes a b\n> start a b\n> expect clique a b within 2s\n> talk a\n> advance 2s\n> cut a b\n"
        let judged = text + "> advance 1s\n> expect gap b a within 900ms\n"
        let outcome = try ScenarioRunner.play(try ScenarioFile(name: "x", parsing: judged))
        #expect(outcome.failures.map(\.line) == [8])
        let allowed = text + "> advance 1s\n> expect gap b a within 1.1s\n"
        #expect(try ScenarioRunner.play(try ScenarioFile(name: "x", parsing: allowed)).failures.isEmpty)
        let unheard = "> nodes a b\n> start a b\n> expect gap b a within 1s\n"
        #expect(try ScenarioRunner.play(try ScenarioFile(name: "x", parsing: unheard)).failures.map(\.line) == [3])
    }
}
