import Testing
import Voice

@Suite("the next step of a talker's playout")
struct PlayoutDecisionTests {
    private static let frame = JitterBuffer.Waiting(slot: 7, start: 1_000, samples: 240, spurt: 3)
    private static let stranger = JitterBuffer.Waiting(slot: 9, start: 1_000, samples: 240, spurt: 4)

    /// In the middle of spurt 3, at sample 1,000, with 60 samples missing in the block.
    private static func situation(_ change: (inout PlayoutDecision.Situation) -> Void = { _ in })
        -> PlayoutDecision.Situation
    {
        var situation = PlayoutDecision.Situation(
            position: 1_000, wanted: 60, frameSamples: 120, spurt: 3, end: nil, covering: nil, next: nil, concealed: 0,
            starved: 0,
            bufferDeficit: 0)
        change(&situation)
        return situation
    }

    @Test(
        "the decision in each situation",
        arguments: [
            ("a frame is there", situation { $0.covering = frame }, PlayoutDecision.play(slot: 7, skipping: 0)),
            (
                "its beginning is over",
                situation {
                    $0.covering = frame
                    $0.position = 1_100
                }, .play(slot: 7, skipping: 100)
            ),
            (
                "delay is wanted between two frames",
                situation {
                    $0.covering = frame
                    $0.bufferDeficit = 250
                }, .stretch(240)
            ),
            (
                "much delay is wanted: 5 ms in one go",
                situation {
                    $0.covering = frame
                    $0.bufferDeficit = 4_800
                }, .stretch(240)
            ),
            (
                "less than 2.5 ms is left to slips",
                situation {
                    $0.covering = frame
                    $0.bufferDeficit = 119
                }, .play(slot: 7, skipping: 0)
            ),
            (
                "no stretch within a frame",
                situation {
                    $0.covering = frame
                    $0.position = 1_001
                    $0.bufferDeficit = 480
                }, .play(slot: 7, skipping: 1)
            ),
            ("nothing is there", situation(), .conceal(120)),
            ("a block of several steps", situation { $0.wanted = 121 }, .conceal(240)),
            ("a block longer than any frame", situation { $0.wanted = 961 }, .conceal(960)),
            ("a much longer one", situation { $0.wanted = 4_800 }, .conceal(960)),
            (
                "frames of 1.25 ms are bridged by themselves",
                situation {
                    $0.frameSamples = 60
                    $0.wanted = 61
                }, .conceal(120)
            ),
            (
                "one of them that is late leaves room of its length",
                situation {
                    $0.frameSamples = 60
                    $0.bufferDeficit = 24
                }, .stretch(60)
            ),
            (
                "the gap ends before the block",
                situation {
                    $0.wanted = 480
                    $0.next = JitterBuffer.Waiting(slot: 8, start: 1_240, samples: 240, spurt: 3)
                }, .conceal(240)
            ),
            (
                "a gap off the grid is bridged to its end",
                situation {
                    $0.wanted = 480
                    $0.next = JitterBuffer.Waiting(slot: 8, start: 1_007, samples: 240, spurt: 3)
                }, .conceal(7)
            ),
            (
                "late, not lost: leave room for the delay it asks for", situation { $0.bufferDeficit = 24 },
                .stretch(120)
            ),
            ("a little late", situation { $0.bufferDeficit = 23 }, .conceal(120)),
            (
                "lost, since the next is there",
                situation {
                    $0.bufferDeficit = 480
                    $0.next = JitterBuffer.Waiting(slot: 8, start: 1_240, samples: 240, spurt: 3)
                }, .conceal(120)
            ),
            (
                "a frame that is lost is bridged whole",
                situation {
                    $0.frameSamples = 240
                    $0.next = JitterBuffer.Waiting(slot: 8, start: 1_480, samples: 240, spurt: 3)
                }, .conceal(240)
            ),
            (
                "so is what follows in a long gap",
                situation {
                    $0.frameSamples = 240
                    $0.concealed = 120
                }, .conceal(240)
            ),
            ("one that may be merely late is not", situation { $0.frameSamples = 240 }, .conceal(120)),
            (
                "a whole frame reaches no farther than the gap",
                situation {
                    $0.frameSamples = 480
                    $0.next = JitterBuffer.Waiting(slot: 8, start: 1_240, samples: 480, spurt: 3)
                }, .conceal(240)
            ),
            ("the codec has nothing more to say", situation { $0.concealed = 4_800 }, .silence(60)),
            ("just before that", situation { $0.concealed = 4_799 }, .conceal(120)),
            (
                "half a second of nothing",
                situation {
                    $0.concealed = 4_800
                    $0.starved = 24_000
                }, .end
            ),
            ("the end is reached", situation { $0.end = 1_000 }, .end),
            ("the end is near", situation { $0.end = 1_001 }, .conceal(120)),
            (
                "an end beats a frame that lies behind it",
                situation {
                    $0.end = 1_000
                    $0.covering = frame
                }, .end
            ),
            ("the next spurt sounds here already", situation { $0.covering = stranger }, .end),
            (
                "the next spurt waits",
                situation { $0.next = JitterBuffer.Waiting(slot: 1, start: 9_000, samples: 240, spurt: 4) }, .end
            ),
        ])
    func table(name: String, situation: PlayoutDecision.Situation, decision: PlayoutDecision) {
        #expect(PlayoutDecision.next(in: situation) == decision, "\(name)")
    }

    @Test(
        "silence never exceeds the block, and a bridge never exceeds the gap",
        arguments: [1, 59, 60, 119, 120, 960, 4_800])
    func bounds(wanted: Int) {
        let silence = Self.situation {
            $0.wanted = wanted
            $0.concealed = 4_800
        }
        #expect(PlayoutDecision.next(in: silence) == .silence(wanted))
        let gap = Self.situation {
            $0.wanted = wanted
            $0.next = JitterBuffer.Waiting(slot: 8, start: 1_120, samples: 240, spurt: 3)
        }
        #expect(PlayoutDecision.next(in: gap) == .conceal(120))
    }
}
