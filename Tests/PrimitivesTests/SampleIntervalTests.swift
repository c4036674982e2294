import Primitives
import Testing

@Suite("intervals in samples")
struct SampleIntervalTests {
    @Test(
        "the nearest sample of what a person wrote in milliseconds",
        arguments: zip([1_333, 2_667, 1_334, 2_500, 10] as [Int64], [64, 128, 64, 120, 0]))
    func nearest(microseconds: Int64, samples: Int) {
        #expect(Interval.microseconds(microseconds).nearestSamples == samples)
    }

    @Test(
        "how long samples sound, rounded towards zero",
        arguments: [
            (0, Int64(0)), (1, 20_833), (3, 62_500), (48, 1_000_000), (240, 5_000_000), (-48, -1_000_000),
            (-1, -20_833), (48_000 * 86_400, 86_400_000_000_000),
        ] as [(Int, Int64)])
    func nanoseconds(samples: Int, nanoseconds: Int64) {
        #expect(Interval(samples: samples).nanoseconds == nanoseconds)
    }

    @Test("whole blocks come back as they went; any other count loses less than a sample")
    func thereAndBack() {
        for count in -1_000...1_000 {
            let back = Interval(samples: count).samples
            #expect(count.isMultiple(of: 3) ? back == count : abs(count - back) <= 1)
        }
    }
}
