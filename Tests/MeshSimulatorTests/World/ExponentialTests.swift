import MeshSimulator
import Primitives
import Testing

@Suite("Exponential intervals in integers")
struct ExponentialTests {
    @Test(
        "mean and quantiles are those of the distribution", arguments: [1_000, 5_000_000, 3_600_000_000_000] as [Int64])
    func statistics(mean: Int64) {
        var random = SeededRandom(seed: UInt64(mean))
        let count = 100_000
        let draws = (0..<count)
            .map { _ in Exponential.interval(mean: Interval(nanoseconds: mean), using: &random).nanoseconds }
            .sorted()
        let average = Double(draws.reduce(0) { $0 + $1 / 16 }) * 16 / Double(count)
        #expect(abs(average / Double(mean) - 1) < 0.02)
        #expect(abs(Double(draws[count / 2]) / (Double(mean) * 0.6931) - 1) < 0.02)
        #expect(abs(Double(draws[count * 99 / 100]) / (Double(mean) * 4.6052) - 1) < 0.04)
        #expect(draws.allSatisfy { 0 <= $0 && $0 <= 10 * mean })
    }

    @Test("a mean of zero gives no delay")
    func zero() {
        var random = SeededRandom(seed: 1)
        #expect(Exponential.interval(mean: .zero, using: &random) == .zero)
    }
}
