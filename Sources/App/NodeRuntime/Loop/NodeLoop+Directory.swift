import Channels
import NIOCore
import Node
import Primitives
import StateStore
import Wire

/// The channel directory: commands of people, and what the directory tells.
extension NodeLoop {
    /// The longest wait of a report until a renaming and the new name of the channel are known here.
    static let renamingWithin = TimeAmount.seconds(1)

    /// Tells the directory the time of day, which decides how long a deleted channel is remembered.
    func tellTime() { change { core.handle(.wallClock(WallTime.seconds()), now: $0) } }

    /// Carries out a person's command.
    /// - Throws: the reason for which it is not carried out.
    func perform(_ command: DirectoryCommand) throws(DirectoryRefusal) {
        var refusal: DirectoryRefusal?
        change { now in
            do throws(DirectoryRefusal) {
                try core.perform(command, now: now)
            } catch {
                refusal = error
            }
        }
        if let refusal { throw refusal }
    }

    /// Whether the channel exists, or this node has joined or hidden it, or has its code.
    func knows(_ name: ChannelName) -> Bool {
        let channel = core.directory.id(of: name)
        return core.directory.table[channel]?.isLive == true || core.listening.list[channel] != nil
            || hiddenChannels.contains(channel) || code(of: channel) != nil
    }

    /// Hides a channel in the lists of this node, or shows it again; kept across restarts.
    func hide(_ name: ChannelName, isHidden: Bool) {
        let channel = core.directory.id(of: name)
        hiddenChannels.removeAll { $0 == channel }
        if isHidden { hiddenChannels.append(channel) }
        parts.state.database.remember(isHidden: isHidden, channel)
    }

    /// Keeps what has to survive a restart, and tells people what has happened.
    func take(_ note: DirectoryNote) {
        switch note {
        case .store(let channel, let entry): parts.state.database.remember(entry: entry, of: channel)
        case .forget(let channel): parts.state.database.forgetEntries(of: [channel])
        case .followed(let former, let successor):
            secondChannels = secondChannels.map { $0 == former ? successor : $0 }
            if let name = core.directory.table[successor].flatMap({ ChannelName($0.name.string) }) {
                _ = channels.id(of: name)
            }
            // The node may have followed to a channel on which the key does not speak. It has followed all renamings
            // that it knows before it tells of the first one.
            let spoken = freelySpoken.map { core.directory.successor(of: $0) ?? $0 }
            moveFreeKey(from: spoken, to: core.listening.list.talked)
            keepChannels()
        case .event(.deleted(let channel, let name, let editor, let new?))
        where core.directory.namedSuccessor(of: channel) == nil:
            // A neighbour sends the entry of the new channel in a message of its own, after that of the old one.
            loop.scheduleTask(in: NodeLoop.renamingWithin) {
                guard !self.isLeaving else { return }
                self.tellPeople(of: .deleted(channel, name: name, by: editor, now: new))
            }
        case .event(let event): tellPeople(of: event)
        case .notTakenBack(_, let name, let refusal):
            parts.announcer.warn("the channel \(name) stays deleted although this node is on it: \(refusal.words())")
        }
    }

    private func tellPeople(of event: DirectoryEvent) {
        tell(
            EventReport(event, nameOf: peerDirectory.name(of:)) { [table = core.directory.table] in
                table[$0]?.name.string
            })
        warnOfRenaming(event)
        warnOfReplacement(event)
    }

    /// Warns of a renaming that this node does not follow, of a channel that it or a talk key of it uses.
    private func warnOfRenaming(_ event: DirectoryEvent) {
        guard case .deleted(let channel, let name, let editor, .some) = event, isInUse(channel),
            !core.directory.followsRenaming(of: channel)
        else { return }
        let editorName = peerDirectory.name(of: editor)
        let new = core.directory.namedSuccessor(of: channel)?.name.string
        let remedy = new.map { "`partyline join \(ShellWord.quoted($0))` goes to the new channel" }
        parts.announcer.warn(
            "\(editorName) renamed \(name)\(new.map { " to \($0)" } ?? ""), but is not known here as its creator: this "
                + "node and its talk keys stay on \(name). "
                + (remedy ?? "`partyline channels` lists the other channels"))
    }

    /// Warns that a channel that this node or a talk key of it uses is another one now. No entry tells any more what
    /// the former one became.
    private func warnOfReplacement(_ event: DirectoryEvent) {
        guard case .replaced(let channel, let name, _) = event, isInUse(channel) else { return }
        parts.announcer.warn(
            "\(name) is another channel than before: the former one was deleted or renamed while this node was away. "
                + "The others may be elsewhere: `partyline channels` lists the members of each")
    }

    /// The name of the node that created a channel; nil if no entry tells it.
    func creatorName(of channel: ChannelName) -> String? {
        core.directory.table[core.directory.id(of: channel)].map {
            peerDirectory.name(of: core.directory.creator(of: $0))
        }
    }

    private func isInUse(_ channel: ChannelID) -> Bool {
        core.listening.list[channel] != nil || core.keys.channels.contains(channel)
    }

    /// Warnings of deleted channels on which this node is. A renaming that it follows is none.
    var deletedChannelWarnings: [String] {
        core.listening.list.entries.map(\.channel).compactMap { channel in
            guard let entry = core.directory.table[channel], !entry.isLive,
                core.directory.successor(of: channel) == nil
            else { return nil }
            let new = core.directory.namedSuccessor(of: channel)
            return DeletedChannels.warning(
                of: entry.name.string, isRenamed: entry.signed.state.form != .deleted(now: nil),
                to: new?.name.string, isOnNew: new.map { core.listening.list[$0.channel] != nil } ?? false)
        }
    }
}
