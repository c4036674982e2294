import NodeRuntime

/// The peers in `partyline top`, one row each: role, link, the figures that change quickly, and a level meter.
struct TopPeers {
    private let peers: [StatusDocument.Peer]
    private let columns: Int
    private let paint: Paint

    init(_ peers: [StatusDocument.Peer], columns: Int, paint: Paint) {
        self.peers = peers
        self.columns = columns
        self.paint = paint
    }

    /// The number of rows that show every peer.
    var count: Int { peers.count }

    /// The heading and at most `rows` rows. If there are more peers, those that talk come first, then those that are
    /// linked, and the last row tells how many are left out.
    func lines(rows: Int) -> [String] {
        let heading = self.heading
        guard !peers.isEmpty else { return [heading, Columns.fit("  none known yet", columns)] }
        guard rows < peers.count else { return [heading] + peers.map(line) }
        let ordered = [0, 1, 2].flatMap { rank in peers.filter { TopPeers.rank($0) == rank } }
        let shown = ordered.prefix(max(0, rows - 1))
        return [heading] + shown.map(line) + [Columns.fit("  +\(peers.count - shown.count) more", columns)]
    }

    private static func rank(_ peer: StatusDocument.Peer) -> Int { peer.talking ? 0 : peer.isLinked ? 1 : 2 }

    private var heading: String {
        let figures = figures(rtt: "RTT", loss: "LOSS", quality: "Q", meter: "LEVEL", level: "", flag: "T")
        return row(" ", "NAME", cells(role: "ROLE", state: "STATE", path: "PATH") + " " + figures, nil, .faint)
    }

    private func line(_ peer: StatusDocument.Peer) -> String {
        let cells = cells(
            role: peer.profile.role.map { Output.safe($0) } ?? "", state: peer.stateWord,
            path: Output.safe(peer.path ?? "-"))
        let rest = peer.isLinked ? linkFigures(peer) : peer.attempt(columns: TopPeers.figuresColumns)
        return row(peer.mark, name(of: peer), cells + " " + rest, peer.profile.colour, peer.tone)
    }

    private func cells(role: String, state: String, path: String) -> String {
        [
            Columns.left(role, roleColumns), Columns.left(state, TopPeers.stateColumns),
            Columns.left(path, pathColumns),
        ].joined(separator: " ")
    }

    /// The name as it fits. Where two peers would look alike then, the short id takes the place of the name's end.
    private func name(of peer: StatusDocument.Peer) -> String {
        let cut = Columns.fit(peer.listedName, nameColumns)
        guard 1 < peers.count(where: { Columns.fit($0.listedName, nameColumns) == cut }) else { return cut }
        let id = Output.safe(peer.shortId)
        let room = nameColumns - Columns.width(id) - 1
        return room < 2 ? Columns.fit(id, nameColumns) : Columns.fit(peer.listedName, room) + " " + id
    }

    private func linkFigures(_ peer: StatusDocument.Peer) -> String {
        let loss = [peer.lossInPct, peer.lossOutPct].map { Figures.decimal($0, columns: 3) }
        return figures(
            rtt: Figures.decimal(peer.rttMs, columns: 5), loss: loss.joined(separator: "/"),
            quality: Figures.decimal(peer.quality, columns: 3), meter: LevelMeter.text(peer.levelDbfs),
            level: LevelMeter.isSilent(peer.levelDbfs) ? "" : Figures.level(peer.levelDbfs), flag: peer.flag)
    }

    /// One row: the name in its colour, and all else in a tone. Text beyond the last column is cut.
    private func row(
        _ mark: String, _ name: String, _ rest: String, _ colour: String?, _ tone: Paint.Tone?
    ) -> String {
        let name = Columns.fit(Columns.left(name, nameColumns), max(0, columns - 2))
        let room = columns - 2 - Columns.width(name)
        return paint(Columns.fit(mark + " ", columns), tone) + paint(name, colour: colour, otherwise: tone)
            + (0 < room ? paint(Columns.fit(" " + rest, room), tone) : "")
    }

    private static let (stateColumns, figuresColumns, pathColumnsMax) = (6, 34, 10)
    /// The mark, the state, the figures, and a gap behind the name, the role, the state and the path. The flag of a
    /// talker is the last figure, so the other cells must fit into what is left.
    private static let fixedColumns = 2 + stateColumns + figuresColumns + 4

    private var nameColumns: Int { min(24, max(8, columns - 66)) }

    /// What the other cells leave; none if the heading would be cut.
    private var roleColumns: Int {
        let rest = columns - TopPeers.fixedColumns - TopPeers.pathColumnsMax - nameColumns
        return rest < 4 ? 0 : min(24, rest)
    }

    /// On a terminal that is too narrow for a role, the path gives way, too. Six columns hold `direct`.
    private var pathColumns: Int {
        min(TopPeers.pathColumnsMax, max(6, columns - TopPeers.fixedColumns - nameColumns - roleColumns))
    }

    private func figures(
        rtt: String, loss: String, quality: String, meter: String, level: String, flag: String
    ) -> String {
        [
            Columns.right(rtt, 5), Columns.right(loss, 7), Columns.right(quality, 3),
            Columns.left(meter, LevelMeter.columns), Columns.right(level, 3), flag,
        ].joined(separator: " ")
    }
}
