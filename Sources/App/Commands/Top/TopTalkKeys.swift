import NodeRuntime

/// The talk keys in `partyline top`, where the node has several: the terminal's key, the name and the targets of each.
/// A key that is down stands in brackets.
struct TopTalkKeys {
    private let keys: [KeysDocument.Key]
    private let columns: Int
    private let paint: Paint

    init(_ document: KeysDocument, columns: Int, paint: Paint) {
        keys = document.keys.count == 1 ? [] : document.keys
        self.columns = columns
        self.paint = paint
    }

    private static let linesMax = 2
    private static let label = "keys "
    /// The widest piece, and the columns that are kept free for the number of the rest.
    private static let (pieceMax, moreColumns) = (26, 4)

    /// At most two lines; none for a single key. If not all keys fit, the number of the others stands at the end.
    var lines: [String] {
        let room = columns - TopTalkKeys.label.count - TopTalkKeys.moreColumns
        guard 0 < room else { return [] }
        var lines: [String] = []
        var rest = keys[...]
        while !rest.isEmpty, lines.count < TopTalkKeys.linesMax {
            let shown = rest.prefix(count(of: rest, columns: room))
            rest = rest.dropFirst(shown.count)
            let isLast = lines.count == TopTalkKeys.linesMax - 1
            let more = isLast && !rest.isEmpty ? " +\(rest.count)" : ""
            let label = lines.isEmpty ? TopTalkKeys.label : String(repeating: " ", count: TopTalkKeys.label.count)
            lines.append(label + shown.map { painted($0, columns: room) }.joined(separator: " ") + more)
        }
        return lines
    }

    /// The number of keys that fit in one line; at least one, which is cut.
    private func count(of keys: ArraySlice<KeysDocument.Key>, columns: Int) -> Int {
        var (count, used) = (0, 0)
        for key in keys {
            used += Columns.width(words(key, columns: columns)) + (count == 0 ? 0 : 1)
            guard used <= columns else { break }
            count += 1
        }
        return max(1, count)
    }

    private func painted(_ key: KeysDocument.Key, columns: Int) -> String {
        paint(words(key, columns: columns), key.stuck ? .bad : key.talking ? .marked : key.down ? .attention : nil)
    }

    private func words(_ key: KeysDocument.Key, columns: Int) -> String {
        let targets = KeysTable.targets(of: key).joined(separator: ", ")
        let letter = key.terminalKey.map { Output.safe($0) + " " } ?? ""
        let text = "\(letter)\(Output.safe(key.name)): \(targets.isEmpty ? "nobody" : targets)"
        let fitted = Columns.fit(text, min(TopTalkKeys.pieceMax, columns) - 2)
        return key.down ? "[\(fitted)]" : " \(fitted) "
    }
}

extension TopView {
    /// Where this node talks now; while it is silent, where its first key talks.
    var talkTargets: [String] {
        let talking = keys.keys.filter(\.talking)
        let shown = talking.isEmpty ? Array(keys.keys.prefix(1)) : talking
        return shown.flatMap(KeysTable.targets(of:)).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
