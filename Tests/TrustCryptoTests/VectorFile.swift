import Foundation
import Testing

/// A file of `Tests/Vectors`. Columns are separated by a space, a line that begins with # is a comment, and values are
/// hexadecimal; `-` is the empty value.
enum VectorFile {
    /// A file with a name and a value on each line.
    static func values(_ name: String) throws -> [String: [UInt8]] {
        try Dictionary(uniqueKeysWithValues: rows(name).map { ($0.name, try #require($0.values.first)) })
    }

    /// A file with a word and some values on each line.
    static func rows(_ name: String) throws -> [(name: String, values: [[UInt8]])] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Vectors/\(name)")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
        return try lines.map { line in
            let columns = line.split(separator: " ").map(String.init)
            return (columns[0], try columns.dropFirst().map(bytes(of:)))
        }
    }

    static func bytes(of hexadecimal: String) throws -> [UInt8] {
        let digits = Array(hexadecimal == "-" ? "" : hexadecimal.count % 2 == 0 ? hexadecimal : "0" + hexadecimal)
        return try stride(from: 0, to: digits.count, by: 2).map {
            try #require(UInt8(String(digits[$0...$0 + 1]), radix: 16))
        }
    }
}
