package import Channels

/// What a reload changes: the difference between what is in force of the files and what they say now. What a person
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
    /// The talk keys as the files have them now; nil if they are as before, or need a restart.
    package var keys: [KeyTable]?
    /// Settings that have their effect at the next start: the words of options, and `key` for talk keys.
    package var needsRestart: [String] = []

    /// - Parameters:
    ///   - old: the options that are in force.
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
        let (formerProfile, profile) = (ProfileWords(old.startProfile()), ProfileWords(new.startProfile()))
        live += ProfileWords.fields.filter { formerProfile[$0] != profile[$0] }.map(\.key)
        if old.beepsOnLoss != new.beepsOnLoss { live.append(.beepOnLoss) }
        if old.admission != new.admission { live.append(.admission) }
        if old.grants.privately != new.grants.privately { live.append(.grantPrivate) }
        if old.grants.toAll != new.grants.toAll { live.append(.grantAll) }
        if old.grants.callAll != new.grants.callAll { live.append(.grantCallAll) }
        if old.grants.closeMicrophone != new.grants.closeMicrophone { live.append(.grantCloseMicrophone) }
        if old.grants.priority != new.grants.priority { live.append(.grantPriority) }
        if let origin = started.origin, let other = new.origin {
            needsRestart = origin.changes(in: other).filter { !ReloadPlan.liveKeys.contains($0) }.map(\.rawValue)
        }
        compareKeys(old, new)
    }

    /// A running node can give its keys other targets, and add keys after them. Another name, mode or terminal key
    /// needs a restart, because a person may hold the key. So does a voice-operated key, for which the microphone stays
    /// open. A key that names no mode gets the one in force.
    private mutating func compareKeys(_ old: RunOptions, _ new: RunOptions) {
        let (before, after) = (old.keys, new.keys)
        guard before.count != after.count || !zip(before, after).allSatisfy({ $0.isWritten(as: $1) }) else { return }
        let isKept = zip(before, after).allSatisfy {
            $0.name == $1.name && $0.mode == $1.mode && $0.terminalKey == $1.terminalKey
        }
        let added = after.dropFirst(before.count)
        if !before.isEmpty, before.count <= after.count, isKept,
            !added.contains(where: { ($0.mode ?? old.talk) == .vox })
        {
            keys = after
        } else {
            needsRestart.append(KeyTable.word)
        }
    }

    /// The settings that a running node can change.
    private static let liveKeys: [RunKey] =
        ProfileWords.fields.map(\.key) + RunKey.grants + [.beepOnLoss, .channel, .admission]
}

extension KeyTable {
    /// Whether the tables say the same, wherever they stand in their files.
    func isWritten(as other: KeyTable) -> Bool {
        var moved = other
        moved.place = place
        return self == moved
    }
}
