import CSodium

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
