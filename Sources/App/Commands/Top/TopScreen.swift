import NodeRuntime

/// The whole screen of `partyline top`: head, channels, peers, events, and the keys in the last row. A pure function of
/// what is shown and of the size of the terminal.
package struct TopScreen {
    private let view: TopView
    private let columns: Int
    private let rows: Int
    private let paint: Paint

    /// - Parameters:
    ///   - columns: width of the terminal.
    ///   - rows: height of the terminal.
    package init(_ view: TopView, columns: Int, rows: Int, paint: Paint) {
        self.view = view
        self.columns = max(columns, 1)
        self.rows = max(rows, 1)
        self.paint = paint
    }

    /// One line for each row of the terminal, none wider than it.
    package var lines: [String] {
        let head = TopHead(view, columns: columns, paint: paint).lines
        let tables = self.tables(rows: rows - head.count - 2)
        let above = (head + [""] + tables).prefix(rows - 1)
        let filling = Array(repeating: "", count: rows - 1 - above.count)
        return above + filling + [paint(Columns.fit(footer, columns), .faint)]
    }

    private func tables(rows: Int) -> [String] {
        let channels = TopChannels(view.channels, columns: columns, paint: paint)
        let peers = TopPeers(view.status.peers, columns: columns, paint: paint)
        let heard = HeardText.pieces(view.status.peers)
        let below = heard.isEmpty ? [] : [Columns.fit("heard  " + heard.joined(separator: "  "), columns)]
        // Each table has a heading, and an empty line before the next one.
        let free = rows - 5 - below.count
        let share = TopScreen.share(
            free: free - min(TopScreen.eventRowsMin, free / 3), channels: channels.count, peers: peers.count)
        let shown = channels.lines(rows: share.channels) + [""] + peers.lines(rows: share.peers) + below + [""]
        return shown + events(rows: rows - shown.count - 1)
    }

    /// The rows for events on a screen that shows all channels and peers.
    private static let eventRowsMin = 3

    /// Divides `free` rows between both tables. If not all fit, channels get at least a third of the rows, and two: one
    /// for a channel, and one for the number of the others.
    private static func share(free: Int, channels: Int, peers: Int) -> (channels: Int, peers: Int) {
        let (channels, peers) = (max(channels, 1), max(peers, 1))
        guard free < channels + peers else { return (channels, peers) }
        let forChannels = min(channels, max(free / 3, free - peers, 2))
        return (forChannels, max(1, free - forChannels))
    }

    private func events(rows: Int) -> [String] {
        let leftOut = view.eventsLeftOut == 0 ? "" : "  (\(view.eventsLeftOut) more came too fast to be shown)"
        let heading = paint(Columns.fit("EVENTS" + leftOut, columns), .faint)
        return [heading]
            + view.events.suffix(max(0, rows)).map { event in
                Columns.fit("\(event.time) \(Output.safe(event.text))", columns)
            }
    }

    private var footer: String {
        let keys = 1 < view.keys.keys.count ? "digits work their keys  " : ""
        let space =
            switch view.status.audio.talkMode {
            case "ptt": "space talks while it is down  "
            case "latch": "space starts and stops talking  "
            case "smart": "space talks: tap or hold  "
            default: ""
            }
        return space + keys + "c coughs  q leaves" + (keys.isEmpty ? " this screen" : "")
    }
}
