package import Primitives

/// Bounds of the channel directory (docs/WIRE.md, "Directory").
package enum DirectoryLimits {
    /// Live channels and tombstones of one creator. Above either number, the entry of that form goes that is first in
    /// the order of `DirectoryEntry.goesBefore`.
    package static let liveOfCreatorMax = 32
    package static let tombstonesOfCreatorMax = 64
    /// A tombstone goes this many seconds after the change that made it, by the wall clock of the node that keeps it.
    package static let tombstoneSeconds: UInt64 = 30 * 24 * 3_600
    /// A node changes one channel at most once in this time.
    package static let changeInterval = Interval.seconds(2)
    /// A node that uses a name without an entry makes the entry after a wait out of this range. Until then a neighbour
    /// may bring one.
    package static let claimDelay = Interval.seconds(2)...Interval.seconds(4)
    /// Renamings of one channel that are followed at once, for a node that was away meanwhile.
    package static let renamingsFollowedMax = 8
    /// Names that wait for their entry, and channels that are to be taken back, at most.
    package static let pendingMax = 32
    /// Changes of this node itself that are remembered, for `changeInterval`.
    package static let ownChangesMax = 64
}
