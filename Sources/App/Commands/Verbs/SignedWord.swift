/// Reads an argument that may be a negative number.
///
/// The parser takes `-6` for an option. So a command with such an argument collects all words that the parser does not
/// recognise (`.allUnrecognized`). These include a `--` that the user may have put before the number.
extension [String] {
    /// The only word, without a leading `--`; nil if there is none or more than one.
    var signedWord: String? {
        let words = first == "--" ? dropFirst() : self[...]
        return words.count == 1 ? words.first : nil
    }
}
