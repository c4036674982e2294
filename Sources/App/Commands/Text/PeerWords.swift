import NodeRuntime

/// What the tables of peers say of one.
extension StatusDocument.Peer {
    /// Whether voice can pass.
    var isLinked: Bool { state == "up" || state == "verifying" }

    /// The name, with the mark of one that is known under another key; the short id without a name.
    var listedName: String {
        KeyWords.listed(Output.safe(name.isEmpty ? shortId : name), isSuspect: otherKey != nil)
    }

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

    /// The next attempt to link, and why the last one failed, in place of the figures of a link.
    func attempt(columns: Int) -> String {
        var words: [String] = []
        if blocked { words.append("blocked") }
        if let seconds = suspicionEndsInS { words.append("dead in \(Figures.whole(seconds, columns: 3))s?") }
        if let seconds = retryInS { words.append("retry in \(Figures.decimal(seconds, columns: 5))s") }
        if 0 < failures { words.append("(\(failures) failed)") }
        if let why = lastFailure { words.append(Output.safe(why)) }
        return Columns.fit(words.joined(separator: " "), columns)
    }

    var tone: Paint.Tone? {
        switch state {
        case "up": otherKey != nil ? .attention : talking || talksTo != nil ? .good : nil
        case "verifying": .attention
        default: blocked ? .faint : .bad
        }
    }
}
