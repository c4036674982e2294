package import NodeRuntime

/// What `partyline reload` prints.
package enum ReloadText {
    /// A line for each change; one line if the files have none. None if the files have mistakes.
    package static func lines(_ document: ReloadDocument) -> [String] {
        guard document.mistakes.isEmpty else { return [] }
        let lines =
            document.changed + document.refused.map { "refused: \($0)" }
            + document.needsRestart.map { "needs a restart: \($0)" }
        return lines.isEmpty ? ["nothing has changed in the files"] : lines.map(Output.safe)
    }
}
