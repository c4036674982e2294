import MeshSimulator
import Primitives
import Testing

@Suite("Duration histogram")
struct DurationHistogramTests {
    @Test("quantiles are at most 3 % too high, and the maximum is exact")
    func quantiles() throws {
        var histogram = DurationHistogram()
        for milliseconds in 1...1_000 as ClosedRange<Int64> { histogram.add(.milliseconds(milliseconds)) }
        for (permille, truth) in [(500, 500), (990, 990), (10, 10)] as [(UInt64, Int64)] {
            let found = try #require(histogram.quantile(permille: permille))
            #expect(.milliseconds(truth) <= found)
            #expect(found.microseconds <= truth * 1_032)
        }
        #expect(histogram.quantile(permille: 1_000) == .seconds(1))
        #expect(histogram.max == .seconds(1))
        #expect(histogram.count == 1_000)
    }

    @Test("small lengths are exact, and an empty histogram has no quantile")
    func edges() {
        var histogram = DurationHistogram()
        #expect(histogram.quantile(permille: 500) == nil)
        for microseconds in 0...40 as ClosedRange<Int64> { histogram.add(.microseconds(microseconds)) }
        #expect(histogram.quantile(permille: 500) == .microseconds(20))
        #expect(histogram.points.map(\.count) == Array(1...41))
    }

    @Test("the order of the lengths does not matter")
    func commutes() {
        let lengths = (0..<500).map { Interval.microseconds(Int64($0 * $0 * 37 % 1_000_003)) }
        var (rising, falling) = (DurationHistogram(), DurationHistogram())
        lengths.forEach { rising.add($0) }
        lengths.reversed().forEach { falling.add($0) }
        #expect(rising.points.map(\.upTo) == falling.points.map(\.upTo))
        #expect(rising.points.map(\.upTo).sorted() == rising.points.map(\.upTo))
    }
}
