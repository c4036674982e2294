/// A name or a path in a command line that a person may copy into a shell.
package enum ShellWord {
    /// The text as one word of a shell: in quotes if the shell would take it for more than that.
    package static func quoted(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.utf8.allSatisfy { plain.contains($0) }
        return isPlain ? text : "'\(text.replacing("'", with: "'\\''"))'"
    }

    private static let plain = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,+@%=".utf8)
}
