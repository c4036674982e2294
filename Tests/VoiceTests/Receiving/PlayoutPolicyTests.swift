import Testing
import Voice

@Suite("the jitter policy")
struct PlayoutPolicyTests {
    // MARK: - 1 The target

    @Test(
        "the cheapest delay waits for late frames while they are worth it: a hundredth of them costs 30 ms",
        arguments: [
            ("no frame yet", [:], 0),
            ("all frames in the first quarter of a millisecond", [0: 1], 12),
            ("all in one bucket: its end", [39: 5], 480),
            // 1,440 samples of delay for a hundredth.
            ("a hundredth is 28 ms late", [0: 99, 112: 1], 113 * 12),
            ("a hundredth is 32 ms late", [0: 99, 128: 1], 12),
            ("two hundredths are 32 ms late", [0: 98, 128: 2], 129 * 12),
            ("at equal cost, the longer delay", [0: 99, 120: 1], 121 * 12),
        ] as [(String, [Int: Float], Int64)])
    func cheapestDelay(name: String, frames: [Int: Float], delay: Int64) {
        var weights = [Float](repeating: 0, count: VoiceLimits.delayBuckets)
        for (bucket, weight) in frames { weights[bucket] = weight }
        let found = weights.withUnsafeBufferPointer {
            PlayoutPolicy.cheapestDelay(weights: $0, total: frames.values.reduce(0, +))
        }
        #expect(found == delay, "\(name)")
    }

    @Test(
        "the target rises at once, falls by more than 1/16, and is bounded by the greatest delay",
        arguments: [
            ("it rises", 240, 252, 9_600, 252), ("it stays", 240, 240, 9_600, 240),
            ("it does not fall by 1/16", 240, 225, 9_600, 240), ("it falls by more", 240, 224, 9_600, 224),
            ("nothing was late: one bucket", 240, 9_600, 0, 12),
            ("the greatest delay, an eighth, and the rest of the bucket", 240, 9_600, 800, 912),
        ] as [(String, Int64, Int64, Int64, Int64)])
    func target(name: String, present: Int64, cheapest: Int64, longest: Int64, target: Int64) {
        #expect(PlayoutPolicy.target(present: present, cheapest: cheapest, longest: longest) == target, "\(name)")
    }

    @Test(
        "the target is computed every 20 frames, and at a late frame once 20 are known",
        arguments: [
            (19, 500, false, false), (20, 20, false, true), (1, 500, false, false), (1, 500, true, true),
            (1, 20, true, true), (1, 19, true, false),
        ])
    func dueTarget(since: Int, known: Int, isLate: Bool, isDue: Bool) {
        #expect(PlayoutPolicy.isTargetDue(framesSince: since, framesKnown: known, isLate: isLate) == isDue)
    }

    @Test("the target may only rise until 20 frames are known", arguments: [(0, true), (19, true), (20, false)])
    func fewFrames(known: Int, mayOnlyRise: Bool) {
        #expect(PlayoutPolicy.mayOnlyRise(framesKnown: known) == mayOnlyRise)
    }

    // MARK: - 2 The beginning of a spurt

    /// Frames of 240 samples take 5,000 at least, and 300 more are wanted.
    private static let timing = PlayoutPolicy.Timing(quickestTransit: 5_000, target: 300, frameSamples: 240)

    @Test(
        "a spurt starts when its first frame is due: its end, the quickest transit, the target and 4 samples",
        arguments: [
            // The frame starts at 1,000, so it is due at 6,544.
            ("due after these samples", false, 6_304, .later),
            ("at the last of them", false, 6_305, .start(position: 1_000, silence: 239)),
            ("at the first of them", false, 6_544, .start(position: 1_000, silence: 0)),
            ("a little late", false, 6_545, .start(position: 1_001, silence: 0)),
            ("only its last sample is left", false, 6_783, .start(position: 1_239, silence: 0)),
            ("its time is over", false, 6_784, .missed(position: 1_240)),
            ("at once, before its time", true, 0, .start(position: 1_000, silence: 0)),
            ("at once, after its time", true, 9_000, .start(position: 1_000, silence: 0)),
        ] as [(String, Bool, Int64, PlayoutPolicy.Beginning)])
    func beginning(name: String, startsAtOnce: Bool, now: Int64, beginning: PlayoutPolicy.Beginning) {
        let first = JitterBuffer.Waiting(slot: 1, start: 1_000, samples: 240, spurt: 3)
        let found = PlayoutPolicy.beginning(
            of: first, timing: Self.timing, startsAtOnce: startsAtOnce, now: now, count: 240)
        #expect(found == beginning, "\(name)")
    }

    @Test(
        "sound that is played 4 samples after it was due has its target",
        arguments: [-500, -1, 0, 1, 500] as [Int64])
    func deficit(early: Int64) {
        #expect(Self.timing.position(dueAt: 6_540) == 1_000)
        #expect(Self.timing.deficit(of: 1_000 + early, at: 6_544) == early)
    }

