import AudioIO
import Primitives
import Testing

@Suite("when a block is rendered")
struct BlockPacingTests {
    private func situation(
        lead: Int = 240, period: Int = 240, blocks: Int = 4, hasPeers: Bool = true, quiet: Int64 = 0,
        mayRest: Bool = true
    ) -> BlockPacing.Situation {
        BlockPacing.Situation(
            leadSamples: lead, periodSamples: period, blocksPerPeriod: blocks, hasPeers: hasPeers, quietSamples: quiet,
            mayRest: mayRest)
    }

    private let longQuiet = AudioLimits.restAfterSamples

    @Test("blocks are parts of a period with peers, and whole periods without")
    func listening() {
        var pacing = BlockPacing()
        let listening = pacing.next(situation(quiet: longQuiet - 1), now: .zero)
        #expect(listening == BlockPacing.Turn(samples: 60, partSamples: 60, queueMax: 240, isResting: false))
        let alone = pacing.next(situation(hasPeers: false, quiet: longQuiet), now: .zero)
        #expect(alone == BlockPacing.Turn(samples: 240, partSamples: 60, queueMax: 240, isResting: false))
    }

    @Test(
        "a turn at rest fills the queue to the same length as one while listening, so nothing is decided earlier",
        arguments: [(240, 240, 4), (120, 120, 4), (480, 480, 4), (720, 240, 4), (960, 960, 1), (128, 64, 4)])
    func horizon(lead: Int, period: Int, blocks: Int) {
        var pacing = BlockPacing()
        let listening = pacing.next(situation(lead: lead, period: period, blocks: blocks), now: .zero)
        let resting = pacing.next(situation(lead: lead, period: period, blocks: blocks, quiet: longQuiet), now: .zero)
        #expect(resting.queueMax + resting.samples == listening.queueMax + listening.samples)
        #expect(resting.samples == period && AudioLimits.restSamplesMin <= resting.queueMax)
    }

    @Test("playback does not rest on a device with a short lead")
    func shallow() {
        var pacing = BlockPacing()
        #expect(!pacing.next(situation(lead: 180, quiet: longQuiet), now: .zero).isResting)
    }

    @Test("the first frame ends the rest")
    func wake() {
        var pacing = BlockPacing()
        #expect(pacing.next(situation(quiet: longQuiet), now: .zero).isResting)
        #expect(!pacing.next(situation(quiet: 0), now: .zero).isResting)
    }

    @Test("a device that stands still gets a block at once, since its queue does not run down")
    func standingStill() {
        var pacing = BlockPacing()
        let turn = pacing.next(situation(quiet: longQuiet, mayRest: false), now: .zero)
        #expect(turn == BlockPacing.Turn(samples: 60, partSamples: 60, queueMax: 240, isResting: false))
    }

    @Test("a late block at rest is longer and fills the queue to the same length; whole periods stay whole")
    func late() {
        var pacing = BlockPacing()
        let turn = pacing.next(situation(quiet: longQuiet), now: .zero)
        #expect(pacing.samples(queued: 60, for: turn, now: .zero) == 240)
        #expect(pacing.samples(queued: 12, for: turn, now: .zero) == 288)
        let whole = pacing.next(situation(blocks: 1, quiet: longQuiet), now: .zero)
        #expect(pacing.samples(queued: 12, for: whole, now: .zero) == 240)
    }

    @Test(
        "at rest there is one wake-up a period and the queue stays long enough, whatever the steps of the device",
        arguments: [
            (step: 1, offset: 0, ppm: 0), (1, 0, 200), (48, 0, 0), (48, 12, 200), (48, 24, -200), (48, 36, 0),
            (240, 0, 200),
        ] as [(step: Int, offset: Int, ppm: Int64)])
    func oneWakeUp(step: Int, offset: Int, ppm: Int64) {
        var pacing = BlockPacing()
        let latency = Interval.microseconds(80)
        var (now, written, wakeUps) = (Instant.zero, 240 + offset, 0)
        var leastQueued = Int.max
        func played() -> Int { (now - .zero + Interval(nanoseconds: now.nanoseconds * ppm / 1_000_000)).samples }
        while now < .zero + .seconds(10) {
            let turn = pacing.next(situation(quiet: longQuiet), now: now)
            let queued = written - played() / step * step
            if queued <= turn.queueMax {
                if .zero + .seconds(1) < now { leastQueued = min(leastQueued, written - played()) }
                written += pacing.samples(queued: queued, for: turn, now: now)
                now = now + latency
            } else {
                now = max(now, pacing.wakeUp(queued: queued, for: turn, now: now)) + latency
                wakeUps += 1
            }
        }
        // 200 periods a second, and up to two more checks at the edge of a step.
        #expect(wakeUps <= 2_040, "\(wakeUps) in 10 s")
        // 60 samples when the block is due, minus those of a second check after 0.5 ms and of the wake-up latency.
        #expect(60 - 28 <= leastQueued, "\(leastQueued)")
    }

    @Test("a device may run dry twice a second at rest, and twenty times in a row")
    func allowance() {
        var pacing = BlockPacing()
        var now = Instant.zero
        func rests() -> Bool { pacing.next(situation(quiet: longQuiet), now: now).isResting }
        for _ in 0..<20 {
            #expect(rests())
            pacing.ranDry(now: now)
        }
        for _ in 0..<1_000 {
            now += AudioLimits.restUnderrunEvery
            #expect(rests())
            pacing.ranDry(now: now)
        }
        #expect(rests())
        pacing.ranDry(now: now)
        #expect(!rests())
    }

    @Test("if a device always runs dry at rest, each pause is longer, and one underrun begins the next")
    func ranDry() {
        var pacing = BlockPacing()
        var now = Instant.zero
        func rests() -> Bool { pacing.next(situation(quiet: longQuiet), now: now).isResting }
        for _ in 0...20 {
            #expect(rests())
            pacing.ranDry(now: now)
        }
        for seconds in [10, 20, 40, 80, 160, 320, 600, 600] as [Int64] {
            now += .seconds(seconds) - .milliseconds(1)
            #expect(!rests())
            // While playback is awake, an underrun does not count.
            pacing.ranDry(now: now)
            now += .milliseconds(1)
            #expect(rests())
            pacing.ranDry(now: now)
        }
    }

    @Test("each minute without underruns halves the next pause")
    func calm() {
        var allowance = RestAllowance()
        var now = Instant.zero
        func pause() -> Interval {
            while allowance.mayRest(now: now) { allowance.spend(now: now) }
            let begin = now
            while !allowance.mayRest(now: now) { now += .seconds(1) }
            return now - begin
        }
        for seconds in [10, 20, 40, 80] as [Int64] { #expect(pause() == .seconds(seconds)) }
        now += .seconds(59)
        #expect(pause() == .seconds(160))
        now += .seconds(120)
        #expect(pause() == .seconds(80))
        now += .seconds(3_600)
        #expect(pause() == .seconds(10))
    }
}
