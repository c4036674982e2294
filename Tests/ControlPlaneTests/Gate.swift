/// Holds replies back until a test opens it.
struct Gate: Sendable {
    private let stream = AsyncStream<Void>.makeStream()

    func open() { stream.continuation.finish() }

    func passed() async { for await _ in stream.stream {} }
}
