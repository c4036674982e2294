import Dispatch

/// Work that blocks its thread, perhaps for a disk that does not answer. The tasks of the process share a few threads,
/// on some machines only one, and that one handles signals too. So such work gets a thread of its own.
enum BlockingWork {
    /// Returns the result of `body`.
    static func result<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "partyline.start").async { continuation.resume(with: Result { try body() }) }
        }
    }
}
