package import Primitives

/// The keys that are down and that somebody heard at the last look. People are told when such a key loses its last
/// listener. A listener that goes on and off its channel again and again is told seldom.
package struct HeardKeys {
    /// While a key stays down, people are told at most once in this time.
    package static let toldOnceIn = Interval.seconds(10)

    private var heard: Set<Int> = []
    /// By key that is down: when people were told last.
    private var toldAt: [Int: Instant] = [:]

    package init() {}

    /// Somebody hears the key.
    package mutating func recordHeard(_ key: Int) { heard.insert(key) }

    /// Whether to tell people that nobody hears the key any more. News too soon after the last one waits, and is
    /// dropped if somebody hears the key by then.
    package func isNews(_ key: Int, now: Instant) -> Bool {
        guard heard.contains(key) else { return false }
        return toldAt[key].map { $0 + HeardKeys.toldOnceIn <= now } ?? true
    }

    /// People have been told that nobody hears the key.
    package mutating func recordTold(_ key: Int, now: Instant) {
        heard.remove(key)
        toldAt[key] = now
    }

    /// The key is up, or is pressed anew.
    package mutating func release(_ key: Int) {
        heard.remove(key)
        toldAt[key] = nil
    }
}
