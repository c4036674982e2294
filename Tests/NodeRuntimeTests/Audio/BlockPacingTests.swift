import NodeRuntime
import Primitives
import Testing

@Suite("when a block is rendered")
struct BlockPacingTests {
    private func situation(
        lead: Int = 240, period: Int = 240, blocks: Int = 4, hasPeers: Bool = true, quiet: Int64 = 0
    ) -> BlockPacing.Situation {
        BlockPacing.Situation(
            leadSamples: lead, periodSamples: period, blocksPerPeriod: blocks, hasPeers: hasPeers, quietSamples: quiet)
    }

    private let longQuiet = AudioLimits.restAfterSamples

    @Test("parts of a period while somebody may be heard, whole ones alone")
    func listening() {
        var pacing = BlockPacing()
        let listening = pacing.next(situation(quiet: longQuiet - 1), now: .zero)
        #expect(listening == BlockPacing.Turn(samples: 60, partSamples: 60, queueMax: 240, isResting: false))
        let alone = pacing.next(situation(hasPeers: false, quiet: longQuiet), now: .zero)
        #expect(alone == BlockPacing.Turn(samples: 240, partSamples: 60, queueMax: 240, isResting: false))
    }

    @Test(
        "a resting turn decides nothing earlier than a listening one: both fill the queue to the same mark",
        arguments: [(240, 240, 4), (120, 120, 4), (480, 480, 4), (720, 240, 4), (960, 960, 1), (128, 64, 4)])
    func horizon(lead: Int, period: Int, blocks: Int) {
        var pacing = BlockPacing()
        let listening = pacing.next(situation(lead: lead, period: period, blocks: blocks), now: .zero)
        let resting = pacing.next(situation(lead: lead, period: period, blocks: blocks, quiet: longQuiet), now: .zero)
        #expect(resting.queueMax + resting.samples == listening.queueMax + listening.samples)
        #expect(resting.samples == period && AudioLimits.restSamplesMin <= resting.queueMax)
    }

    @Test("a device that is too shallow to rest is kept awake")
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

    @Test("who ran dry while resting stays awake, longer each time; who ran dry awake does not")
    func ranDry() {
        var pacing = BlockPacing()
        var now = Instant.zero
        func rests() -> Bool { pacing.next(situation(quiet: longQuiet), now: now).isResting }
        #expect(rests())
        pacing.ranDry(now: now)
        for seconds in [10, 20, 40] as [Int64] {
            now += .seconds(seconds) - .milliseconds(1)
            #expect(!rests())
            pacing.ranDry(now: now)
            now += .milliseconds(1)
            #expect(rests())
            pacing.ranDry(now: now)
        }
    }
}
