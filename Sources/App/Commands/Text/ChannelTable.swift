package import NodeRuntime

/// A table with one row for each channel:
///
///     * lights                   LX-DESK    SM, FOH, SOUND
///
/// The first column is `*` if this node is on the channel.
package struct ChannelTable {
    private let channels: [ChannelsDocument.Channel]
    private let paint: Paint

    /// - Parameter showsHidden: whether channels that the user has hidden are listed too.
    package init(_ document: ChannelsDocument, showsHidden: Bool, paint: Paint) {
        channels = document.channels.filter { showsHidden || !$0.hidden }
        self.paint = paint
    }

    /// The heading and the lines of each channel, without line feeds. Many members take several lines.
    package var lines: [String] {
        guard !channels.isEmpty else { return ["no channels known yet"] }
        return [paint(row(" ", "CHANNEL", "CREATOR") + "MEMBERS", .faint)] + channels.flatMap(lines(of:))
    }

    private func lines(of channel: ChannelsDocument.Channel) -> [String] {
        let label = row(channel.joined ? "*" : " ", Output.safe(channel.name), Output.safe(channel.creatorName))
        guard !channel.members.isEmpty else { return [label + "-"] }
        return Columns.wrapped(channel.members.map { Output.safe($0) }, label: label)
    }

    private func row(_ mark: String, _ name: String, _ creator: String) -> String {
        [mark, Columns.left(name, 24), Columns.left(creator, 12), ""].joined(separator: " ")
    }
}
