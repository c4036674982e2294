import Synchronization

/// What the playback thread is to hand to the recorder; looked at once a block.
package final class RecordingSwitch: Sendable {
    /// What is wanted now; empty where nobody records.
    package struct Wanted: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let mix = Wanted(rawValue: 1)
        /// Every talker by itself, as spoken.
        package static let tracks = Wanted(rawValue: 2)
    }

    private let wanted = Atomic<UInt8>(0)

    package init() {}

    package var current: Wanted { Wanted(rawValue: wanted.load(ordering: .relaxed)) }

    package func set(_ wanted: Wanted) { self.wanted.store(wanted.rawValue, ordering: .relaxed) }
}
