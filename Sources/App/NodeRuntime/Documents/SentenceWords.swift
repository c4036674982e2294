import Primitives

extension Int {
    /// The number with its noun: `1 peer`, `2 peers`. The plural of the noun must end in `s`.
    package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

extension Array where Element: Equatable {
    /// The elements in their order, each once.
    package var eachOnce: [Element] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}

extension SafeText {
    /// A path, or the words of an error, in a sentence for a person.
    static func inSentence(_ text: String) -> SafeText { SafeText(text, graphemesMax: 200, bytesMax: 800) }
}
