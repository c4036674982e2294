/// Some of a node's talk keys, one bit each. The first key is bit 0.
package struct KeySet: OptionSet, Hashable, Sendable, BitwiseCopyable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// - Precondition: `index` is below `TalkLimits.keysMax`.
    package static func key(_ index: Int) -> KeySet {
        precondition(0 <= index && index < TalkLimits.keysMax, "key \(index)")
        return KeySet(rawValue: 1 << UInt8(index))
    }

    /// The key of a node that has only one.
    package static let first = KeySet(rawValue: 1)
}