    // MARK: - 3 The correction of the delay

    @Test(
        "too little delay slips at once, too much above 0.25 ms; more than 60 ms beyond what is allowed is cut",
        arguments: [
            (1, 240, false, .slip(.slower)), (0, 240, false, .none), (-12, 240, false, .none),
            (-13, 240, false, .slip(.faster)), (1, 240, true, .none), (-13, 240, true, .none),
            (-2_880, 240, false, .slip(.faster)), (-2_881, 240, false, .cut), (-2_881, 240, true, .cut),
            // The target has fallen: the sound had 1,000 more by right.
            (-3_880, 1_240, false, .slip(.faster)), (-3_881, 1_240, false, .cut),
        ] as [(Int64, Int64, Bool, PlayoutPolicy.Correction)])
    func correction(deficit: Int64, allowed: Int64, isSlipping: Bool, correction: PlayoutPolicy.Correction) {
        let found = PlayoutPolicy.correction(deficit: deficit, target: 240, allowed: allowed, isSlipping: isSlipping)
        #expect(found == correction)
    }

    @Test(
        "the allowed delay rises with the target, and falls with the sound's delay as far as the target",
        arguments: [(0, 0, 240), (0, -500, 240), (1_000, -500, 740), (1_000, -900, 1_000), (1_000, 100, 240)]
            as [(Int64, Int64, Int64)])
    func allowedDelay(before: Int64, deficit: Int64, allowed: Int64) {
        #expect(PlayoutPolicy.allowedDelay(before: before, target: 240, deficit: deficit) == allowed)
    }

    @Test(
        "2.5 ms of a frame below -50 dBFS is left out from 5 ms of excess delay on",
        arguments: [
            (-240, 0.99e-5, 240, 120), (-240, 0.99e-5, 60, 60), (-239, 0.99e-5, 240, 0), (-240, 1e-5, 240, 0),
            (-9_600, 0, 240, 120), (240, 0, 240, 0),
        ] as [(Int64, Float, Int, Int)])
    func pauseCut(deficit: Int64, power: Float, count: Int, cut: Int) {
        #expect(PlayoutPolicy.pauseCut(deficit: deficit, power: power, count: count) == cut)
    }

    // MARK: - 4 The next step

    private static let frame = JitterBuffer.Waiting(slot: 7, start: 1_000, samples: 240, spurt: 3)
    private static let stranger = JitterBuffer.Waiting(slot: 9, start: 1_000, samples: 240, spurt: 4)

    /// In the middle of spurt 3, at sample 1,000, with 60 samples missing in the block.
    private static func situation(_ change: (inout PlayoutPolicy.Situation) -> Void = { _ in })
        -> PlayoutPolicy.Situation
    {
        var situation = PlayoutPolicy.Situation(
            position: 1_000, wanted: 60, frameSamples: 120, spurt: 3, end: nil, covering: nil, next: nil, concealed: 0,
            starved: 0,
            playoutDeficit: 0)
        change(&situation)
        return situation
    }

    @Test(
        "the step in each situation",
        arguments: [
            ("a frame is there", situation { $0.covering = frame }, PlayoutPolicy.Step.play(slot: 7, skipping: 0)),
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
                    $0.playoutDeficit = 250
                }, .stretch(240)
            ),
            (
                "much delay is wanted: 5 ms in one go",
                situation {
                    $0.covering = frame
                    $0.playoutDeficit = 4_800
                }, .stretch(240)
            ),
            (
                "less than 2.5 ms is left to slips",
                situation {
                    $0.covering = frame
                    $0.playoutDeficit = 119
                }, .play(slot: 7, skipping: 0)
            ),
            (
                "no stretch within a frame",
                situation {
                    $0.covering = frame
                    $0.position = 1_001
                    $0.playoutDeficit = 480
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
                    $0.playoutDeficit = 24
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
                "late, not lost: leave room for the delay it asks for", situation { $0.playoutDeficit = 24 },
                .stretch(120)
            ),
            ("a little late", situation { $0.playoutDeficit = 23 }, .conceal(120)),
            (
                "lost, since the next is there",
                situation {
                    $0.playoutDeficit = 480
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
    func step(name: String, situation: PlayoutPolicy.Situation, step: PlayoutPolicy.Step) {
        #expect(PlayoutPolicy.step(in: situation) == step, "\(name)")
    }

    @Test(
        "silence never exceeds the block, and a bridge never exceeds the gap",
        arguments: [1, 59, 60, 119, 120, 960, 4_800])
    func bounds(wanted: Int) {
        let silence = Self.situation {
            $0.wanted = wanted
            $0.concealed = 4_800
        }
        #expect(PlayoutPolicy.step(in: silence) == .silence(wanted))
        let gap = Self.situation {
            $0.wanted = wanted
            $0.next = JitterBuffer.Waiting(slot: 8, start: 1_120, samples: 240, spurt: 3)
        }
        #expect(PlayoutPolicy.step(in: gap) == .conceal(120))
    }
}
