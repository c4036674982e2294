import Primitives
import Testing
import Trust

@Suite("The replay window")
struct ReplayWindowTests {
    /// Checks and inserts at once, as a receiver does with datagrams whose tags are valid.
    private struct Receiver {
        var window = ReplayWindow()

        mutating func accepts(_ counter: UInt64) -> Bool {
            guard window.isFresh(counter) else { return false }
            window.insert(counter)
            return true
        }
    }

    /// How far behind the newest counter another may be: WireGuard's COUNTER_WINDOW_SIZE.
    private static let reach = UInt64(MediaKeyLimits.replayWindowPackets) - 1
    private static let limit = reach + 1
    /// Stands for REJECT_AFTER_MESSAGES, which the session enforces and the window does not.
    private static let far: UInt64 = 1 << 62

    /// The single assertions of WireGuard's drivers/net/wireguard/selftest/counter.c, 1 to 34. Those about counters at
    /// or above REJECT_AFTER_MESSAGES (25, 27, 30, 31) belong to the session.
    @Test("passes WireGuard's table")
    func wireGuardTable() {
        let (t, far) = (ReplayWindowTests.limit, ReplayWindowTests.far)
        let table: [(UInt64, Bool)] = [
            (0, true), (1, true), (1, false), (9, true), (8, true), (7, true), (7, false), (t, true), (t - 1, true),
            (t - 1, false), (t - 2, true), (2, true), (2, false), (t + 16, true), (3, false), (t + 16, false),
            (t * 4, true), (t * 4 - (t - 1), true), (10, false), (t * 4 - t, false), (t * 4 - (t + 1), false),
            (t * 4 - (t - 2), true), (t * 4 + 1 - t, false), (0, false), (far - 1, true), (far - 1, false),
            (far - 2, true), (far - 2, false), (far - 3, true), (0, false),
        ]
        var receiver = Receiver()
        for (row, (counter, isAccepted)) in table.enumerated() {
            let result = receiver.accepts(counter)
            #expect(result == isAccepted, "row \(row), counter \(counter)")
        }
    }

    /// The six runs of the same file.
    @Test(
        "passes WireGuard's runs",
        arguments: [
            (Array(1...reach), [(0, true), (0, false)]),
            (Array(2...reach + 1), [(1, true), (0, false)]),
            (Array((0...reach).reversed()), []),
            (Array((1...reach + 1).reversed()), [(0, false)]),
            (Array((1...reach).reversed()), [(reach + 1, true), (0, false)]),
            (Array((1...reach).reversed()), [(0, true), (reach + 1, true)]),
        ] as [([UInt64], [(UInt64, Bool)])])
    func wireGuardRuns(_ run: [UInt64], _ after: [(UInt64, Bool)]) {
        var receiver = Receiver()
        let accepted = run.map { receiver.accepts($0) }
        #expect(accepted.allSatisfy { $0 })
        for (counter, isAccepted) in after {
            let result = receiver.accepts(counter)
            #expect(result == isAccepted, "counter \(counter)")
        }
    }

    /// The model keeps every counter that it has accepted, and nothing else.
    @Test("agrees with a model that forgets nothing, over a million counters")
    func model() {
        var random = SeededRandom(seed: 10)
        var receiver = Receiver()
        var seen: Set<UInt64> = []
        var newest: UInt64 = 0
        var disagreements = 0
        for round in 0..<1_000_000 {
            let counter: UInt64 =
                switch random.below(10) {
                case 0...4: newest + 1
                case 5, 6: newest - min(newest, random.below(1_100))
                case 7: newest + random.below(70)
                case 8: newest - min(newest, random.below(8))
                default: random.chance(permille: 5) ? newest + random.below(5_000) : newest + 63
                }
            let isNew = seen.isEmpty || newest < counter + 1_024 && !seen.contains(counter)
            if receiver.accepts(counter) != isNew { disagreements += 1 }
            if isNew {
                seen.insert(counter)
                newest = max(newest, counter)
            }
            if round % 65_536 == 0 { seen = seen.filter { newest < $0 + 2_048 } }
        }
        #expect(disagreements == 0)
    }

    @Test("does not change by a check")
    func asking() {
        var window = ReplayWindow()
        window.insert(5)
        #expect(window.isFresh(1_000_000) && window.isFresh(4))
        #expect(window.isFresh(1_000_000) && window.isFresh(4) && !window.isFresh(5))
    }
}
