/// Anti-replay window: accepts each counter once, and no counter below the window.
///
/// It is a ring of 64-bit words, as in RFC 6479: with one word more than the window needs, advancing clears whole
/// words. `isFresh` is called before a datagram is decrypted, `insert` only after its tag was verified, so that a
/// forged datagram cannot move the window.
package struct ReplayWindow: Sendable {
    private static let wordCount = MediaKeyLimits.replayWindowPackets / 64 + 1

    private var words = [UInt64](repeating: 0, count: ReplayWindow.wordCount)
    /// One above the highest counter seen; 0 before the first.
    private var end: UInt64 = 0

    package init() {}

    /// Returns whether `counter` was not inserted before and is not below the window.
    package func isFresh(_ counter: UInt64) -> Bool {
        guard counter < end else { return true }
        guard end - counter <= UInt64(MediaKeyLimits.replayWindowPackets) else { return false }
        return words[ReplayWindow.slot(of: counter)] & ReplayWindow.bit(of: counter) == 0
    }

    /// Marks the counter of an authentic datagram as used.
    /// - Precondition: `counter` is fresh, and below `UInt64.max`.
    package mutating func insert(_ counter: UInt64) {
        precondition(isFresh(counter), "counter \(counter) is noted twice")
        if end <= counter {
            clearWords(upTo: counter)
            end = counter + 1
        }
        words[ReplayWindow.slot(of: counter)] |= ReplayWindow.bit(of: counter)
    }

    /// Clears the words that the window reaches when it advances to `counter`.
    private mutating func clearWords(upTo counter: UInt64) {
        let newest = end == 0 ? 0 : (end - 1) / 64
        let steps = min(counter / 64 - newest, UInt64(ReplayWindow.wordCount))
        for step in 0..<steps { words[Int((counter / 64 - step) % UInt64(ReplayWindow.wordCount))] = 0 }
    }

    private static func slot(of counter: UInt64) -> Int { Int(counter / 64 % UInt64(wordCount)) }
    private static func bit(of counter: UInt64) -> UInt64 { 1 << (counter % 64) }
}
