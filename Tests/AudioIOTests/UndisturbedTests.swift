import Primitives
import Synchronization
import Testing

@Suite("tests that the machine disturbs")
struct UndisturbedTests {
    private final class Calls: Sendable {
        let count = Atomic(0)
    }

    /// The number of attempts of a test whose first `failing` attempts fail.
    private func attempts(stallMax: Interval, failing: Int) async throws -> Int {
        let calls = Calls()
        let trait = UndisturbedTrait(stallMax: stallMax, attemptsMax: 3)
        try await trait.provideScope(for: #require(Test.current), testCase: nil) {
            if calls.count.add(1, ordering: .relaxed).newValue <= failing { Issue.record("as asked") }
        }
        return calls.count.load(ordering: .relaxed)
    }

    @Test("a test that failed in a stall runs again until it passes")
    func again() async throws {
        #expect(try await attempts(stallMax: .seconds(-1), failing: 2) == 3)
        #expect(try await attempts(stallMax: .seconds(-1), failing: 0) == 1)
    }

    @Test("a test that fails without a stall or at the last attempt has failed", arguments: [true, false])
    func failed(isStalled: Bool) async throws {
        try await withKnownIssue {
            let made = try await attempts(stallMax: isStalled ? .seconds(-1) : .seconds(3_600), failing: 9)
            if made != (isStalled ? 3 : 1) { throw CancellationError() }
        } matching: {
            $0.error == nil
        }
    }
}
