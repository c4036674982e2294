import MeshSimulator
import Primitives
import Testing

@Suite("Times as text")
struct TimeTextTests {
    @Test(
        "a time is written in a fitting unit, and read back exactly",
        arguments: [
            (0, "0s"), (7, "7ns"), (50_000, "50us"), (1_500, "1.5us"), (250_000_000, "250ms"),
            (1_500_000_000, "1.5s"), (2_000_000_001, "2.000000001s"), (33_500_000_000, "33.5s"),
        ] as [(Int64, String)])
    func exact(nanoseconds: Int64, text: String) {
        let interval = Interval(nanoseconds: nanoseconds)
        #expect(TimeText.text(interval) == text)
        #expect(TimeText.interval(text) == interval)
    }

    @Test(
        "an invalid time is refused",
        arguments: ["", "s", "5", "-1s", "1.s", ".5s", "1.2.3s", "0.5ns", "1e3s", "1 s", "99999999999999s"])
    func refused(text: String) {
        #expect(TimeText.interval(text) == nil)
    }

    @Test("hours and minutes are read as well", arguments: [("6h", 21_600), ("90min", 5_400), ("1.5h", 5_400)])
    func longTimes(text: String, seconds: Int64) {
        #expect(TimeText.interval(text) == .seconds(seconds))
    }

    @Test("an instant of a run has three decimals")
    func instants() {
        #expect(TimeText.instant(.zero + .microseconds(12_345_678)) == "12.345 s")
        #expect(TimeText.instant(.zero + .milliseconds(7)) == "0.007 s")
    }
}
