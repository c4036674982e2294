import Carrier
import Primitives
import Testing

@Suite("Handshake pace")
struct HandshakePaceTests {
    private let start = Instant(nanoseconds: 1_000_000_000)
    private let here = CarrierSource(IPAddress(v4: 127, 0, 0, 1), networks: [])
    private let there = CarrierSource(IPAddress(v4: 127, 0, 0, 2), networks: [])

    /// A pace whose burst is used up at `start`.
    private func busy() -> HandshakePace {
        var pace = HandshakePace(limits: .standard)
        for id in UInt64(1)...64 { _ = pace.ask(id, from: here, now: start) }
        return pace
    }

    @Test("64 handshakes start at once, then one every 10 ms; a pause earns the burst back")
    func rate() {
        var pace = HandshakePace(limits: .standard)
        let answers = (UInt64(1)...66).map { pace.ask($0, from: here, now: start) }
        #expect(answers == Array(repeating: .start, count: 64) + Array(repeating: .wait(displaced: nil), count: 2))
        var begun: [UInt64?] = []
        for milliseconds in [Int64(9), 10, 19, 20] {
            begun.append(pace.next(now: start + .milliseconds(milliseconds)))
        }
        #expect(begun == [nil, 65, nil, 66])
        let later = (UInt64(100)...163).map { pace.ask($0, from: here, now: start + .seconds(1)) }
        #expect(later == Array(repeating: .start, count: 64))
    }

    @Test("connections that end before their turn delay nobody")
    func closers() {
        var pace = busy()
        for id in UInt64(1_000)...11_000 {
            _ = pace.ask(id, from: here, now: start)
            pace.leave(id)
        }
        #expect(pace.ask(99_999, from: there, now: start) == .wait(displaced: nil))
        #expect(pace.nextAt(now: start) == start + .milliseconds(10))
        #expect(pace.next(now: start + .milliseconds(10)) == 99_999)
    }

    @Test("sources start in turn, whatever the number that each sends")
    func turns() {
        var pace = busy()
        for id in UInt64(100)..<150 { _ = pace.ask(id, from: here, now: start) }
        for id in UInt64(200)..<203 { _ = pace.ask(id, from: there, now: start) }
        let order = (1...6).map { pace.next(now: start + .milliseconds(10 * $0)) }
        #expect(order == [100, 200, 101, 201, 102, 202])
    }

    @Test("with all places taken the last of the source that holds most makes room for another, for its own kind not")
    func displacement() {
        var pace = busy()
        for id in UInt64(100)..<200 { _ = pace.ask(id, from: here, now: start) }
        #expect(pace.ask(200, from: here, now: start) == .refused)
        #expect(pace.ask(300, from: there, now: start) == .wait(displaced: 199))
        _ = pace.next(now: start + .milliseconds(10))
        #expect(pace.next(now: start + .milliseconds(20)) == 300)
    }
}
