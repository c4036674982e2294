/// A task that waits for the first of several answers, such as that of a disk and that of a clock. It goes on with the
/// first one; later answers are ignored.
package final class FirstAnswer<Answer: Sendable>: Sendable {
    /// Nil after the first answer.
    private let continuation: LockedValue<CheckedContinuation<Answer, Never>?>

    package init(_ continuation: CheckedContinuation<Answer, Never>) {
        self.continuation = LockedValue(continuation)
    }

    /// Gives an answer, on any thread. Returns whether it is the first one.
    @discardableResult
    package func give(_ answer: Answer) -> Bool { give(by: { answer }) }

    /// Makes an answer and gives it, unless there is one already. Returns whether there was none.
    /// - Parameter make: does what the answer tells of. Another answer waits meanwhile, so it must be short.
    package func give(by make: () -> Answer) -> Bool {
        var given: (task: CheckedContinuation<Answer, Never>, answer: Answer)?
        continuation.update { waiting in
            guard let task = waiting else { return }
            waiting = nil
            given = (task, make())
        }
        guard let given else { return false }
        given.task.resume(returning: given.answer)
        return true
    }
}
