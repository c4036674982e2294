import Primitives
import Synchronization
import Testing

/// Plays a test of running audio threads again where it failed while the machine stalled.
///
/// Such a test states what the engine does in time, and a virtual machine that gets no processor
/// for 200 ms makes any such statement false. What failed then is noted as known; what fails
/// without a stall, or at the last attempt, fails the test.
struct UndisturbedTrait: TestTrait, SuiteTrait, TestScoping {
    var stallMax = Interval.milliseconds(20)
    var attemptsMax = 5

    private final class Outcome: Sendable {
        let isDisturbed = Atomic(false)
    }

    /// Its tests, not the suite as a whole, are played again.
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
    /// Tests whose statements hold where the machine does not stall.
    static var undisturbed: UndisturbedTrait { UndisturbedTrait() }
}
