package import Channels

/// What a reload changes: the difference between what the files said before and what they say now. What a person
/// changed meanwhile stays, unless the files changed the same (docs/decisions/025-reload.md).
package struct ReloadPlan: Hashable, Sendable {
    /// Channels that the files no longer name.
    package var parts: [ChannelName] = []
    /// Channels that the files name anew.
    package var joins: [ChannelWish] = []
    /// Changes of channels that the files named before. They hold for a channel that a person has not parted.
    package var changes: [ChannelWish] = []
    /// Settings that have their effect at once.
    package var live: [RunKey] = []
    /// Settings that have their effect at the next start.
    package var needsRestart: [RunKey] = []

    /// - Parameters:
    ///   - old: the options as they were read last.
    ///   - new: the options as they are read now.
    ///   - started: the options with which the node was started.
    package init(from old: RunOptions, to new: RunOptions, startedWith started: RunOptions) {
        let (before, after) = (old.channels, new.channels)
        parts = before.map(\.name).filter { name in !after.contains { $0.name == name } }
        for wish in after {
            guard let former = before.first(where: { $0.name == wish.name }) else {
                joins.append(wish)
                continue
            }
            let change = wish.changes(since: former)
            if change.isMoreThanJoining { changes.append(change) }
        }
        if old.nick != new.nick { live.append(.nick) }
        if old.role != new.role { live.append(.role) }
        if old.colour != new.colour { live.append(.colour) }
        if old.beepsOnLoss != new.beepsOnLoss { live.append(.beepOnLoss) }
        guard let origin = started.origin, let other = new.origin else { return }
        needsRestart = origin.changes(in: other).filter { !ReloadPlan.liveKeys.contains($0) }
    }

    /// The settings that a running node can change.
    private static let liveKeys: [RunKey] = [.nick, .role, .colour, .beepOnLoss, .channel]
}
