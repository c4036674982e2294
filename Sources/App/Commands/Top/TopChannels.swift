import NodeRuntime

/// The channels in `partyline top`, one row each: those of the talk keys first, then the other joined ones, then the
/// rest. The peers that are heard now stand first in a row, each with a `!`.
struct TopChannels {
    private let channels: [ChannelsDocument.Channel]
    private let columns: Int
    private let paint: Paint

    init(_ document: ChannelsDocument, columns: Int, paint: Paint) {
        let listed = document.channels.filter { $0.joined || !$0.hidden }
        let others = listed.filter(\.talkKeys.isEmpty)
        channels = listed.filter { !$0.talkKeys.isEmpty } + others.filter(\.joined) + others.filter { !$0.joined }
        self.columns = columns
        self.paint = paint
    }

    /// The number of rows that show every channel.
    var count: Int { channels.count }

    /// The heading and at most `rows` rows. If there are more channels, the last row tells how many are left out.
    func lines(rows: Int) -> [String] {
        let heading = paint(Columns.fit(row(" ", "CHANNEL", "LEVEL", "EAR", "USE") + "MEMBERS", columns), .faint)
        guard !channels.isEmpty else {
            return [heading, Columns.fit("  none; `partyline join NAME` joins one", columns)]
        }
        guard rows < channels.count else { return [heading] + channels.map(line) }
        let shown = channels.prefix(max(0, rows - 1))
        return [heading] + shown.map(line) + [Columns.fit("  +\(channels.count - shown.count) more", columns)]
    }

    private func line(_ channel: ChannelsDocument.Channel) -> String {
        let label = row(
            !channel.talkKeys.isEmpty ? ">" : channel.joined ? "*" : " ", Output.safe(channel.name),
            channel.levelDb.map(ChannelTable.level) ?? "-", channel.ear.map { Output.safe($0) } ?? "-",
            ChannelTable.use(of: channel))
        let silent = channel.members.filter { !channel.talking.contains($0) }
        let members = channel.talking.map { Output.safe($0) + "!" } + silent.map { Output.safe($0) }
        let room = columns - Columns.width(label)
        let text = label + TopChannels.fitted(members, columns: room)
        return paint(Columns.fit(text, columns), channel.talking.isEmpty ? nil : .good)
    }

    /// As many members as fit, and the number of the others.
    private static func fitted(_ members: [String], columns: Int) -> String {
        guard !members.isEmpty else { return "-" }
        for count in stride(from: members.count, through: 1, by: -1) {
            let more = count == members.count ? [] : ["+\(members.count - count)"]
            let text = (members.prefix(count) + more).joined(separator: "  ")
            if Columns.width(text) <= columns { return text }
        }
        return "\(members.count) members"
    }

    private func row(_ mark: String, _ name: String, _ level: String, _ ear: String, _ use: String) -> String {
        [
            mark, Columns.left(name, min(24, max(8, columns - 56))), Columns.right(level, 6), Columns.left(ear, 5),
            Columns.left(use, 6), "",
        ].joined(separator: " ")
    }
}
