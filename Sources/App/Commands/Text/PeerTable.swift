package import NodeRuntime

/// A table with one row for each peer:
///
///     > LX-DESK      91c3-0b11   42 up     direct       0.6  0.2 0.0/0.0  20 4.4 -22 *
///
/// The first column is `>` if this node leads the link, `<` if it follows, `x` without a link. `Q` is the quality of
/// the peer's voice here (`VoiceQuality`). The last column is `*` for talking (`P` privately to this node, `A` to all,
/// `!` with priority), `m` for muted, `b` for blocked. A `?` before a name marks one that is known under another key.
/// For a peer without a link the row shows the next attempt in place of the figures. Below stand the peers whose voice
/// this listener has changed (`HeardText`).
package struct PeerTable {
    private let peers: [StatusDocument.Peer]
    private let paint: Paint

    package init(_ peers: [StatusDocument.Peer], paint: Paint) {
        self.peers = peers
        self.paint = paint
    }

    /// The heading, one line for each peer and the changed voices, without line feeds.
    package var lines: [String] {
        guard !peers.isEmpty else { return ["no peers known yet"] }
        let heading = row(
            mark: " ", name: "NAME", id: "ID", instance: "INST", state: "STATE", path: "PATH",
            rest: figures(
                rtt: "RTT", jitter: "JIT", loss: "LOSS", buffer: "BUF", quality: "Q", level: "LVL", flag: "T"),
            colour: nil, .faint)
        return [heading] + peers.map(line) + HeardText.lines(peers)
    }

    private func line(_ peer: StatusDocument.Peer) -> String {
        row(
            mark: peer.mark, name: peer.listedName, id: Output.safe(peer.shortId),
            instance: peer.instance.map { "\($0)" } ?? "-", state: peer.stateWord,
            path: Output.safe(peer.path ?? "-"), rest: peer.isLinked ? linkFigures(peer) : peer.attempt(columns: 32),
            colour: peer.profile.colour, peer.tone)
    }

    private func row(
        mark: String, name: String, id: String, instance: String, state: String, path: String, rest: String,
        colour: String?, _ tone: Paint.Tone?
    ) -> String {
        let cells = [
            Columns.left(id, 9), Columns.right(instance, 4), Columns.left(state, 6), Columns.left(path, 10), rest,
        ]
        return paint(mark + " ", tone) + paint(Columns.left(name, 12), colour: colour, otherwise: tone)
            + paint(trimmed(" " + cells.joined(separator: " ")), tone)
    }

    private func figures(
        rtt: String, jitter: String, loss: String, buffer: String, quality: String, level: String, flag: String
    ) -> String {
        [
            Columns.right(rtt, 5), Columns.right(jitter, 4), Columns.right(loss, 7), Columns.right(buffer, 3),
            Columns.right(quality, 3), Columns.right(level, 3), flag,
        ].joined(separator: " ")
    }

    private func linkFigures(_ peer: StatusDocument.Peer) -> String {
        let loss = [peer.lossInPct, peer.lossOutPct].map { Figures.decimal($0, columns: 3) }
        return figures(
            rtt: Figures.decimal(peer.rttMs, columns: 5), jitter: Figures.decimal(peer.jitterMs, columns: 4),
            loss: loss.joined(separator: "/"), buffer: Figures.whole(peer.bufferMs, columns: 3),
            quality: Figures.decimal(peer.quality, columns: 3), level: Figures.level(peer.levelDbfs), flag: peer.flag)
    }

    private func trimmed(_ text: String) -> String {
        var text = text
        while text.last == " " { text.removeLast() }
        return text
    }

    /// A word of at most six letters for a state of a peer (`PeerStatus.State`).
    package static func stateWord(_ state: String) -> String {
        switch state {
        case "connecting": "dial"
        case "inviting": "invite"
        case "awaitingInvite": "await"
        case "awaitingDecision": "asked"
        case "verifying": "verify"
        case "quarantined": "quaran"
        default: Columns.fit(Output.safe(state), 6)
        }
    }
}
