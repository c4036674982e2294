import Glibc
import Primitives

/// Converts a recording to 48 kHz with a Blackman-windowed sinc. There is one row of weights for each phase of the
/// ratio (Smith, "Digital Audio Resampling"). It serves to read files and is too slow for the audio path.
struct Resampling {
    private let stepNumerator: Int
    private let stepDenominator: Int
    private let halfWidth: Int
    /// `stepDenominator` rows of `2 * halfWidth` weights.
    private let weights: [Float]

    init(fromHertz rate: Int) {
        let divisor = Resampling.greatestCommonDivisor(rate, SampleTime.rateHertz)
        stepNumerator = rate / divisor
        stepDenominator = SampleTime.rateHertz / divisor
        // Frequencies above half of the slower rate would alias. So the kernel widens with the step.
        let cutoff = min(1, Double(SampleTime.rateHertz) / Double(rate))
        let width = Int((Double(WaveLimits.resamplingHalfWidth) / cutoff).rounded(.up))
        halfWidth = width

        var rows: [Float] = []
        rows.reserveCapacity(stepDenominator * 2 * width)
        for phase in 0..<stepDenominator {
            let fraction = Double(phase) / Double(stepDenominator)
            let row = (1 - width...width).map { tap in
                Resampling.weight(at: Double(tap) - fraction, cutoff: cutoff, halfWidth: Double(width))
            }
            let sum = row.reduce(0, +)
            rows += row.map { Float($0 / sum) }
        }
        weights = rows
    }

    /// The number of samples at 48 kHz that `count` samples of the recording become.
    func count(of count: Int) -> Int { count * stepDenominator / stepNumerator }

    /// The samples of the recording that a range of the result is made of. Those before its beginning and after its end
    /// are silence.
    func input(for output: Range<Int>) -> Range<Int> {
        guard stepNumerator != stepDenominator else { return output }
        let first = output.lowerBound * stepNumerator / stepDenominator
        let last = (output.upperBound - 1) * stepNumerator / stepDenominator
        return first + 1 - halfWidth..<last + 1 + halfWidth
    }

    /// A range of the result.
    /// - Parameters:
    ///   - input: `input(for:)`, as far as the recording has it.
    ///   - start: the place of its first sample in the recording.
    func output(_ range: Range<Int>, of input: [Float], startingAt start: Int) -> [Float] {
        guard stepNumerator != stepDenominator else { return input }
        return range.map { index in
            let position = index * stepNumerator
            return sample(input, around: position / stepDenominator - start, phase: position % stepDenominator)
        }
    }

    private func sample(_ input: [Float], around center: Int, phase: Int) -> Float {
        let row = phase * 2 * halfWidth
        let first = center + 1 - halfWidth
        var sum: Float = 0
        for tap in max(0, -first)..<max(0, -first, min(2 * halfWidth, input.count - first)) {
            sum += input[first + tap] * weights[row + tap]
        }
        return sum
    }

    private static func weight(at x: Double, cutoff: Double, halfWidth: Double) -> Double {
        guard abs(x) < halfWidth else { return 0 }
        let angle = Double.pi * x / halfWidth
        let window = 0.42 + 0.5 * cos(angle) + 0.08 * cos(2 * angle)
        let argument = Double.pi * cutoff * x
        return window * (argument == 0 ? 1 : sin(argument) / argument)
    }

    private static func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
        b == 0 ? a : greatestCommonDivisor(b, a % b)
    }
}
