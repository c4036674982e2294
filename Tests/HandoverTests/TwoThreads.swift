#if canImport(Glibc)
import Glibc
#endif

/// Runs two bodies on two real threads and waits for both.
func onTwoThreads(_ first: @escaping @Sendable () -> Void, and second: @escaping @Sendable () -> Void) {
    let threads = [start(first), start(second)]
    for thread in threads { pthread_join(thread, nil) }
}

private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func start(_ run: @escaping @Sendable () -> Void) -> pthread_t {
    var thread = pthread_t()
    let code = pthread_create(
        &thread, nil,
        { argument in
            Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().run()
            return nil
        }, Unmanaged.passRetained(Body(run)).toOpaque())
    precondition(code == 0, "no thread: \(code)")
    return thread
}
