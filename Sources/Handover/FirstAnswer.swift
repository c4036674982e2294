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
    package func give(_ answer: Answer) -> Bool {
        var waiting: CheckedContinuation<Answer, Never>?
        continuation.update { (waiting, $0) = ($0, nil) }
        waiting?.resume(returning: answer)
        return waiting != nil
    }
}
