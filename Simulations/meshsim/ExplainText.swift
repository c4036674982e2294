import MeshSimulator
import Primitives

/// An explanation for people.
struct ExplainText {
    let explanation: PairExplanation
    /// The run that is explained.
    let subject: String

    private var state: PairState { explanation.state }

    var text: String {
        let head = "\(state.observer.name) and \(state.peer.name) at \(TimeText.instant(state.at)) of \(subject)"
        let early =
            state.at < state.question.at
            ? ["(the run was over then; \(TimeText.instant(state.question.at)) was asked for)"] : []
        let sights =
            sight(explanation.ofObserver, state.observer) + sight(explanation.ofPeer, state.peer)
        let between = state.obstacles.isEmpty ? ["nothing: both run, and packets pass both ways"] : state.obstacles
        var sections = [([head] + early).joined(separator: "\n"), sights.joined(separator: "\n")]
        sections.append(section("between them", between))
        sections.append(section(title(state.observer), facts(state.observer)))
        sections.append(section(title(state.peer), facts(state.peer)))
        sections.append(section("dials in the \(reach) before", dials))
        sections.append(section("what happened between them in the \(reach) before", timeline))
        return sections.joined(separator: "\n\n")
    }

    private var reach: String { TimeText.text(PairExplanation.reach) }

    private func section(_ title: String, _ lines: [String]) -> String {
        ([title] + (lines.isEmpty ? ["nothing"] : lines).map { "  " + $0 }).joined(separator: "\n")
    }

    // MARK: Sections

    private func sight(_ sight: PairExplanation.Sight, _ side: PairState.Side) -> [String] {
        let length = TimeText.tenths(state.at - sight.since)
        let subject = "\(side.name) sees \(side.peerName): "
        var lines = ["\(subject)\(sight.look.words) for \(length), since \(TimeText.instant(sight.since))"]
        let margin = String(repeating: " ", count: subject.count)
        if let before = sight.before {
            lines.append("\(margin)before that \(before.look.words), since \(TimeText.instant(before.at))")
        }
        if let again = sight.upAgainAt {
            lines.append(
                "\(margin)it comes up at \(TimeText.instant(again)), \(TimeText.tenths(again - state.at)) later")
        } else if !sight.look.isLinked {
            lines.append("\(margin)it does not come up in the rest of the run")
        }
        return lines
    }

    private func title(_ side: PairState.Side) -> String {
        let instance = side.instance.map { " as instance \($0)" } ?? ""
        let part = side.state == nil ? "" : side.isLeader ? ", leads the pair" : ", follows in the pair"
        return "\(side.name), \(side.process)\(instance), at \(side.address)\(part)"
    }

    private func facts(_ side: PairState.Side) -> [String] {
        guard side.instance != nil else { return [] }
        var lines = ["knows     " + knowledge(side)]
        if let state = side.state {
            let last = side.lastFailure.map { ", the last: \($0)" } ?? ""
            lines.append("state     \(state), \(side.failures) failures in a row\(last)")
        }
        if let next = side.next {
            lines.append("next      \(next.what) at \(TimeText.instant(next.at)) (in \(until(next.at))): \(next.why)")
        } else if side.state == nil {
            lines.append("next      nothing: it has never wanted a link with \(side.peerName)")
        } else if !side.isLinked {
            lines.append("next      nothing: it wants no link with \(side.peerName)")
        }
        if 0 < side.dialsInProgress { lines.append("dialling  \(side.dialsInProgress) dials under way") }
        lines += column("addresses", side.addresses)
        if side.state != nil { lines.append("carrier   \(side.hasCarrier ? "open" : "none")") }
        lines += column("paths", side.paths.map(path))
        return lines
    }

    private func column(_ name: String, _ values: [String]) -> [String] {
        values.enumerated().map { ($0.offset == 0 ? name : "").padded(to: 10) + $0.element }
    }

    private func knowledge(_ side: PairState.Side) -> String {
        guard let known = side.known else { return "nothing: no record of \(side.peerName)" }
        let age = "seen by a node \(TimeText.tenths(state.at - known.seenAt)) ago"
        let doubt = known.isCurrent ? "" : ", which is too long ago to count"
        return "instance \(known.instance), record \(known.sequence), \(age)\(doubt)"
    }

    private func path(_ path: PairState.Path) -> String {
        var words = [path.kind + (path.endpoint.map { " \($0)" } ?? "") + (path.via.map { " through \($0)" } ?? "")]
        if !path.isProved { words.append("not yet proved") }
        words.append(path.echoedAt.map { "last echo \(TimeText.tenths(state.at - $0)) ago" } ?? "never an echo")
        if let rtt = path.rtt { words.append("round trip \(TimeText.text(.microseconds(rtt.microseconds)))") }
        if path.isChosen { words.append("carries the voice") }
        return words.joined(separator: ", ")
    }

    private var dials: [String] {
        explanation.dials.map { "\(clock($0.at))  \($0.by) \($0.what): \($0.outcome)" }
    }

    private var timeline: [String] {
        explanation.timeline.map { "\(clock($0.at))  \($0.kind.padded(to: 14))\($0.text)" }
    }

    private func until(_ instant: Instant) -> String { TimeText.tenths(max(.zero, instant - state.at)) }

    private func clock(_ instant: Instant) -> String {
        let text = TimeText.instant(instant)
        return String(repeating: " ", count: max(0, 11 - text.count)) + text
    }
}
