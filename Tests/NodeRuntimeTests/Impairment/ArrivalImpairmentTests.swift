import NodeRuntime
import Primitives
import Testing

@Suite("a bad network for demonstrations")
struct ArrivalImpairmentTests {
    private let start = Instant(nanoseconds: 8_000_000_000)

    private func passages(_ settings: ImpairmentSettings, count: Int64 = 10_000) -> [Instant?] {
        var impairment = ArrivalImpairment(settings, seed: 3)
        return (0..<count).map { impairment.passes(start + .milliseconds(5 * $0)) }
    }

    @Test("without settings every datagram passes at once")
    func nothing() {
        let passages = passages(ImpairmentSettings(), count: 100)
        #expect(passages == (0..<100).map { start + .milliseconds(5 * $0) })
        #expect(ImpairmentSettings().description.isEmpty)
    }

    @Test("the wanted share of datagrams is lost at random")
    func loss() {
        var settings = ImpairmentSettings()
        settings.lossPermille = 125
        let lost = passages(settings).filter { $0 == nil }.count
        #expect(abs(lost - 1_250) < 120)
        #expect(settings.description == "simulated on what arrives: 12.5 % loss")
    }

    @Test("delay and jitter stay within their bounds, and no datagram overtakes another")
    func delay() throws {
        var settings = ImpairmentSettings()
        (settings.delay, settings.jitter) = (.milliseconds(20), .milliseconds(20))
        let passages = try passages(settings).map { try #require($0) }
        #expect(passages == passages.sorted())
        let delays = passages.enumerated().map { ($1 - (start + .milliseconds(5 * Int64($0)))).milliseconds }
        #expect(try #require(delays.min()) < 5)
        #expect(try #require(delays.max()) <= 40)
        #expect(settings.description == "simulated on what arrives: 20 ms delay, 20 ms jitter")
    }

    @Test("with jitter alone no datagram passes before it arrived")
    func jitterAlone() throws {
        var settings = ImpairmentSettings()
        settings.jitter = .milliseconds(10)
        for (number, passage) in passages(settings, count: 1_000).enumerated() {
            #expect(start + .milliseconds(5 * Int64(number)) <= (try #require(passage)))
        }
    }
}
