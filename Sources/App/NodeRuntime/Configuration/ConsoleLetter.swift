/// The letters of the terminal that `partyline run` and `partyline top` use themselves. No talk key can have one.
package enum ConsoleLetter: Character, CaseIterable, Sendable {
    case answer = "a"
    case cough = "c"
    /// Ends the node that runs in the terminal, or leaves the screen of `top`.
    case end = "q"

    /// The letter of a key, in upper or lower case; nil if the key has none of these letters.
    /// - Parameter scalar: the Unicode scalar of the key, or the byte that the terminal typed.
    package init?(scalar: UInt32) {
        guard let letter = Unicode.Scalar(scalar)?.properties.lowercaseMapping.first else { return nil }
        self.init(rawValue: letter)
    }
}
