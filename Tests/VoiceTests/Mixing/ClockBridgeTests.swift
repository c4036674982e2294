import Testing
import Voice

/// Two clocks that differ: one thread appends chunks of a sine to a queue, the other takes blocks from it.
private struct Crossing: ~Copyable {
    var bridge = ClockBridge()
    /// Samples that were appended, and that were taken or skipped.
    private var appended = 0
    private var taken = 0
    private var madeAt = 0.0
    private var now = 0.0
    /// Blocks that were silent.
    private(set) var silentBlocks = 0
    let chunk: Int
    let block: Int
    let skew: Double
    let reserve: Int
    /// No chunk comes before this time.
    private var lateUntil = 0.0

    /// - Parameter skew: how much faster the sound is made than it is played, in millionths.
    init(chunk: Int, block: Int, skew: Double, reserve: Int) {
        self.chunk = chunk
        self.block = block
        self.skew = 1 + skew / 1e6
        self.reserve = reserve
    }

    var waiting: Int { appended - taken }

    /// The next chunk is late by so many samples; those behind it come with it, or in time.
    mutating func delayNextChunk(by samples: Int) { lateUntil = madeAt + Double(chunk) / skew + Double(samples) }

    /// Nothing is played for so many samples.
    mutating func standStill(for samples: Int) { now += Double(samples) }

    /// Plays one block on the playing clock. Returns the left side.
    mutating func play() -> [Float] {
        while max(lateUntil, madeAt + Double(chunk) / skew) <= now {
            madeAt += Double(chunk) / skew
            appended += chunk
        }
        now += Double(block)
        let plan = bridge.plan(waiting: waiting, count: block, reserve: reserve)
        if plan.taking == 0 { silentBlocks += 1 }
        taken += plan.skipping
        for index in 0..<plan.taking {
            let sample = sine(taken + index)
            (bridge.left[index], bridge.right[index]) = (sample, -sample)
        }
        taken += plan.taking
        var output = [Float](repeating: 9, count: 2 * block)
        bridge.render(plan, into: &output, count: block, channels: 2)
        let left = stride(from: 0, to: output.count, by: 2).map { output[$0] }
        let right = stride(from: 1, to: output.count, by: 2).map { output[$0] }
        #expect(zip(left, right).allSatisfy { $0 == -$1 })
        return left
    }

    /// 500 Hz, half of full scale.
    private func sine(_ index: Int) -> Float {
        let turn = Float(index % 96) / 96
        // A parabola on each half wave: its steps from sample to sample are at most 0.021.
        return turn < 0.5 ? 8 * turn * (0.5 - turn) : -8 * (turn - 0.5) * (1 - turn)
    }
}

@Suite("sound between two clocks")
struct ClockBridgeTests {
    @Test(
        "the delay does not wander, and the sound has no gap and no step, whatever the clocks differ by",
        arguments: [(60, 60, 500), (60, 240, -500), (240, 60, 400), (240, 240, -400), (480, 60, 0), (960, 960, 200)]
            as [(Int, Int, Double)])
    func steady(chunk: Int, block: Int, skew: Double) {
        var crossing = Crossing(chunk: chunk, block: block, skew: skew, reserve: 48)
        for _ in 0..<(5 * 48_000 / block) { _ = crossing.play() }
        let silentBefore = crossing.silentBlocks
        var last = crossing.play()[block - 1]
        var (least, most, step) = (Int.max, 0, Float(0))
        for _ in 0..<(60 * 48_000 / block) {
            for sample in crossing.play() {
                step = max(step, abs(sample - last))
                last = sample
            }
            (least, most) = (min(least, crossing.waiting), max(most, crossing.waiting))
        }
        #expect(crossing.silentBlocks == silentBefore, "a gap")
        #expect(step < 0.05, "a step of \(step)")
        let bound = ClockBridge.leastWanted(block, reserve: 48) + chunk + block + 48
        #expect(24 <= least && most <= bound, "\(least) to \(most) samples")
    }

    @Test(
        "a writing thread that is late by the reserve makes no gap, again and again, and the delay comes back",
        arguments: [(60, 60, 240), (60, 240, 240), (240, 240, 240), (240, 60, 960), (64, 64, 64)]
            as [(Int, Int, Int)])
    func late(chunk: Int, block: Int, reserve: Int) {
        var crossing = Crossing(chunk: chunk, block: block, skew: 200, reserve: reserve)
        for _ in 0..<(10 * 48_000 / block) { _ = crossing.play() }
        let silentBefore = crossing.silentBlocks
        for _ in 0..<60 {
            crossing.delayNextChunk(by: reserve)
            for _ in 0..<(48_000 / block) { _ = crossing.play() }
        }
        #expect(crossing.silentBlocks == silentBefore, "a gap")
        for _ in 0..<(10 * 48_000 / block) { _ = crossing.play() }
        #expect(crossing.waiting <= ClockBridge.leastWanted(block, reserve: reserve) + chunk + block + 48)
    }

    @Test(
        "samples that collect while the reading thread stands still are skipped within a second, without a step",
        arguments: [(240, 240), (60, 240), (240, 60)])
    func standstill(chunk: Int, block: Int) {
        var crossing = Crossing(chunk: chunk, block: block, skew: 100, reserve: 48)
        for _ in 0..<(5 * 48_000 / block) { _ = crossing.play() }
        let silentBefore = crossing.silentBlocks
        var last = crossing.play()[block - 1]
        crossing.standStill(for: 7_200)
        var step = Float(0)
        for _ in 0..<(48_000 / block) {
            for sample in crossing.play() {
                step = max(step, abs(sample - last))
                last = sample
            }
        }
        #expect(crossing.silentBlocks == silentBefore && step < 0.05, "a gap, or a step of \(step)")
        // It begins with 5 ms more, as at first.
        let bound = ClockBridge.leastWanted(block, reserve: 48) + chunk + block + 48 + 240
        #expect(crossing.waiting <= bound, "\(crossing.waiting) samples")
    }

    @Test("at whichever block the reading thread stands still, the sound that follows is not late")
    func standstillAnywhere() {
        // The bridge judges the queue once in 40 of these blocks.
        for place in 0..<40 {
            var crossing = Crossing(chunk: 240, block: 240, skew: 100, reserve: 48)
            for _ in 0..<(200 + place) { _ = crossing.play() }
            crossing.standStill(for: 7_200)
            for _ in 0..<200 { _ = crossing.play() }
            let bound = ClockBridge.leastWanted(240, reserve: 48) + 240 + 240 + 48 + 240
            #expect(crossing.waiting <= bound, "\(crossing.waiting) samples after block \(place)")
        }
    }

    @Test("a queue that runs dry is silence, and the sound goes on when enough waits")
    func dry() {
        var bridge = ClockBridge()
        var block = [Float](repeating: 9, count: 60)
        func play(_ plan: ClockBridge.Plan) { bridge.render(plan, into: &block, count: 60, channels: 1) }
        #expect(bridge.plan(waiting: 100, count: 60, reserve: 48) == .silence)
        play(.silence)
        #expect(block.allSatisfy { $0 == 0 })
        let begun = bridge.plan(waiting: 1_500, count: 60, reserve: 48)
        #expect(begun.taking == 61 && 0 <= begun.skipping)
        play(begun)
        let dry = bridge.plan(waiting: 20, count: 60, reserve: 48)
        #expect(dry == .silence)
        play(dry)
        #expect(block.allSatisfy { $0 == 0 })
        #expect(bridge.plan(waiting: 1_500, count: 60, reserve: 48).taking == 61)
    }
}
