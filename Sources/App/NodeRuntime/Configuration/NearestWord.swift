/// Finds the word that a person has probably meant.
package enum NearestWord {
    /// The word that is most similar to a mistyped one; nil if none is similar enough, as below.
    static func of<Word: RawRepresentable<String>>(_ text: String, among words: [Word]) -> Word? {
        of(text, among: words.map(\.rawValue)).flatMap { Word(rawValue: $0) }
    }

    /// The word that is most similar to a mistyped one; nil if more than two letters differ, or half of them.
    static func of(_ text: String, among words: [String]) -> String? {
        // A long text is no typing mistake, and the comparison takes the product of both lengths.
        guard text.utf8.count <= 64 else { return nil }
        let scored = words.map { (word: $0, distance: editDistance(text, $0)) }
        return scored.min { $0.distance < $1.distance }.flatMap { best in
            best.distance <= min(2, (best.word.count - 1) / 2) ? best.word : nil
        }
    }

    /// The question for a message about a mistyped word: ` (did you mean 'lights'?)`; empty if no word is similar.
    /// Names that differ in digits alone, as `ch1` and `ch2`, are those of different things.
    package static func hint(for text: String, among words: [String]) -> String {
        of(text, among: words.filter { !differInDigits(text, $0) }).map { " (did you mean '\($0)'?)" } ?? ""
    }

    private static func differInDigits(_ a: String, _ b: String) -> Bool {
        let (a, b) = (a.lowercased(), b.lowercased())
        return a != b && a.filter { !$0.isNumber } == b.filter { !$0.isNumber }
    }

    /// The number of letters that are inserted, left out or exchanged, and of neighbours that are swapped (Damerau
    /// 1964, in its restricted form).
    private static func editDistance(_ a: String, _ b: String) -> Int {
        let (a, b) = (Array(a), Array(b))
        var (beforePrevious, previous) = ([Int](), Array(0...b.count))
        for (row, letter) in a.enumerated() {
            var current = [row + 1]
            for (column, other) in b.enumerated() {
                let exchange = previous[column] + (letter == other ? 0 : 1)
                var least = min(exchange, previous[column + 1] + 1, current[column] + 1)
                if 0 < row, 0 < column, letter == b[column - 1], a[row - 1] == other {
                    least = min(least, beforePrevious[column - 1] + 1)
                }
                current.append(least)
            }
            (beforePrevious, previous) = (previous, current)
        }
        return previous[b.count]
    }
}
