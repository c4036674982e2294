import NodeRuntime

/// What the tables of peers say of one.
extension StatusDocument.Peer {
    /// The name, with the mark of one that is known under another key; the short id without a name.
    var listedName: String {
        KnownKeyWords.listed(Output.safe(nameOrId), isSuspect: otherKey != nil)
    }

    /// The name as the peer has chosen it; the short id without a name.
    var nameOrId: String { name.isEmpty ? shortId : name }

    /// `>` if this node leads the link, `<` if it follows, `x` without a link.
    var mark: String { isLinked ? (leader ? ">" : "<") : "x" }

    /// `*` for talking (`P` privately to this node, `A` to all, `!` with priority), `m` for muted, `b` for blocked.
    var flag: String {
        if blocked { return "b" }
        if muted { return "m" }
        switch talksTo {
        case "you": return "P"
        case "all": return "A"
        default: return talking ? (mix?.priority == true ? "!" : "*") : ""
        }
    }

    /// The state in at most six letters.
    var stateWord: String { PeerTable.stateWord(state == "down" && presence == "dead" ? "dead" : state) }

    /// The state as the end of a sentence that begins with the peer's name.
    var stateSentence: String {
        switch state {
        case "up": "is linked"
        case "verifying": "is linked, and silent at the moment"
        case "connecting", "inviting", "awaitingInvite": "is being linked"
        case "awaitingDecision": "waits for a person to decide about the link"
        case "quarantined": "has no link, and is tried again from time to time"
        case "down": presence == "dead" ? "is dead" : "has no link"
        default: "is " + Output.safe(state)
        }
    }

    /// Why the last attempt to link failed, and when the next one is, in place of the figures of a link. A piece
    /// that does not fit is left out; the first piece is cut.
    func attempt(columns: Int) -> String {
        var pieces: [String] = []
        if blocked { pieces.append("blocked") }
        if asksSinceS != nil {
            pieces.append("asks to be let in")
        } else if let why = lastFailure {
            pieces.append(FailureText.brief(why) ?? Output.safe(why))
        }
        if let seconds = suspicionEndsInS { pieces.append("dead in \(Figures.whole(seconds, columns: 3))s?") }
        if let seconds = retryInS { pieces.append("retry \(Figures.whole(seconds, columns: 4))s") }
        if 0 < failures { pieces.append("\(failures) failed") }
        var words = pieces.first ?? ""
        for piece in pieces.dropFirst() where Columns.width(words) + 2 + Columns.width(piece) <= columns {
            words += ", " + piece
        }
        return Columns.fit(words, columns)
    }

    var tone: Paint.Tone? {
        switch state {
        case "up": otherKey != nil ? .attention : talking || talksTo != nil ? .good : nil
        case "verifying": .attention
        default: blocked ? .faint : .bad
        }
    }
}

/// The peers whose voice this listener has changed by volume, priority or pan: `LX -60.0 dB, priority`. A muted peer
/// has an `m` in the tables.
enum HeardText {
    /// A piece for each such peer; none for a peer without a link, which is not heard.
    static func pieces(_ peers: [StatusDocument.Peer]) -> [String] {
        peers.filter(\.isLinked).compactMap { peer in
            let changes = words(for: peer)
            return changes.isEmpty ? nil : "\(peer.listedName) \(changes.joined(separator: ", "))"
        }
    }

    /// What this listener has changed of the voice of a peer; empty if nothing.
    static func words(for peer: StatusDocument.Peer) -> [String] {
        var words: [String] = []
        if peer.gainDb != 0 { words.append("\(ChannelTable.level(peer.gainDb)) dB") }
        if peer.mix?.priority == true { words.append("priority") }
        if let mix = peer.mix, !mix.panAuto { words.append("pan \(mix.pan)") }
        return words
    }

    /// The lines below a table of peers; none if nobody's voice was changed.
    static func lines(_ peers: [StatusDocument.Peer]) -> [String] {
        let pieces = pieces(peers)
        return pieces.isEmpty ? [] : [""] + Columns.wrapped(pieces, label: "heard   ")
    }
}
