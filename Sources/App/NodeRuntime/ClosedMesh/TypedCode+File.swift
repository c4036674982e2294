import Primitives

extension TypedCode {
    /// The warning if every user of the machine may open a file with a code; nil if they may not.
    package static func warning(ofFile path: String) -> String? {
        guard let mode = WrittenFile.modeOpenToAll(of: path) else { return nil }
        let shown = SafeText.inSentence(path)
        return "every user of this machine may open the code file \(shown) (mode \(mode)): chmod 600"
    }

    /// Reads a code from the only line of a file.
    /// - Parameter read: `chosen`, `ofMesh` or `EntryCode.typed`.
    /// - Throws: `ConfigurationError` if the file cannot be read, has more lines, or its line is no code.
    package static func read<Code>(
        file path: String, _ read: (String) throws(CodeFault) -> Code
    ) throws(ConfigurationError) -> Code {
        let place = ConfigurationError.Place.file(path: path, line: nil)
        let text = try WrittenFile.text(at: path, mayBeMissing: false) ?? ""
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.allSatisfy(\.isWhitespace) }
        guard lines.count <= 1 else {
            throw ConfigurationError(place, "has \(lines.count) lines, expected one, the code")
        }
        do throws(CodeFault) {
            return try read(String(lines.first ?? ""))
        } catch {
            throw ConfigurationError(place, "\(error)")
        }
    }
}
