import Primitives
import Testing
import Voice

extension EchoReference {
    /// Plays samples whose values are their numbers, counted from 1.
    fileprivate mutating func play(_ numbers: Range<Int>, at instant: Instant) {
        numbers.map { Float($0 + 1) }.withUnsafeBufferPointer {
            if let base = $0.baseAddress { append(base, count: numbers.count, playsAt: instant) }
        }
    }

    /// The numbers of the samples that sounded; -1 for silence.
    fileprivate mutating func heard(_ count: Int, at instant: Instant) -> [Int] {
        var block = [Float](repeating: 9, count: count)
        block.withUnsafeMutableBufferPointer {
            if let base = $0.baseAddress { take(into: base, count: count, capturedAt: instant) }
        }
        return block.map { Int($0) - 1 }
    }
}

@Suite("the echo reference at its edges")
struct EchoReferenceEdgeTests {
    private let start = Instant(nanoseconds: 9_000_000_000)
    private func after(_ samples: Int) -> Instant { start + Interval(samples: samples) }

    @Test("the reference runs 96 samples ahead, from the first played sample to the last")
    func ahead() {
        var reference = EchoReference()
        reference.play(0..<240, at: start)
        #expect(reference.heard(240, at: start) == Array(96..<240) + Array(repeating: -1, count: 96))
        #expect(reference.ties == 1)
        var early = EchoReference()
        early.play(0..<240, at: start)
        #expect(early.heard(100, at: after(-96 - 30)) == Array(repeating: -1, count: 30) + Array(0..<70))
        #expect(early.heard(70, at: after(-96 + 70)) == Array(70..<140), "goes on where it was")
    }

    @Test("it keeps 16,384 samples, and gives silence for older and for future ones")
    func memory() {
        for (shift, unknown) in [(0, 0), (-3, 3)] {
            var reference = EchoReference()
            for number in 0..<20 { reference.play(number * 1_000..<(number + 1) * 1_000, at: after(number * 1_000)) }
            // Position 19,000 sounds at `after(19_000)`, so 3,616 is available 96 samples before its own instant.
            let heard = reference.heard(16_400, at: after(3_616 - 96 + shift))
            #expect(
                heard[..<unknown].allSatisfy { $0 == -1 }
                    && Array(heard[unknown..<16_384 + unknown]) == Array(3_616..<20_000))
            #expect(heard[(16_384 + unknown)...].allSatisfy { $0 == -1 })
        }
    }

    @Test("if capture starts first, the clocks are tied at the first playback")
    func capturedFirst() {
        var reference = EchoReference()
        #expect(reference.heard(480, at: start) == Array(repeating: -1, count: 480))
        #expect(reference.ties == 0)
        reference.play(0..<960, at: after(480))
        #expect(reference.heard(480, at: after(480)) == Array(96..<576) && reference.ties == 1)
    }

    /// Takes ten blocks, each later than after the first tie by this many nanoseconds.
    private func ties(late: [Int64]) -> [UInt64] {
        var reference = EchoReference()
        reference.play(0..<16_000, at: start)
        _ = reference.heard(480, at: start)
        return late.enumerated().map { number, late in
            _ = reference.heard(480, at: after((number + 1) * 480) + Interval(nanoseconds: late))
            let ties = reference.ties
            return ties
        }
    }

    @Test("2 ms are jitter, and one sample more is a gap after four blocks in a row")
    func gap() {
        let (jitter, gap, none): (Int64, Int64, Int64) = (2_000_000, 2_020_834, 0)
        #expect(ties(late: Array(repeating: jitter, count: 6)) == [1, 1, 1, 1, 1, 1])
        #expect(ties(late: Array(repeating: -jitter, count: 6)) == [1, 1, 1, 1, 1, 1])
        #expect(ties(late: Array(repeating: gap, count: 6)) == [1, 1, 1, 2, 2, 2])
        #expect(ties(late: Array(repeating: -gap, count: 6)) == [1, 1, 1, 2, 2, 2])
        // A block that agrees restarts the count, and so does a tie.
        #expect(ties(late: [gap, gap, gap, none, gap, gap, gap, none]) == [1, 1, 1, 1, 1, 1, 1, 1])
        #expect(
            ties(late: Array(repeating: gap, count: 4) + Array(repeating: none, count: 5))
                == [1, 1, 1, 2, 2, 2, 2, 3, 3])
    }
}
