package import NodeRuntime

/// The output of `partyline code change` and `code set`, in 80 columns.
package enum CodeChangeText {
    /// If the mesh has left at least so many nodes behind, the output warns of the limit.
    private static let leftBehindWarned = 200

    /// - Parameter code: the code that was chosen; nil if a person brought their own.
    package static func lines(_ document: CodeChangeDocument, code: TypedCode?, paint: Paint) -> [String] {
        let name = Output.safe(document.mesh)
        let head = Columns.sentence(
            "The closed mesh \(name) has a new code."
                + (code == nil ? "" : " Newcomers, and nodes left behind, come in with it:"), label: "")
        return head + (code.map { InitText.code($0, paint: paint) } ?? [])
            + people("stay", document.staying) + people("stay, and are given the new secret on return", document.away)
            + people("stay, although left behind before", document.returned)
            + people("stay, although blocked here", document.blocked)
            + people("left behind", document.leftBehind)
            + advice(isNeeded: !document.returned.isEmpty || !document.blocked.isEmpty)
            + limit(document.leftBehind.count + document.returned.count)
    }

    private static func advice(isNeeded: Bool) -> [String] {
        guard isNeeded else { return [] }
        return Columns.sentence(
            "A node that has come in again by the code is a member, and a block counts at this node alone. One more "
                + "change leaves such a node behind: `partyline code change --leave NAME`", label: "")
    }

    private static func limit(_ count: Int) -> [String] {
        guard leftBehindWarned <= count else { return [] }
        return Columns.sentence(
            "This mesh has left \(count) nodes behind; \(CodeChangeDocument.leftBehindMax) are the most. After them "
                + "`code change --leave` is refused; `partyline init --replace` makes another mesh.", label: "")
    }

    private static func people(_ words: String, _ names: [String]) -> [String] {
        names.isEmpty ? [] : Columns.sentence(Output.list(names), label: "  \(words): ")
    }
}
