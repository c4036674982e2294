import Primitives
import Testing

@Suite("Time as numbers")
struct TimeTests {
    @Test("sample time runs on over its wrap")
    func wrap() {
        let last = SampleTime(samples: .max)
        let next = last.advanced(by: 241)
        #expect(next.samples == 240)
        #expect(next.distance(after: last) == 241)
        #expect(last.distance(after: next) == -241)
        #expect(SampleTime(samples: 0).advanced(by: -1).samples == .max)
        #expect(SampleTime(samples: 5).advanced(by: .min).distance(after: SampleTime(samples: 5)) == .min)
    }

    @Test("frame durations have their samples", arguments: zip(FrameDuration.allCases, [120, 240, 480, 960, 60]))
    func durations(_ duration: FrameDuration, _ samples: Int) {
        #expect(duration.samples == samples)
    }

    @Test(
        "intervals are written in milliseconds",
        arguments: [
            (0, "0.000ms"), (1_000, "0.001ms"), (-1_500_000, "-1.500ms"), (12_345_678, "12.345ms"),
            (Int64.min, "-9223372036854.775ms"),
        ])
    func written(_ nanoseconds: Int64, _ text: String) {
        #expect(Interval(nanoseconds: nanoseconds).description == text)
    }
}
