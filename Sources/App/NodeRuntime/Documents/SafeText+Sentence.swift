import Primitives

extension SafeText {
    /// A path, or the words of an error, in a sentence for a person.
    static func inSentence(_ text: String) -> SafeText { SafeText(text, graphemesMax: 200, bytesMax: 800) }
}
