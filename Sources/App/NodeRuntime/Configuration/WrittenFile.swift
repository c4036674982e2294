import Foundation
import Glibc

/// Reads files that a person wrote for a node.
enum WrittenFile {
    /// The mode, in octal digits, of a file that every user of the machine may open; nil if they may not.
    static func modeOpenToAll(of path: String) -> String? {
        var facts = stat()
        guard stat(path, &facts) == 0, facts.st_mode & 0o007 != 0 else { return nil }
        return String(facts.st_mode & 0o777, radix: 8)
    }

    /// The text of a file; nil if it is missing, and may be.
    ///
    /// - Throws: `ConfigurationError` if the file cannot be read, is too large, no plain file, or not UTF-8.
    static func text(at path: String, mayBeMissing: Bool) throws(ConfigurationError) -> String? {
        func refuse(_ problem: String) -> ConfigurationError {
            ConfigurationError(.file(path: path, line: nil), problem)
        }
        var facts = stat()
        guard stat(path, &facts) == 0 else {
            if errno == ENOENT, mayBeMissing { return nil }
            throw refuse("cannot be read: \(String(cString: strerror(errno)))")
        }
        // A pipe or a device would be waited for, perhaps without end.
        guard facts.st_mode & S_IFMT == S_IFREG else { throw refuse("is no file") }
        guard facts.st_size <= CrewLimits.fileBytesMax else {
            throw refuse("has \(facts.st_size) bytes, expected at most \(CrewLimits.fileBytesMax)")
        }
        guard let data = FileManager.default.contents(atPath: path) else { throw refuse("cannot be read") }
        guard let text = String(data: data, encoding: .utf8) else { throw refuse("is not UTF-8") }
        return text
    }
}
