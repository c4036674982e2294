package import NodeRuntime

/// A table with one row for each channel:
///
///     > lights                     -6.0 left  both   FOH          you  SM!  LX  SOUND
///         keys  main  boss
///
/// The first column is `>` if a talk key of this node speaks on the channel, and `*` if the node has joined it
/// without that; a second line names the keys. Then come level, ear and use of the channel here (`progr.` for
/// programme). A peer that talks on it now has a `!`. A channel that the user has hidden is listed while this node is
/// on it; the others are counted.
package struct ChannelTable {
    private let channels: [ChannelsDocument.Channel]
    private let hiddenCount: Int
    private let direct: [String]
    private let namesKeys: Bool
    private let paint: Paint

    /// - Parameter showsHidden: whether channels that the user has hidden are listed too.
    package init(_ document: ChannelsDocument, showsHidden: Bool, paint: Paint) {
        channels = document.channels.filter { showsHidden || $0.joined || !$0.hidden }
        hiddenCount = document.channels.count - channels.count
        direct = ChannelTable.direct(document)
        // A node without key tables has a single key, whose name tells nothing.
        namesKeys = Set(document.channels.flatMap(\.talkKeys)) != [KeyBook.onlyName]
        self.paint = paint
    }

    /// The heading, the lines of each channel and the meaning of the marks, without line feeds. Many members take
    /// several lines.
    package var lines: [String] {
        guard !channels.isEmpty || 0 < hiddenCount else {
            return ["no channels known yet; `partyline join NAME` joins one"] + direct
        }
        let hidden = hiddenCount == 0 ? [] : ["  \(hiddenCount) hidden; `partyline channels --all` lists all"]
        let rows = channels.flatMap(lines(of:)) + hidden
        return [paint(row(" ", "CHANNEL", "LEVEL", "EAR", "USE", "CREATOR") + "MEMBERS", .faint)] + rows
            + (direct.isEmpty ? [] : [""] + direct) + [""] + legend
    }

    private var legend: [String] {
        var marks = ["* joined   > a talk key speaks there   NAME! talks there now"]
        if channels.contains(where: \.hasCode) {
            marks.append("code:NAME is only for those who have joined it with its code")
        }
        guard channels.contains(where: \.deleted) else { return marks }
        return marks + ["(deleted) no longer in the mesh's list; nodes that are on it hear each other"]
    }

    /// The talk beside the channels, a sentence for each peer.
    static func direct(_ document: ChannelsDocument) -> [String] {
        document.privately.map { "\(Output.safe($0)) talks privately to you" }
            + document.toAll.map { "\(Output.safe($0)) talks to all" }
    }

    private func lines(of channel: ChannelsDocument.Channel) -> [String] {
        let label = row(
            !channel.talkKeys.isEmpty ? ">" : channel.joined ? "*" : " ", Output.safe(channel.name),
            channel.levelDb.map(ChannelTable.level) ?? "-", channel.ear.map { Output.safe($0) } ?? "-",
            ChannelTable.use(of: channel),
            channel.deleted ? "(deleted)" : channel.creatorName.map { Output.safe($0) } ?? "-")
        // A peer may talk on a channel without listening to it.
        let others = channel.talking.filter { !channel.members.contains($0) }
        let members = (channel.members + others).map { name in
            Output.safe(name) + (channel.talking.contains(name) ? "!" : "")
        }
        let keys = keyLines(of: channel)
        guard members.isEmpty else {
            return Columns.wrapped((channel.joined ? ["you"] : []) + members, label: label) + keys
        }
        return [label + ChannelTable.nobodyElse(on: channel)] + keys
    }

    private func keyLines(of channel: ChannelsDocument.Channel) -> [String] {
        guard namesKeys, !channel.talkKeys.isEmpty else { return [] }
        return Columns.wrapped(channel.talkKeys.map { Output.safe($0) }, label: "    keys  ").map { paint($0, .faint) }
    }

    /// What stands for the peers on a channel without any.
    private static func nobodyElse(on channel: ChannelsDocument.Channel) -> String {
        guard channel.hasCode, channel.sharedWith.isEmpty else { return channel.joined ? "you" : "-" }
        return channel.joined ? "nobody else yet" : "code is kept"
    }

    private func row(
        _ mark: String, _ name: String, _ level: String, _ ear: String, _ use: String, _ creator: String
    ) -> String {
        [
            mark, Columns.left(name, 24), Columns.right(level, 6), Columns.left(ear, 5), Columns.left(use, 6),
            Columns.left(creator, 12), "",
        ].joined(separator: " ")
    }

    /// Whether this node listens to the channel, talks on it, or both.
    static func use(of channel: ChannelsDocument.Channel) -> String {
        switch (channel.listens, channel.talks) {
        case (true, _) where channel.programmeDimDb != nil: "progr."
        case (true, true): "both"
        case (true, false): "listen"
        case (false, true): "talk"
        case (false, false): "-"
        }
    }

    /// The level with one decimal and its sign.
    static func level(_ decibels: Double) -> String {
        let tenths = Int((decibels * 10).rounded())
        let sign = tenths < 0 ? "-" : tenths == 0 ? "" : "+"
        return "\(sign)\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
    }
}
