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

/// Bytes of a secret. They are copied on request only, and wiped at the end of their life.
package struct SecretBytes: ~Copyable {
    let pointer: UnsafeMutablePointer<UInt8>
    let count: Int

    /// - Parameter fill: writes `count` bytes.
    init(count: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Void) {
        pointer = .allocate(capacity: count)
        pointer.initialize(repeating: 0, count: count)
        self.count = count
        fill(pointer)
    }

    deinit {
        sodium_memzero(pointer, count)
        pointer.deallocate()
    }

    package func copied() -> [UInt8] { Array(UnsafeBufferPointer(start: pointer, count: count)) }
}
