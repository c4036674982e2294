/// What a reload of the files has done.
package struct ReloadDocument: Codable, Hashable, Sendable {
    /// Always `partyline.reload/1`.
    package var schema = "partyline.reload/1"
    /// The mistakes in the files, each with its file and line. If there is one, nothing has changed.
    package var mistakes: [String] = []
    /// The changes that have been made, a few words each, for example `joined stage`.
    package var changed: [String] = []
    /// The changes that were refused, each with the reason. The next reload tries them again.
    package var refused: [String] = []
    /// The settings that were changed in the files, and have their effect at the next start: the word of an option, or
    /// `key` with the reason.
    package var needsRestart: [String] = []
    /// Why the changes are not kept for the next start, for example because the disk is full. Absent if they are.
    package var notKept: String?

    package init(
        mistakes: [String] = [], changed: [String] = [], refused: [String] = [], needsRestart: [String] = [],
        notKept: String? = nil
    ) {
        self.mistakes = mistakes
        self.changed = changed
        self.refused = refused
        self.needsRestart = needsRestart
        self.notKept = notKept
    }

    /// What the reload has left undone, in sentences for the status; empty if nothing.
    /// - Parameter done: refusals whose changes a person has made since.
    func undone(besides done: [String]) -> [String] {
        refused.filter { !done.contains($0) }.map { "the last reload refused a part: \($0)" } + quotingFiles
    }

    /// The sentences among `undone` that quote words of the files.
    var quotingFiles: [String] {
        var sentences: [String] = []
        if let first = mistakes.first {
            let more = mistakes.count == 1 ? "" : " (and \(mistakes.count - 1) more)"
            sentences.append("the last reload has changed nothing: \(first)\(more)")
        }
        if !needsRestart.isEmpty {
            sentences.append("changed in the files, in effect after a restart: \(needsRestart.joined(separator: ", "))")
        }
        return sentences
    }
}
