import Dispatch

/// The steps that end the parts of a node. The part that was made last ends first.
///
/// A step may wait for a disk, and some disks never answer, such as that of a server that is gone. So the wait for each
/// step has a limit. After it the step goes on alone, and the next one begins.
package struct Endings: Sendable {
    /// The longest wait for one step. A disk that was at rest needs some seconds.
    package static let secondsMax = 3.0

    private struct Step {
        /// The part that it ends, for people.
        let part: String
        let body: @Sendable () async -> Void
    }

    private let secondsMax: Double
    private let tell: @Sendable (String) -> Void
    private var steps: [Step] = []

    /// - Parameters:
    ///   - secondsMax: the longest wait for one step. Only tests pass another.
    ///   - tell: takes the name of each part that has not ended in time.
    package init(secondsMax: Double = Endings.secondsMax, tell: @escaping @Sendable (String) -> Void) {
        (self.secondsMax, self.tell) = (secondsMax, tell)
    }

    package mutating func append(_ part: String, _ body: @escaping @Sendable () async -> Void) {
        steps.append(Step(part: part, body: body))
    }

    /// As `append`, for a step that blocks its thread. It gets one of its own: the tasks of the process share a few, on
    /// some machines only one.
    package mutating func appendBlocking(_ part: String, _ body: @escaping @Sendable () -> Void) {
        append(part) {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                DispatchQueue(label: "partyline.end").async {
                    body()
                    continuation.resume()
                }
            }
        }
    }

    /// Returns when each step is over, or its time.
    package func run() async {
        for step in steps.reversed() {
            if await !isOver(step) { tell(step.part) }
        }
    }

    private func isOver(_ step: Step) async -> Bool {
        let secondsMax = secondsMax
        return await withCheckedContinuation { continuation in
            DispatchQueue(label: "partyline.end.clock").async {
                let over = DispatchSemaphore(value: 0)
                Task {
                    await step.body()
                    over.signal()
                }
                continuation.resume(returning: over.wait(timeout: .now() + secondsMax) == .success)
            }
        }
    }
}
