import Testing
import Voice

/// A plan, in the form of this test.
private struct Step: Equatable {
    var skipping: Int
    var from: Float
    var to: Float
}

extension SideToneLine {
    fileprivate mutating func step(waiting: Int, count: Int) -> Step {
        let plan = plan(waiting: waiting, count: count, period: 240)
        return Step(skipping: plan.skipping, from: plan.from, to: plan.to)
    }
}

@Suite("side tone, plan by plan")
struct SideTonePlanTests {
    private let nothing = Step(skipping: 0, from: 0, to: 0)
    private let whole = Step(skipping: 0, from: 1, to: 1)
    private func fadesIn(skipping: Int) -> Step { Step(skipping: skipping, from: 0, to: 1) }

    @Test(
        "side tone starts with a period and a block of samples, and skips the excess",
        arguments: [
            (239, 60, nil), (240, 60, 0), (300, 60, 0), (301, 60, 1), (1_000, 60, 700),
            (479, 480, nil), (480, 480, 0), (720, 480, 0), (723, 480, 3),
        ] as [(Int, Int, Int?)])
    func begin(waiting: Int, count: Int, skipping: Int?) {
        var line = SideToneLine()
        let plan = line.step(waiting: waiting, count: count)
        #expect(plan == skipping.map(fadesIn) ?? nothing)
        #expect((line.step(waiting: 480, count: count) == whole) == (skipping != nil))
    }

    @Test("side tone runs while a block waits; with less it waits for a whole period again")
    func dry() {
        var line = SideToneLine()
        let waiting = [240, 60, 59, 60, 239, 240, 60]
        let plans = waiting.map { line.step(waiting: $0, count: 60) }
        #expect(plans == [fadesIn(skipping: 0), whole, nothing, nothing, nothing, fadesIn(skipping: 0), whole])
    }

    /// The plans other than `whole`, by number. `waiting` gives the waiting samples before each.
    private func breaks(_ count: Int, waiting: (Int) -> Int) -> [Int: Step] {
        var line = SideToneLine()
        var found: [Int: Step] = [:]
        for number in 0..<count {
            let plan = line.step(waiting: number == 0 ? 240 : waiting(number), count: 1)
            if plan != whole { found[number] = plan }
        }
        return found
    }

    @Test(
        "an excess that was not needed for 4,800 samples is skipped after a fade, above 1.25 ms and two blocks")
    func spare() {
        let (start, out) = (fadesIn(skipping: 0), Step(skipping: 0, from: 1, to: 0))
        #expect(breaks(15_000) { _ in 62 } == [0: start], "1.25 ms beyond two blocks of one sample")
        #expect(breaks(4_802) { _ in 63 } == [0: start, 4_800: out, 4_801: fadesIn(skipping: 61)])
        // Checked again after the fade, and from sample to sample.
        #expect(breaks(9_602) { _ in 63 }.keys.sorted() == [0, 4_800, 4_801, 9_601])
        // Needed once: nothing is skipped that time, and all of it the next time.
        let needed = breaks(9_602) { $0 == 3_000 ? 1 : 500 }
        #expect(needed == [0: start, 9_600: out, 9_601: fadesIn(skipping: 498)])
        // The sample at the check counts too.
        #expect(breaks(9_602) { $0 == 4_800 ? 1 : 500 }.keys.sorted() == [0, 9_600, 9_601])
    }

    @Test("if the excess is gone after the fade, side tone waits for a period", arguments: [(62, true), (61, false)])
    func gone(waiting: Int, isEnough: Bool) {
        var line = SideToneLine()
        for number in 0...4_800 { _ = line.step(waiting: number == 0 ? 240 : 63, count: 1) }
        #expect(line.step(waiting: waiting, count: 1) == (isEnough ? fadesIn(skipping: 61) : nothing))
        #expect(line.step(waiting: 239, count: 1) == (isEnough ? whole : nothing))
    }
}
