package import NodeRuntime

/// `partyline verify` for people.
package struct VerifyText {
    private let document: VerifyDocument

    package init(_ document: VerifyDocument) { self.document = document }

    /// The lines, without line feeds; none if the peer did not take part.
    package var lines: [String] {
        guard let words = document.words else { return [] }
        let state = document.trust == "verified" ? ["Its key was verified before."] : []
        return ["", "    " + Output.safe(words), ""]
            + Columns.sentence(
                "Read the words to \(VerifyText.subject(document)). The person there sees the same words, "
                    + "unless somebody stands between you. If they are equal: "
                    + "`partyline verify \(Output.safe(document.shortId)) --yes`",
                label: "")
            + state
    }

    package static func unanswered(_ document: VerifyDocument) -> String {
        "\(subject(document)) did not take part; its version may be too old, or it has just left"
    }

    private static func subject(_ document: VerifyDocument) -> String {
        Output.safe(document.name.isEmpty ? document.shortId : "\(document.name) (\(document.shortId))")
    }
}
