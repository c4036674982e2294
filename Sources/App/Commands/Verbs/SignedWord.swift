/// Numbers that may be negative, as the only word that is left on a command line.
///
/// To the parser `-6` looks like an option, so a verb that takes such a number collects what the parser does not
/// know (`.allUnrecognized`), and with it comes the `--` that careful people put before the number.
extension [String] {
    /// The word; nil where there is none or more than one.
    var signedWord: String? {
        let words = first == "--" ? dropFirst() : self[...]
        return words.count == 1 ? words.first : nil
    }
}
