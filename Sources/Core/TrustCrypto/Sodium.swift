import CSodium

/// libsodium as this module uses it.
enum Sodium {
    /// Starts libsodium, once in the process. To be called before any other function of it, from any thread.
    static func start() { isStarted }

    private static let isStarted: Void = precondition(0 <= sodium_init(), "libsodium does not start")

    /// Returns `byteCount` bytes that `fill` has written.
    static func filled(_ byteCount: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Void) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            guard let base = buffer.baseAddress else { preconditionFailure("\(byteCount) bytes without a place") }
            base.initialize(repeating: 0, count: byteCount)
            fill(base)
            count = byteCount
        }
    }
}
