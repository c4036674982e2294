/// A place in a source file, and what stands there in a mutant.
package struct MutationSite: Hashable, Sendable {
    /// How the mutant and the original stand beside each other in one program.
    package enum Form: Hashable, Sendable {
        /// An expression: one of the two is evaluated.
        case expression
        /// A condition: its value is turned round.
        case condition
        /// A statement: it is executed in the original alone.
        case statement
    }

    /// Path below the repository's root.
    package var file: String
    /// Bytes of the file.
    package var range: Range<Int>
    /// Counted from 1.
    package var line: Int
    package var mutation: MutationOperator
    package var form: Form
    package var original: String
    package var mutated: String
    /// The line of the source without its indentation: with the rest it names the site where line numbers move.
    package var lineText: String

    /// The module that the file belongs to: `Mesh`, `Handover`.
    package var module: String {
        let parts = file.split(separator: "/").map(String.init)
        return parts.count > 2 && parts[1] == "Core" ? parts[2] : (parts.count > 1 ? parts[1] : file)
    }

    /// On one line, for a report.
    package var change: String {
        "\(MutationSite.oneLine(original)) → \(form == .statement ? "(deleted)" : MutationSite.oneLine(mutated))"
    }

    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }.joined(separator: " ")
    }
}
