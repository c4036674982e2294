import Primitives
package import Trust

/// The words that were compared with peers lately, and the requests that wait for them. Used on the node loop only.
struct ComparedWordsBook {
    private struct Entry {
        let words: ComparedWords
        let at: Instant
    }

    /// How long the same words are shown again, so that both persons see the same words.
    static let shownFor = Interval.seconds(60)
    /// How long a person may take to say that they were equal.
    static let confirmedWithin = Interval.seconds(600)
    /// Time in which a peer must take part.
    static let answeredWithin = Interval.seconds(3)

    /// Strangers may compare words under ever new keys.
    static let countMax = 2 * MeshScale.peersMax

    private var entries: [NodeID: Entry] = [:]
    /// Requests for words; nil means that the peer does not take part.
    var waiting = AwaitedAnswers<ComparedWords>()

    /// The words that both persons may read aloud now; nil if they have to be drawn anew.
    func current(of node: NodeID, now: Instant) -> ComparedWords? {
        entries[node].flatMap { now < $0.at + ComparedWordsBook.shownFor ? $0.words : nil }
    }

    func isConfirmable(_ node: NodeID, now: Instant) -> Bool {
        entries[node].map { now < $0.at + ComparedWordsBook.confirmedWithin } ?? false
    }

    mutating func record(_ words: ComparedWords, of node: NodeID, now: Instant) {
        entries = entries.filter { now < $0.value.at + ComparedWordsBook.confirmedWithin }
        if entries[node] == nil, ComparedWordsBook.countMax <= entries.count,
            let oldest = entries.min(by: { $0.value.at < $1.value.at })?.key
        {
            entries[oldest] = nil
        }
        entries[node] = Entry(words: words, at: now)
        waiting.answer(node, words)
    }
}

extension ComparedWords {
    /// The words of the list of codes: `kite oven lamp zero`.
    package var text: String { indexes.map { CodeWordList.all[$0] }.joined(separator: " ") }
}
