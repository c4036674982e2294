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
        func unreadable(_ number: Int32) -> ConfigurationError {
            refuse("cannot be read: \(String(cString: strerror(number)))")
        }
        func tooLarge(_ count: Int) -> ConfigurationError {
            refuse("has \(count) bytes, expected at most \(CrewLimits.fileBytesMax)")
        }
        var facts = stat()
        guard stat(path, &facts) == 0 else {
            if errno == ENOENT, mayBeMissing { return nil }
            throw unreadable(errno)
        }
        // A pipe or a device would be waited for, perhaps without end.
        guard facts.st_mode & S_IFMT == S_IFREG else { throw refuse("is no file") }
        guard facts.st_size <= CrewLimits.fileBytesMax else { throw tooLarge(facts.st_size) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard 0 <= descriptor else { throw unreadable(errno) }
        defer { close(descriptor) }
        // One more byte than a file may have, since it may have grown meanwhile.
        var bytes = [UInt8](repeating: 0, count: CrewLimits.fileBytesMax + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { free in
                read(descriptor, free.baseAddress?.advanced(by: count), free.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard 0 <= got else { throw unreadable(errno) }
            if got == 0 { break }
            count += got
        }
        guard count <= CrewLimits.fileBytesMax else { throw tooLarge(count) }
        guard let text = String(data: Data(bytes[..<count]), encoding: .utf8) else { throw refuse("is not UTF-8") }
        return text
    }
}
