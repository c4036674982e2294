import Primitives
import Testing
import Voice

@Suite struct MixerLimiterTests {
    @Test("however loud the sum is, no sample reaches full scale", arguments: [1, 2, 8, 50])
    func bounded(talkers: Int) {
        var random = SeededRandom(seed: UInt64(talkers))
        var limiter = Limiter()
        var worst: Float = 0
        var mix = [Float](repeating: 0, count: 240)
        for _ in 0..<200 {
            for index in mix.indices {
                mix[index] = (0..<talkers).reduce(into: Float(0)) { sum, _ in sum += Float(random.unit() * 2 - 1) }
            }
            mix.withUnsafeMutableBufferPointer { limiter.process($0.baseAddress!, count: $0.count) }
            worst = max(worst, mix.map(abs).max() ?? 0)
        }
        #expect(worst < 1)
    }

    @Test("sound below the threshold passes untouched")
    func transparent() {
        var limiter = Limiter()
        let sound = (0..<960).map { Float($0 % 100) / 120 - 0.4 }
        var output = sound
        output.withUnsafeMutableBufferPointer { limiter.process($0.baseAddress!, count: $0.count) }
        #expect(output == sound)
    }

    @Test("gains change linearly, without a step")
    func ramp() {
        let source = [Float](repeating: 0.5, count: 480)
        var mix = [Float](repeating: 0, count: 480)
        mix.withUnsafeMutableBufferPointer { MixKernels.add(source, to: $0.baseAddress!, count: 480, from: 0, to: 1) }
        let steps = zip(mix, mix.dropFirst()).map { abs($0 - $1) }
        #expect((steps.max() ?? 1) < 0.0011)
        #expect(mix[0] == 0)
    }

    @Test("two channels are interleaved, alternating if there are more outputs")
    func interleave() {
        let (left, right): ([Float], [Float]) = ([1, 2, 3], [4, 5, 6])
        var two = [Float](repeating: 0, count: 6)
        two.withUnsafeMutableBufferPointer {
            MixKernels.interleave(left, right, count: 3, into: $0.baseAddress!, channels: 2)
        }
        #expect(two == [1, 4, 2, 5, 3, 6])
        var four = [Float](repeating: 0, count: 12)
        four.withUnsafeMutableBufferPointer {
            MixKernels.interleave(left, right, count: 3, into: $0.baseAddress!, channels: 4)
        }
        #expect(four == [1, 4, 1, 4, 2, 5, 2, 5, 3, 6, 3, 6])
    }

    @Test("decibels agree with the logarithm", arguments: [(1.0, 0.0), (0.1, -10), (0.5, -3.01), (1e-6, -60)])
    func decibels(power: Double, expected: Double) {
        #expect(abs(Double(Decibels.ofPower(Float(power), floor: -100)) - expected) < 0.06)
        #expect(Decibels.ofPower(0, floor: -100) == -100)
        #expect(Decibels.ofPower(.nan, floor: -100) == -100)
    }
}
