import Testing
import Voice

@Suite("the next step of a talker's playout, at the edges")
struct PlayoutEdgeTests {
    /// In the middle of spurt 3, at sample 1,000, with frames of 5 ms.
    private static func situation(
        wanted: Int = 240, covering: Int64? = nil, next: Int64? = nil, concealed: Int = 0, starved: Int = 0,
        missing: Int64 = 0, end: Int64? = nil, nextSpurt: UInt8 = 3
    ) -> PlayoutPolicy.Situation {
        func frame(_ start: Int64) -> JitterBuffer.Waiting {
            JitterBuffer.Waiting(slot: 7, start: start, samples: 240, spurt: nextSpurt)
        }
        return PlayoutPolicy.Situation(
            position: 1_000, wanted: wanted, frameSamples: 240, spurt: 3, end: end, covering: covering.map(frame),
            next: next.map(frame), concealed: concealed, starved: starved, playoutDeficit: missing)
    }

    @Test(
        "one sample more or less leads to another step",
        arguments: [
            (situation(covering: 1_000, missing: 119), .play(slot: 7, skipping: 0)),
            (situation(covering: 1_000, missing: 120), .stretch(120)),
            (situation(covering: 1_000, missing: 239), .stretch(120)),
            (situation(covering: 1_000, missing: 240), .stretch(240)),
            (situation(covering: 1_000, missing: 100_000), .stretch(240)),
            (situation(covering: 1_000, missing: -100_000), .play(slot: 7, skipping: 0)),
            (situation(covering: 999, missing: 240), .play(slot: 7, skipping: 1)),
            (situation(covering: 761), .play(slot: 7, skipping: 239)),
            (situation(covering: 1_000, end: 1_000), .end), (situation(covering: 1_000, end: 999), .end),
            (situation(covering: 1_000, end: 1_001), .play(slot: 7, skipping: 0)),
            (situation(covering: 1_000, nextSpurt: 2), .end), (situation(next: 1_240, nextSpurt: 4), .end),
            (situation(concealed: 4_800, starved: 23_999), .silence(240)),
            (situation(concealed: 4_800, starved: 24_000), .end),
            // A waiting frame is no reason to continue after half a second.
            (situation(next: 1_240, concealed: 4_800, starved: 24_000), .end),
            (situation(wanted: 4_800, concealed: 4_799), .conceal(960)),
            (situation(wanted: 4_800, concealed: 4_800), .silence(4_800)),
            (situation(wanted: 4_800, next: 1_100, concealed: 4_800), .silence(100)),
            (situation(wanted: 4_800, next: 9_000, concealed: 4_800), .silence(960)),
            (situation(wanted: 4_800, next: 9_000), .conceal(960)),
            (situation(wanted: 4_800, next: 1_960), .conceal(960)),
            (situation(wanted: 4_800, next: 1_959), .conceal(959)),
            (situation(wanted: 1), .conceal(120)), (situation(wanted: 120), .conceal(120)),
            (situation(wanted: 121), .conceal(240)),
            // The second step of a gap, or a gap with a known end: a whole frame.
            (situation(wanted: 1, concealed: 1), .conceal(240)), (situation(wanted: 1, next: 1_480), .conceal(240)),
            (situation(wanted: 1, missing: 24), .stretch(120)), (situation(wanted: 1, missing: 23), .conceal(120)),
            (situation(wanted: 1, next: 1_480, missing: 24), .conceal(240)),
            (situation(wanted: 1, concealed: 4_800, missing: 24), .silence(1)),
        ] as [(PlayoutPolicy.Situation, PlayoutPolicy.Step)])
    func edge(situation: PlayoutPolicy.Situation, step: PlayoutPolicy.Step) {
        #expect(PlayoutPolicy.step(in: situation) == step)
    }
}
