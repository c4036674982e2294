import MeshSimulator
import Testing
import meshsim

@Suite("Exit codes of meshsim")
struct OutcomeTests {
    @Test("the codes are those of the documents")
    func codes() {
        let codes: [(Outcome, Int32)] = [
            (.pass, 0), (.safety, 1), (.usage, 2), (.files, 3), (.liveness, 4), (.notRepeatable, 5), (.transcript, 6),
        ]
        for (outcome, code) in codes { #expect(outcome.rawValue == code) }
        #expect(Outcome.allCases.count == codes.count)
        #expect(Outcome(Verdict.pass) == .pass)
        #expect(Outcome(Verdict.safety) == .safety)
        #expect(Outcome(Verdict.liveness) == .liveness)
    }

    @Test("of two outcomes the worse one counts, in either order")
    func worse() {
        let order: [Outcome] = [.notRepeatable, .safety, .liveness, .transcript, .files, .usage, .pass]
        for (index, outcome) in order.enumerated() {
            for milder in order[index...] {
                #expect(outcome.worse(milder) == outcome)
                #expect(milder.worse(outcome) == outcome)
            }
        }
    }

    @Test(
        "a swarm that leaves a seed out says which option names a node too many",
        arguments: [("lost", "9"), ("worse", "9:1/1"), ("severed", "0-9"), ("members", "9:liar@1s")])
    func leftOut(name: String, text: String) throws {
        let setting = try #require(SwarmSetting.named(name))
        var options = SwarmOptions(seed: 7, nodeCount: 4)
        let error = #expect(throws: SettingError.self) { try setting.set(text, in: &options) }
        let line = leftOutText(seed: 7, because: error?.description ?? "")
        #expect(line.hasPrefix("seed 7 left out, it has fewer nodes: --\(name) \(text): expected "))
    }

    @Test("the progress of a swarm shows the number done, the rate, and the time left")
    func progress() {
        var progress = SwarmProgress(
            done: 250, total: 1_000, failed: 2, events: 30_000_000, virtualSeconds: 50_000, busySeconds: 100,
            elapsedSeconds: 50)
        #expect(
            progress.line
                == "250/1000 seeds, 2 failed, 5.0 seeds/s, 300k events/s a core, 500 x real time, 3 min left")
        progress.done = 1_000
        #expect(progress.line.hasSuffix(", 0 s left"))
    }
}
