import Channels
import Primitives
import Testing

@Suite("guesses at the code of a channel, as two nodes spend them")
struct ChannelGuessesTests {
    /// Again and again a session begins, or sleeps and is in use again, or a node drops the code and takes it again,
    /// while steps are lost. Then nothing is lost.
    private func benchAfterLosses(seed: UInt64) -> CodeBench {
        var random = SeededRandom(seed: seed)
        let bench = CodeBench()
        bench.hold(1, at: 0)
        bench.hold(1, at: 1)
        var session: UInt8 = 1
        bench.link(session: session)
        let lossPercent = random.below(8) * 10 + 20
        bench.drops = { _ in random.below(100) < lossPercent }
        let count = random.below(25) + 1
        let millisecondsMax: UInt64 = [9_000, 40_000, 3_000, 20_000][Int(seed % 4)]
        for _ in 0..<count {
            bench.run(for: .milliseconds(Int64(random.below(millisecondsMax)) + 200))
            if random.below(4) == 0 {
                let node = Int(random.below(2))
                bench.input(node, .drop(CodeBench.lights))
                bench.hold(1, at: node)
                bench.run(for: .milliseconds(Int64(random.below(40))))
            }
            if 0 < random.below(3) {
                session += 1
            } else {
                for node in 0..<2 { bench.input(node, .peerDown(CodeBench.slot(1 - node))) }
            }
            bench.link(session: session)
        }
        bench.drops = { _ in false }
        return bench
    }

    // With some of these seeds a pair never proved the code: each side spent its guess when the other had none. With
    // others it took longer while a side without a guess did not wait for that of the other one, or the two kept
    // different proofs, since one had dropped the code and a link went down during the run that followed.
    @Test("whatever was lost before, a code that both have is proved within 38 s, as promise L18 says")
    func provedAfterLosses() {
        for seed in 0..<UInt64(600) {
            let bench = benchAfterLosses(seed: seed)
            bench.run(for: .seconds(38))
            let tags = [bench.tag(at: 0, for: 1), bench.tag(at: 1, for: 0)].map { $0?.newest }
            #expect(tags[0] != nil && tags[0] == tags[1], "seed \(seed)")
        }
    }

    @Test("a node without a guess for a run of the peer puts off its own next run, until both have a guess")
    func putOff() {
        let bench = CodeBench()
        let (first, second) = (bench.greater, bench.lesser)
        bench.hold(1, at: second)
        bench.link()
        // Runs with a wrong code use up the guesses of both.
        for _ in 0..<ChannelCodeLimits.guessesBurst {
            bench.hold(2, at: first)
            bench.run(for: .seconds(1))
            bench.input(first, .drop(CodeBench.lights))
        }
        bench.run(for: .seconds(17))
        let begun = bench.starts(of: second, to: first)
        bench.hold(1, at: first)
        bench.run(for: .seconds(25))
        #expect(bench.starts(of: second, to: first) == begun, "without this run its next one was due after 18 s")
        bench.run(for: .seconds(13))
        #expect(bench.tag(at: first, for: second) != nil && bench.tag(at: second, for: first) != nil)
    }
}
