package import NodeRuntime

/// What `partyline reload` prints.
package enum ReloadText {
    /// A line for each change; one line if there is none.
    package static func lines(_ document: ReloadDocument) -> [String] {
        let lines =
            document.changed + document.refused.map { "refused: \($0)" }
            + document.needsRestart.map { "needs a restart: \($0)" }
        return lines.isEmpty ? ["nothing has changed in the files"] : lines.map(Output.safe)
    }
}
