package import Primitives

/// The reasons why two nodes are linked or not at an instant: their states, the dials, and the events between the two
/// before it, and when the link next came up.
package struct PairExplanation: Sendable {
    /// Time before the instant at which the timeline begins.
    package static let reach = Interval.seconds(30)

    /// The state in which one side saw the other, and since when.
    package struct Sight: Sendable {
        package var look: Look
        package var since: Instant
        /// The state before `look`, and since when it was so.
        package var before: RunRecord.Change?
        /// When the link next came up; nil if it was up at the instant, or never came up again.
        package var upAgainAt: Instant?
    }

    package struct Dial: Sendable {
        package var at: Instant
        package var by: String
        package var what: String
        package var outcome: String
    }

    package struct Line: Sendable {
        package var at: Instant
        package var kind: String
        package var text: String
    }

    package let state: PairState
    package let ofObserver: Sight
    package let ofPeer: Sight
    package let dials: [Dial]
    package let timeline: [Line]

    /// Nil if the record has no answer to a question.
    package init?(_ record: RunRecord) {
        guard let state = record.answer else { return nil }
        self.state = state
        let (a, b) = (state.question.observer, state.question.peer)
        ofObserver = Sight(record.looks(of: a, at: b), on: state.at)
        ofPeer = Sight(record.looks(of: b, at: a), on: state.at)
        let begin = max(Instant.zero, state.at - Self.reach)
        let isPair: (RunRecord.Note) -> Bool = { [$0.node, $0.peer] == [a, b] || [$0.node, $0.peer] == [b, a] }
        let near = record.notes.filter { begin <= $0.at && $0.at <= state.at }
        dials = near.filter { $0.kind == .dial && isPair($0) }.map {
            Dial($0, outcome: Self.outcome(of: $0, in: near, at: state.at), names: record.names)
        }
        let pair = [record.names[a], record.names[b]]
        let notes = near.filter { note in
            note.kind == .fault ? Self.concerns(note.text, pair, among: record.names) : isPair(note)
        }
        let lines = notes.map { note in
            let name = note.node.map { record.names[$0] + ": " } ?? ""
            return Line(at: note.at, kind: note.kind.rawValue, text: name + note.text)
        }
        let changes = [(a, b), (b, a)].flatMap { observer, peer in
            record.looks(of: observer, at: peer).filter { begin <= $0.at && $0.at <= state.at }.map {
                Line(
                    at: $0.at, kind: "state",
                    text: "\(record.names[observer]) sees \(record.names[peer]): \($0.look.words)")
            }
        }
        // The timeline is sorted by instant. At one instant, notes stand before changes of state: an action before the
        // state that it led to.
        timeline = (lines + changes).enumerated()
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }

    private static func outcome(of dial: RunRecord.Note, in notes: [RunRecord.Note], at instant: Instant) -> String {
        let end = notes.first {
            $0.dial == dial.dial && $0.node == dial.node && $0.kind != .dial && dial.at <= $0.at
        }
        guard let end else { return "no answer yet, or given up" }
        let after = "after " + TimeText.text(Interval.milliseconds((end.at - dial.at).milliseconds))
        return end.kind == .carrierOpened ? "opened \(after)" : "\(end.text) \(after)"
    }

    /// Whether a fault concerns the two nodes. A fault that names one node concerns each pair with that node. A fault
    /// that names two nodes concerns that pair alone. A partition, or a fault that names no node, concerns every pair.
    static func concerns(_ fault: String, _ pair: [String], among names: [String]) -> Bool {
        let words = fault.split(separator: " ").map(String.init)
        let named = words.filter { names.contains($0) }
        if words.first == "partition" || named.isEmpty { return true }
        return named.count == 1 ? pair.contains(named[0]) : named.allSatisfy { pair.contains($0) }
    }
}

extension PairExplanation.Sight {
    fileprivate init(_ looks: [RunRecord.Change], on instant: Instant) {
        let past = looks.filter { $0.at <= instant }
        look = past.last?.look ?? .off
        since = past.last?.at ?? .zero
        before = past.dropLast().last
        upAgainAt = look.isLinked ? nil : looks.first { instant < $0.at && $0.look.isLinked }?.at
    }
}

extension PairExplanation.Dial {
    fileprivate init(_ note: RunRecord.Note, outcome: String, names: [String]) {
        at = note.at
        by = note.node.map { names[$0] } ?? ""
        what = note.text
        self.outcome = outcome
    }
}

extension Look {
    /// The state in words for people.
    package var words: String {
        switch self {
        case .off: "is off itself"
        case .paused: "stands still itself"
        case .unknown: "unknown"
        case .down: "down"
        case .quarantined: "quarantined"
        case .connecting: "connecting"
        case .negotiating: "negotiating"
        case .undecided: "waiting for a person"
        case .direct: "up, direct"
        case .relayed: "up, through a neighbour"
        case .throughCarrier: "up, through the carrier"
        case .verifying: "verifying"
        }
    }
}
