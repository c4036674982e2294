import Primitives
import Testing
import Voice

@Suite("the reference of an echo canceller")
struct EchoReferenceTests {
    private let start = Instant(nanoseconds: 9_000_000_000)

    /// Playback writes blocks of 60 that sound 5 ms later, with instants up to `jitter` samples too late. Capture takes
    /// blocks of 480. The result is the captured position of each reference sample less its number, at the end.
    private func lag(jitter: Int, gapAt: Int? = nil) -> (lag: Int?, ties: UInt64) {
        var random = SeededRandom(seed: 4)
        var reference = EchoReference()
        var (played, lag) = (0, Int?.none)
        var block = [Float](repeating: 0, count: 480)
        var stalled = 0
        for number in 0..<400 {
            let capturedAt = start + Interval(samples: number * 480)
            // Before the end of this block, all sound of the next 5 ms has been written.
            while played + stalled < (number + 1) * 480 + 240 {
                if let gapAt, played == gapAt { stalled = 960 }
                // Samples count from 1, because 0 is silence. Half of them are exact in a Float.
                let samples = (0..<60).map { Float(played + $0 + 1) }
                let playsAt = start + Interval(samples: played + stalled + Int(random.below(UInt64(jitter + 1))))
                samples.withUnsafeBufferPointer {
                    if let base = $0.baseAddress { reference.append(base, count: 60, playsAt: playsAt) }
                }
                played += 60
            }
            block.withUnsafeMutableBufferPointer {
                if let base = $0.baseAddress { reference.take(into: base, count: 480, capturedAt: capturedAt) }
            }
            if block[0] != 0 { lag = number * 480 - Int(block[0]) + 1 }
        }
        let ties = reference.ties
        return (lag, ties)
    }

    @Test("the reference is the sound during the captured block, two milliseconds ahead")
    func aligned() {
        let (lag, ties) = lag(jitter: 0)
        #expect(lag == -Int(EchoReference.leadSamples) && ties == 1)
    }

    @Test("late threads do not move it")
    func jitter() {
        let (lag, ties) = lag(jitter: 60)
        #expect(ties == 1)
        #expect(lag.map { -96 <= $0 && $0 <= -36 } == true, "\(lag ?? 0)")
    }

    @Test("after a gap in the output the clocks are tied again")
    func gap() {
        let (lag, ties) = lag(jitter: 0, gapAt: 48_000)
        #expect(lag == 960 - Int(EchoReference.leadSamples) && ties == 2)
    }
}

@Suite("periods into blocks and back")
struct ReblockingTests {
    @Test(
        "every sample comes out once, in order, and with the least delay",
        arguments: [(480, 0), (960, 0), (240, 240), (120, 360), (128, 448), (1_024, 448), (441, 477)])
    func order(period: Int, delay: Int) {
        var reblocking = Reblocking(blockSamples: 480, periodSamplesMax: 1_024)
        var out: [Float] = []
        var begins: [Int] = []
        for number in 0..<40 {
            var samples = (0..<period).map { Float(number * period + $0 + 1) }
            samples.withUnsafeMutableBufferPointer {
                guard let base = $0.baseAddress else { return }
                reblocking.process(base, count: period) { block, before in
                    begins.append(number * period - before)
                    for index in 0..<480 { block[index] = -block[index] }
                }
            }
            out += samples
        }
        let total = reblocking.delaySamples
        #expect(total <= delay, "\(total)")
        let sounding = out.filter { $0 != 0 }
        #expect(sounding == (0..<sounding.count).map { -Float($0 + 1) })
        #expect(out.count - sounding.count == total)
        #expect(begins == begins.indices.map { $0 * 480 })
    }
}
