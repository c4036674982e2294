import Primitives
import Synchronization
import Testing

/// Runs a test of audio threads again if it failed while the machine stalled.
///
/// Such a test states what the engine does in a certain time. A virtual machine that gets no processor for 200 ms makes
/// any such statement false. A failure in a stall is recorded as a known issue. A failure without a stall, or at the
/// last attempt, fails the test.
struct UndisturbedTrait: TestTrait, SuiteTrait, TestScoping {
    /// The lead of an output without a card. A longer stall empties it.
    var stallMax = Interval.milliseconds(5)
    var attemptsMax = 5

    private final class Outcome: Sendable {
        let isDisturbed = Atomic(false)
    }

    /// The trait applies to each test of a suite, and not to the suite as a whole.
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        for attempt in 1...attemptsMax {
            let watch = StallWatch()
            defer { watch.end() }
            let outcome = Outcome()
            try await withKnownIssue("the machine stalled", isIntermittent: true) {
                try await function()
            } matching: { _ in
                guard attempt < attemptsMax, stallMax < watch.longest else { return false }
                outcome.isDisturbed.store(true, ordering: .relaxed)
                return true
            }
            guard outcome.isDisturbed.load(ordering: .relaxed) else { return }
        }
    }
}

extension Trait where Self == UndisturbedTrait {
    /// For tests whose statements hold only if the machine does not stall.
    static var undisturbed: UndisturbedTrait { UndisturbedTrait() }
}
