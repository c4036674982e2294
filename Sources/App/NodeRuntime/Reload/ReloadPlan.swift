package import Channels

/// What a reload changes: the difference between what is in force of the files and what they say now. A change that a
/// person made meanwhile stays, unless the files changed the same (docs/decisions/025-reload.md).
package struct ReloadPlan: Hashable, Sendable {
    /// Channels that the files no longer name.
    package var unnamed: [ChannelName] = []
    /// The channels among `unnamed` that are parted: none if the files name no channel any more. With such files a
    /// start joins the channels of the last run, and these are the present ones.
    package var parts: [ChannelName] = []
    /// Channels that the files name anew.
    package var joins: [ChannelWish] = []
    /// Changes of channels that the files named before. They hold for a channel that a person has not parted.
    package var changes: [ChannelWish] = []
    /// Settings that have their effect at once.
    package var live: [RunKey] = []
    /// The talk keys as the files have them now, without what needs a restart; nil if they stay as they are.
    package var keys: [KeyTable]?
    /// Settings that have their effect at the next start: the words of options; for talk keys `key` with the reason, or
    /// the mode of one key.
    package var needsRestart: [String] = []
    /// A warning that the files name another mesh than the closed one in which the node is; nil if they do not, or if
    /// they named the same one at the start.
    package var overruledName: String?

    /// - Parameters:
    ///   - old: the options that are in force.
    ///   - new: the options as they are read now.
    ///   - started: the options with which the node was started.
    ///   - closedMesh: the name of the closed mesh in which the node is; nil in an open one.
    package init(
        from old: RunOptions, to new: RunOptions, startedWith started: RunOptions, in closedMesh: String? = nil
    ) {
        let (before, after) = (old.channels, new.channels)
        unnamed = before.map(\.name).filter { name in !after.contains { $0.name == name } }
        parts = after.isEmpty ? [] : unnamed
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
        if Set(old.tones) != Set(new.tones) { live.append(.tones) }
        if old.logLevel != new.logLevel { live.append(.logLevel) }
        if old.admission != new.admission { live.append(.admission) }
        if old.grants.privately != new.grants.privately { live.append(.grantPrivate) }
        if old.grants.toAll != new.grants.toAll { live.append(.grantAll) }
        if old.grants.callAll != new.grants.callAll { live.append(.grantCallAll) }
        if old.grants.closeMicrophone != new.grants.closeMicrophone { live.append(.grantCloseMicrophone) }
        if old.grants.priority != new.grants.priority { live.append(.grantPriority) }
        if let origin = started.origin, let other = new.origin {
            var changes = origin.changes(in: other).filter { !ReloadPlan.liveKeys.contains($0) }
            // A node stays in its closed mesh also after a restart.
            if let closedMesh, changes.contains(.mesh) {
                changes.removeAll { $0 == .mesh }
                overruledName = new.overruledName(in: closedMesh)
            }
            needsRestart = changes.map(\.rawValue)
        }
        // The capture thread keeps the sound from before the voice only if a key was voice-operated at the start.
        let mayBeVox = KeyBook.hasVox(started.keys, mode: started.talk)
        if old.talk != new.talk {
            if new.talk == .vox, !mayBeVox { needsRestart.append(RunKey.talk.rawValue) } else { live.append(.talk) }
        }
        compareKeys(old, new, talk: live.contains(.talk) ? new.talk : old.talk, mayBeVox: mayBeVox)
    }

    /// A running node can give its keys other targets and modes, and add keys after them. Another name or terminal key
    /// needs a restart, because a person may hold the key; then no table has an effect before.
    ///
    /// - Parameters:
    ///   - talk: the mode of a key that names none.
    ///   - mayBeVox: whether a key can become voice-operated without a restart.
    private mutating func compareKeys(_ old: RunOptions, _ new: RunOptions, talk: TalkMode, mayBeVox: Bool) {
        let before = old.keys
        guard !before.isWritten(as: new.keys) else { return }
        let reasons = ReloadPlan.reasonsForRestart(from: before, to: new.keys)
        guard reasons.isEmpty else {
            needsRestart += reasons.map { "\(KeyTable.word) (\($0))" }
            return
        }
        var possible: [KeyTable] = []
        for var table in new.keys {
            if !mayBeVox, table.mode(with: talk) == .vox {
                needsRestart.append("\(KeyTable.word) '\(table.name)' (mode vox)")
                // A key keeps its place, so those behind a new one wait with it.
                guard possible.count < before.count else { break }
                table.mode = before[possible.count].mode
            }
            possible.append(table)
        }
        if !before.isWritten(as: possible) { keys = possible }
    }

    private static func reasonsForRestart(from before: [KeyTable], to after: [KeyTable]) -> [String] {
        if before.isEmpty { return ["the first tables"] }
        if after.count < before.count { return ["fewer tables"] }
        return zip(before, after).flatMap { former, table in
            [
                former.name == table.name ? nil : "another name of '\(former.name)'",
                former.terminalKey == table.terminalKey ? nil : "another terminal key of '\(former.name)'",
            ].compactMap { $0 }
        }
    }

    /// The settings that a running node can change.
    private static let liveKeys: [RunKey] =
        ProfileWords.fields.map(\.key) + RunKey.grants + [.beepOnLoss, .tones, .logLevel, .channel, .admission, .talk]
}

extension KeyTable {
    /// Whether the tables say the same, wherever they stand in their files.
    func isWritten(as other: KeyTable) -> Bool {
        var moved = other
        moved.place = place
        return self == moved
    }
}

extension [KeyTable] {
    /// Whether the tables say the same, in the same order.
    fileprivate func isWritten(as others: [KeyTable]) -> Bool {
        count == others.count && zip(self, others).allSatisfy { $0.isWritten(as: $1) }
    }

    /// The tables that are new, or say something else than those at the same places before.
    func changed(since former: [KeyTable]) -> [KeyTable] {
        indices.filter { !former.indices.contains($0) || !former[$0].isWritten(as: self[$0]) }.map { self[$0] }
    }
}
