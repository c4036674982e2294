import Mesh
import Primitives
import Testing

/// Blocks leave 375 to 500 ms apart. A lost block raises the share by a 128th of the share that is not lost.
@Suite("The share of control blocks that is lost")
struct ControlLossTests {
    private let start = Instant.zero + .seconds(10)
    private let tick = Interval(nanoseconds: 1)

    /// The loss after one block and another, `step` numbers and `wait` later.
    private func permille(step: UInt32, after wait: Interval, restart: Bool = false, path: Int = 0) -> Int {
        var loss = ControlLoss()
        loss.add(UInt32.max, path: 0, now: start)
        if restart { loss.restart() }
        loss.add(UInt32.max &+ step, path: path, now: start + wait)
        return loss.permille
    }

    @Test("a skipped number counts as lost if there was time for it: one and a half of the shortest intervals")
    func timeForOne() {
        let (wait, two) = (Interval(nanoseconds: 562_500_000), Interval(nanoseconds: 937_500_000))
        #expect(permille(step: 2, after: wait - tick) == 0)
        #expect(permille(step: 2, after: wait) == 7)
        #expect(permille(step: 3, after: two - tick) == 7)
        #expect(permille(step: 3, after: two) == 15)
        #expect(permille(step: 1, after: .seconds(60)) == 0)
    }

    @Test("at most three losses in a row count, because a longer run is an outage")
    func runs() {
        #expect(permille(step: 2, after: .seconds(60)) == 7)
        #expect(permille(step: 3, after: .seconds(60)) == 15)
        #expect(permille(step: 4, after: .seconds(60)) == 23)
        #expect(permille(step: 40, after: .seconds(60)) == 23)
    }

    @Test("overtaken and repeated blocks, a restart and a change of path count as no loss")
    func noLoss() {
        #expect(permille(step: 0, after: .seconds(60)) == 0)
        #expect(permille(step: UInt32.max - 1, after: .seconds(60)) == 0)
        #expect(permille(step: 4, after: .seconds(60), restart: true) == 0)
        #expect(permille(step: 4, after: .seconds(60), path: 1) == 0)
    }

    @Test("each block is compared with the newest before it")
    func newest() {
        var loss = ControlLoss()
        loss.add(1, path: 3, now: start)
        loss.add(1, path: 3, now: start + .milliseconds(500))
        loss.add(0, path: 3, now: start + .milliseconds(510))
        // Neither the copy nor the overtaken block has moved the reference time.
        loss.add(3, path: 3, now: start + .milliseconds(600))
        #expect(loss.permille == 7)
        for number in 4...9 as ClosedRange<UInt32> {
            loss.add(number, path: 3, now: start + .milliseconds(600 + Int64(number - 3) * 375))
        }
        #expect(loss.permille == 7)
        loss.add(11, path: 3, now: start + .milliseconds(600 + 6 * 375 + 750))
        #expect(loss.permille == 15)
        var other = ControlLoss()
        other.add(1, path: 1, now: start)
        other.add(2, path: 2, now: start + .milliseconds(500))
        // The first block on another path starts the count there.
        other.add(4, path: 2, now: start + .milliseconds(1_500))
        #expect(other.permille == 7)
    }

    /// The same with floating point: the share after `losses` times three lost blocks, then `good` received ones.
    private func share(losses: Int, good: Int) -> Double {
        var share = 0.0
        for _ in 0..<losses {
            for _ in 0..<3 { share += (1 - share) / 128 }
            share -= share / 128
        }
        for _ in 0..<good { share -= share / 128 }
        return share
    }

    @Test("the share rises towards one and falls towards zero, by a factor e in 128 blocks")
    func memory() {
        var loss = ControlLoss()
        var (now, number) = (start, 0 as UInt32)
        func add(_ step: UInt32) {
            (now, number) = (now + .seconds(2), number + step)
            loss.add(number, path: 0, now: now)
        }
        add(1)
        for count in 1...300 {
            add(4)
            #expect(abs(Double(loss.permille) + 0.5 - share(losses: count, good: 0) * 1_000) < 0.6)
        }
        #expect(746 <= loss.permille)
        for count in 1...600 {
            add(1)
            #expect(abs(Double(loss.permille) + 0.5 - share(losses: 300, good: count) * 1_000) < 0.8)
        }
    }

    @Test("up to a tenth of loss allows 1 s of silence, each further 4 % half a second more, up to 4 s")
    func silences() {
        let table = [
            (0...100, 1_000), (101...140, 1_500), (141...180, 2_000), (181...220, 2_500), (221...260, 3_000),
            (261...300, 3_500), (301...1_000, 4_000 as Int64),
        ]
        var seen: Set<Int> = []
        for losses in 0...80 {
            var loss = ControlLoss()
            var (now, number) = (start, 0 as UInt32)
            loss.add(number, path: 0, now: now)
            for step in Array(repeating: 4 as UInt32, count: losses) + Array(repeating: 1, count: 60) {
                (now, number) = (now + .seconds(2), number + step)
                loss.add(number, path: 0, now: now)
                seen.insert(loss.permille)
                let silence = table.first { $0.0.contains(loss.permille) }?.1
                #expect(loss.silenceMax == .milliseconds(silence ?? 0), "\(loss.permille) ‰")
            }
        }
        #expect(seen.isSuperset(of: [100, 101, 140, 141, 180, 181, 220, 221, 260, 261, 300, 301]))
    }
}
