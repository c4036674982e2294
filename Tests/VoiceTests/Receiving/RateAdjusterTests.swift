import Testing
import Voice

@Suite("a slip of one sample in 512")
struct RateAdjusterTests {
    /// A parabola, which a cubic through four samples follows without error.
    private func sound(_ x: Double) -> Float { Float(1e-6 * (x - 300) * (x - 300) - 0.1) }

    @Test(
        "a slip reads 1/512 faster or slower for 512 samples, then whole samples, for any block size",
        arguments: [RateAdjuster.Direction.faster, .slower], [1, 7, 60, 240, 511, 512, 513, 1_000])
    func reading(direction: RateAdjuster.Direction, block: Int) {
        let input = (-3..<3_000).map { sound(Double($0)) }
        let way = Double(direction.rawValue)
        var rateAdjuster = RateAdjuster()
        rateAdjuster.start(direction)
        var heard: [Float] = []
        var used = 0
        while heard.count < 1_024 {
            var output = [Float](repeating: 9, count: block)
            let promised = rateAdjuster.inputCount(for: block)
            let taken = input.withUnsafeBufferPointer { pointer in
                output.withUnsafeMutableBufferPointer {
                    rateAdjuster.run(pointer.baseAddress! + 3 + used, into: $0.baseAddress!, count: block)
                }
            }
            #expect(taken == promised)
            used += taken
            heard += output
            #expect(rateAdjuster.isRunning == (heard.count < 512))
        }
        #expect(used == heard.count + direction.rawValue)
        for (index, sample) in heard.enumerated() {
            let moved = index < 512 ? way * Double(index) / 512 : way
            #expect(abs(sample - sound(Double(index) - 2 + moved)) < 1e-6, "sample \(index)")
        }
    }

    @Test("a slip that is under way does not start again")
    func twice() {
        var rateAdjuster = RateAdjuster()
        #expect(!rateAdjuster.isRunning && rateAdjuster.inputCount(for: 600) == 600)
        rateAdjuster.start(.faster)
        #expect(rateAdjuster.inputCount(for: 511) == 511 && rateAdjuster.inputCount(for: 512) == 513)
        let input = [Float](repeating: 0, count: 600)
        var output = input
        _ = input.withUnsafeBufferPointer { rateAdjuster.run($0.baseAddress! + 3, into: &output, count: 500) }
        rateAdjuster.start(.slower)
        #expect(rateAdjuster.inputCount(for: 11) == 11 && rateAdjuster.inputCount(for: 12) == 13)
    }
}
